"""Charts of several metrics side by side; stable keys keep their zoom while data arrives."""

from collections.abc import Sequence

import streamlit as st

from app import state
from app.figures.curve import curve
from app.widgets.markdown import escaped
from app.widgets.plot import plot
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import EVAL_PREFIX
from diagnostics.wording.series import chart_description

WIDTH = 273  # pixels: four stand side by side on a screen of 1280, two on one of 800


def charts(run: Run, outcomes: Sequence[Outcome], chosen: Sequence[Series], chosen_step: int | None, key: str) -> None:
    """Draw the series, as many side by side as fit; one without points reserves its place.

    A chart that moves to another place is rebuilt and loses its zoom.
    """
    with st.container(horizontal=True):
        for series in chosen:
            place = f"{key}.{run.run_id}.{series.name}"
            with st.container(width=WIDTH, gap="xxsmall", key=f"place.{place}"):
                if len(series):
                    _chart(series, run.get(EVAL_PREFIX + series.name), outcomes, chosen_step, place)


def _chart(
    series: Series, held_out: Series | None, outcomes: Sequence[Outcome], chosen_step: int | None, key: str
) -> None:
    figure = curve(series, outcomes, state.palette(), chosen_step=chosen_step, held_out=held_out)
    plot(figure, chart_description(series, outcomes, held_out), key)
    if series.caveat:
        st.caption("Not quite the usual meaning", help=escaped(series.caveat))
