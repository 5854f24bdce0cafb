"""Where the time of a run's steps goes: one sentence, the shares, and the stages of every step."""

import streamlit as st

from app import state
from app.figures.time_band import time_band
from app.widgets.markdown import escaped
from app.widgets.plot import plot
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.time_budget.budget import time_budget
from diagnostics.wording.time_budget import NOTHING_LOGGED, budget_sentence, shares_line


def time_section(run: Run) -> None:
    """Draw the time budget, or say what the log lacks for one."""
    budget = time_budget(run)
    if budget is None:
        st.caption(_(NOTHING_LOGGED))
        return
    st.markdown(f"**{escaped(budget_sentence(run, budget))}**")
    shares = shares_line(budget)
    st.caption(escaped(shares))
    band = time_band(budget, state.palette(), chosen_step=state.chosen_step(), window=state.shown_steps())
    plot(band, shares, f"time.{run.run_id}")
