"""The Run page: the run's state, the verdict, then one section at a time: the curves that show it, samples, checks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from app import state
from app.boundary import OutsideFolders
from app.load.console_tail import console_tail
from app.load.runs import Snapshot, is_live, snapshot_of
from app.theme import style
from app.widgets.charts import charts
from app.widgets.checks import checks
from app.widgets.config import config
from app.widgets.distributions import distributions
from app.widgets.log_notes import diagnosed_at, log_notes
from app.widgets.markdown import escaped
from app.widgets.metrics import metrics
from app.widgets.parent_comparison import parent_comparison
from app.widgets.preflight import settings_findings
from app.widgets.resume_button import resumable_step, resume_button
from app.widgets.samples import samples
from app.widgets.state_line import can_stop, error_line, has_failed, state_line, stop_button, title_line
from app.widgets.time_section import time_section
from app.widgets.verdict import verdict
from diagnostics.api import UnreadableRun
from diagnostics.curves.selection import crucial_series, other_series
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.told import said
from diagnostics.visible_text import visible

_POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page of which one is drawn at a time."""

    title: str
    draw: Callable[[], None]


def render(path: str | None, is_read_only: bool, compare_page: st.Page | None = None) -> None:
    """Draw the page of the run at a path; while the run is live, redraw it when it changed.

    `compare_page` is the page that the links to a comparison lead to; without one there are none.
    """
    if path is None:
        st.info("No run is chosen; open one from Runs.")
        return
    snapshot = _snapshot(path, is_read_only)
    if snapshot is None:
        return
    st.html(style(state.palette()))
    above = st.container()  # one container, so that the charts below keep their place whatever it holds
    sections = _sections(snapshot)
    chosen = _section_bar(snapshot.run, sections)
    with above:
        _heading(path, snapshot, is_read_only, compare_page)
        error_line(snapshot.run)
        _verdict(snapshot, is_read_only=is_read_only, is_short=chosen != "charts")
        parent_comparison(snapshot.diagnosis, compare_page)
        log_notes(snapshot.run, snapshot.diagnosis.remarks)
    sections[chosen].draw()


def _verdict(snapshot: Snapshot, *, is_read_only: bool, is_short: bool) -> None:
    judged_at = diagnosed_at(snapshot.run, snapshot.diagnosis)
    verdict(snapshot.diagnosis, judged_at, is_read_only=is_read_only, is_short=is_short)


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
    st.warning(f"{escaped(said(error.sentence))}{way}")


def _heading(path: str, snapshot: Snapshot, is_read_only: bool, compare_page: st.Page | None) -> None:
    """Name and state; for a live run, the state is a fragment that polls for changes."""
    run = snapshot.run
    name, where = st.columns([1, 1], vertical_alignment="top")
    with name:
        title_line(run)
        if compare_page is not None:
            st.page_link(compare_page, label="Compare with another run", query_params=[(state.RUN, path)])
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


def _sections(snapshot: Snapshot) -> Mapping[str, Section]:
    """The sections of the page, by name, in their order."""
    run, diagnosis = snapshot.run, snapshot.diagnosis
    return {
        "charts": Section("Charts", partial(_charts, snapshot)),
        "samples": Section("Samples", partial(samples, run, diagnosis)),
        "metrics": Section("All metrics", partial(_metrics, snapshot)),
        "checks": Section("Checks", partial(checks, diagnosis)),
        "config": Section("Config", partial(_config, diagnosis)),
        "distributions": Section("Distributions", partial(distributions, run)),
        "time": Section("Time", partial(time_section, run)),
        "console": Section("Console", partial(_console, snapshot)),
    }


def _section_bar(run: Run, sections: Mapping[str, Section]) -> str:
    """The bar of sections, which stays in view; returns the chosen one."""
    with st.container(key="sections"):
        chosen = st.segmented_control(
            "Section",
            list(sections),
            # A label that changed with the run would come back from the address as a choice that nobody made.
            format_func=lambda name: sections[name].title,
            default="console" if has_failed(run) and not run.series else "charts",
            required=True,
            key=state.SECTION,
            bind="query-params",
            label_visibility="collapsed",
        )
    return chosen or "charts"


def _charts(snapshot: Snapshot) -> None:
    run = snapshot.run
    charts(run, snapshot.diagnosis.outcomes, crucial_series(run), state.chosen_step(), "crucial")


def _metrics(snapshot: Snapshot) -> None:
    run, outcomes = snapshot.run, snapshot.diagnosis.outcomes
    metrics(run, outcomes, other_series(run, outcomes), state.chosen_step())


def _config(diagnosis: Diagnosis) -> None:
    settings_findings(diagnosis)
    config(diagnosis.run)


def _console(snapshot: Snapshot) -> None:
    text = console_tail(snapshot.run.console)
    if text:
        with st.container(height=460, border=False, autoscroll=True):  # the last lines matter most
            st.code(visible(text), language=None, wrap_lines=True)
    else:
        st.caption("The run left no console output.")
