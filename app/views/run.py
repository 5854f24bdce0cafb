"""The Run page: where the run stands, the verdict, the curves that prove it, then everything else."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from app import state
from app.load.console import tail
from app.load.runs import Look, is_live, look_at
from app.widgets.charts import charts
from app.widgets.checks import checks
from app.widgets.checks_and_data import checks_and_data
from app.widgets.config import config
from app.widgets.distributions import distributions
from app.widgets.markdown import escaped
from app.widgets.metrics import metrics
from app.widgets.parent_comparison import parent_comparison
from app.widgets.preflight import settings
from app.widgets.resume_button import resumable_step, resume_button
from app.widgets.samples import samples
from app.widgets.state_line import can_stop, error_line, has_failed, state_line, stop_button, title_line
from app.widgets.verdict import verdict
from diagnostics.api import UnreadableRun
from diagnostics.curves.selection import crucial, others

_POLL_SECONDS = 1.0
_SECTION = "run.section"


def render(path: str | None, is_read_only: bool) -> None:
    """Draw the page of the run at a path; while the run goes on, again whenever it changed."""
    if path is None:
        st.info("No run is chosen; open one from Runs.")
        return
    try:
        look = look_at(path)
    except UnreadableRun as error:
        st.warning(escaped(error.sentence))
        return
    with st.container():  # one place for all of it, however much it is, so that the charts keep theirs
        _head(path, look, is_read_only)
        error_line(look.run)
        verdict(look.diagnosis, is_read_only=is_read_only)
        parent_comparison(look.diagnosis)
        checks_and_data(look.run, look.diagnosis)
    charts(look.run, look.diagnosis.outcomes, crucial(look.run), state.chosen_step(), "crucial")
    settings(look.diagnosis)
    _details(look)


def _head(path: str, look: Look, is_read_only: bool) -> None:
    """Name and state; of a run that goes on, the state is a fragment that looks for changes every second."""
    run = look.run
    name, where = st.columns([1, 1], vertical_alignment="top")
    with name:
        title_line(run)
    with where:
        every = _POLL_SECONDS if is_live(run) else None
        st.fragment(_follow, run_every=every)(path, look.revision, is_read_only)


def _follow(path: str, drawn_revision: int, is_read_only: bool) -> None:
    """Draw the state as it is now; where the run has changed since the page was drawn, draw the page again."""
    try:
        look = look_at(path)
    except UnreadableRun as error:
        st.warning(escaped(error.sentence))
        return
    if look.revision != drawn_revision:
        st.rerun(scope="app")
    run = look.run
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        state_line(run)
        if can_stop(run) and not is_read_only:
            stop_button(run)
        if not is_read_only and (step := resumable_step(run)) is not None:
            resume_button(run, step)


def _details(look: Look) -> None:
    """What the reader asks for; only the chosen section is drawn."""
    run = look.run
    remaining = others(run)
    sections: Mapping[str, tuple[str, Callable[[], None]]] = {
        "samples": ("Samples", partial(samples, run)),
        "metrics": (
            f"All metrics ({len(remaining)})",
            partial(metrics, run, look.diagnosis.outcomes, remaining, state.chosen_step()),
        ),
        "distributions": (f"Distributions ({len(run.histograms)})", partial(distributions, run)),
        "config": ("Config", partial(config, run)),
        "console": ("Console", partial(_console, look)),
        "checks": (f"Checks ({len(look.diagnosis.outcomes)})", partial(checks, look.diagnosis)),
    }
    chosen = st.segmented_control(
        "Section",
        list(sections),
        format_func=lambda name: sections[name][0],
        default="console" if has_failed(run) and not run.series else "samples",
        required=True,
        key=_SECTION,
        label_visibility="collapsed",
    )
    sections[chosen or "samples"][1]()


def _console(look: Look) -> None:
    text = tail(look.run.console)
    if text:
        with st.container(height=460, border=False, autoscroll=True):  # what came last is what one looks for
            st.code(text, language=None, wrap_lines=True)
    else:
        st.caption("The run left no console output.")
