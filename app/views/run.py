"""The Run page: the run's state, the verdict, the curves that show it, then all details."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from app import state
from app.boundary import OutsideFolders
from app.load.console_tail import console_tail
from app.load.runs import Snapshot, is_live, snapshot_of
from app.widgets.charts import charts
from app.widgets.checks import checks
from app.widgets.checks_and_data import checks_and_data
from app.widgets.config import config
from app.widgets.distributions import distributions
from app.widgets.markdown import escaped
from app.widgets.metrics import metrics
from app.widgets.parent_comparison import parent_comparison
from app.widgets.preflight import settings_findings
from app.widgets.resume_button import resumable_step, resume_button
from app.widgets.samples import samples
from app.widgets.state_line import can_stop, error_line, has_failed, state_line, stop_button, title_line
from app.widgets.verdict import verdict
from diagnostics.api import UnreadableRun
from diagnostics.curves.selection import crucial_series, other_series
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.visible_text import visible

_POLL_SECONDS = 1.0
_SECTION = "run.section"


def render(path: str | None, is_read_only: bool) -> None:
    """Draw the page of the run at a path; while the run is live, redraw it when it changed."""
    if path is None:
        st.info("No run is chosen; open one from Runs.")
        return
    snapshot = _snapshot(path, is_read_only)
    if snapshot is None:
        return
    with st.container():  # one container, so that the charts below keep their place whatever it holds
        _heading(path, snapshot, is_read_only)
        error_line(snapshot.run)
        verdict(snapshot.diagnosis, is_read_only=is_read_only)
        parent_comparison(snapshot.diagnosis)
        checks_and_data(snapshot.run, snapshot.diagnosis)
    charts(snapshot.run, snapshot.diagnosis.outcomes, crucial_series(snapshot.run), state.chosen_step(), "crucial")
    settings_findings(snapshot.diagnosis)
    _chosen_section(snapshot)


def _snapshot(path: str, is_read_only: bool) -> Snapshot | None:
    """The run as it is now; None, and the reason on the page, if it cannot be read. Ends with its page."""
    try:
        with cancelled_when(state.page_has_gone()):
            return snapshot_of(path, state.boundary())
    except UnreadableRun as error:
        _refuse(error, is_read_only)
        return None
    except Cancelled:
        st.stop()


def _refuse(error: UnreadableRun, is_read_only: bool) -> None:
    """Say why the run cannot be shown."""
    way = ""
    if isinstance(error, OutsideFolders):
        above = "" if is_read_only else "“Open my logs” on the Runs page, or with "
        way = f"; another folder is shown with {above}`rlvitals PATH` in a terminal"
    st.warning(f"{escaped(error.sentence)}{way}")


def _heading(path: str, snapshot: Snapshot, is_read_only: bool) -> None:
    """Name and state; for a live run, the state is a fragment that polls for changes."""
    run = snapshot.run
    name, where = st.columns([1, 1], vertical_alignment="top")
    with name:
        title_line(run)
    with where:
        every = _POLL_SECONDS if is_live(run) else None
        st.fragment(_draw_state, run_every=every)(path, snapshot.revision, is_read_only)


def _draw_state(path: str, drawn_revision: int, is_read_only: bool) -> None:
    """Draw the current state; redraw the whole page if the run changed since it was drawn."""
    snapshot = _snapshot(path, is_read_only)
    if snapshot is None:
        return
    if snapshot.revision != drawn_revision:
        st.rerun(scope="app")
    run = snapshot.run
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        state_line(run)
        if can_stop(run) and not is_read_only:
            stop_button(run)
        if not is_read_only and (step := resumable_step(run)) is not None:
            resume_button(run, step)


def _chosen_section(snapshot: Snapshot) -> None:
    """The sections below the charts; only the chosen one is drawn."""
    run = snapshot.run
    remaining = other_series(run)
    sections: Mapping[str, tuple[str, Callable[[], None]]] = {
        "samples": ("Samples", partial(samples, run)),
        "metrics": (
            f"All metrics ({len(remaining)})",
            partial(metrics, run, snapshot.diagnosis.outcomes, remaining, state.chosen_step()),
        ),
        "distributions": (f"Distributions ({len(run.histograms)})", partial(distributions, run)),
        "config": ("Config", partial(config, run)),
        "console": ("Console", partial(_console, snapshot)),
        "checks": (f"Checks ({len(snapshot.diagnosis.outcomes)})", partial(checks, snapshot.diagnosis)),
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


def _console(snapshot: Snapshot) -> None:
    text = console_tail(snapshot.run.console)
    if text:
        with st.container(height=460, border=False, autoscroll=True):  # the last lines matter most
            st.code(visible(text), language=None, wrap_lines=True)
    else:
        st.caption("The run left no console output.")
