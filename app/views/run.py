"""The Run page: the run's state, the verdict, then one section at a time: the curves that show it, samples, checks."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from app import state
from app.languages import chosen_parameters, fragment
from app.load.console_tail import console_tail
from app.load.runs import Snapshot, is_live, snapshot_of
from app.theme import VERDICTS
from app.widgets.charts import CRUCIAL, charts
from app.widgets.checks import checks
from app.widgets.config import config
from app.widgets.copy_link import copy_link
from app.widgets.distributions import distributions
from app.widgets.export_menu import export_menu
from app.widgets.log_notes import diagnosed_at, log_notes
from app.widgets.markdown import escaped
from app.widgets.metrics import metrics
from app.widgets.parent_comparison import parent_comparison
from app.widgets.preflight import settings_findings
from app.widgets.reference import reference
from app.widgets.refusal import refusal_line
from app.widgets.resume_button import resumable_step, resume_button
from app.widgets.samples import samples
from app.widgets.section_counts import draw_section_counts, section_counts
from app.widgets.state_line import can_stop, error_line, state_line, stop_button, title_line
from app.widgets.time_section import time_section
from app.widgets.verdict import verdict
from app.widgets.way_back import LinkHome
from diagnostics.addresses import address_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import OutsideFolders
from diagnostics.curves.selection import crucial_series, other_series
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.remote.following import NotHereYet, silence_of
from diagnostics.told import said
from diagnostics.visible_text import one_line, visible

_POLL_SECONDS = 1.0
_SHARE_OF_A_CORE = 0.02  # that drawing the page of a growing run anew may take; its charts follow it by themselves
_DRAWN = "run.drawn"


@dataclass(frozen=True, slots=True)
class Drawn:
    """What the page shows, and from when on it may be drawn anew for new steps alone."""

    snapshot: Snapshot
    due: float

    def is_out_of_date(self, now: Snapshot) -> bool:
        """Whether the page is to be drawn anew: at once for another state or other findings."""
        if now.revision == self.snapshot.revision:
            return False
        return _what_matters(now) != _what_matters(self.snapshot) or time.monotonic() >= self.due


def _what_matters(snapshot: Snapshot) -> tuple[object, ...]:
    """What is never shown late: the state, the verdict, and which findings there are."""
    diagnosis = snapshot.diagnosis
    findings = [(finding.name, finding.severity, finding.still) for finding in diagnosis.findings]
    return snapshot.run.status.state, diagnosis.verdict, findings, [muted.finding.name for muted in diagnosis.muted]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page of which one is drawn at a time."""

    title: str
    draw: Callable[[], None]


def render(
    path: str | None, is_read_only: bool, compare_page: st.Page | None = None, link_home: LinkHome | None = None
) -> None:
    """Draw the page of the run at a path; while the run is live, redraw it when it changed.

    `compare_page` is the page that the links to a comparison lead to; without one there are none.
    """
    began = time.thread_time()
    snapshot = _snapshot(path, is_read_only) if path is not None else None
    if path is None or snapshot is None:
        st.set_page_config(page_title=_("No run · rlvitals"))
        _no_run(path, link_home)
        return
    st.set_page_config(page_title=_browser_title(snapshot))
    above = st.container()  # one container, so that the charts below keep their place whatever it holds
    sections = _sections(snapshot)
    chosen = _section_bar(snapshot, sections)
    with above:
        _heading(path, snapshot, is_read_only, compare_page, link_home)
        if address_of(snapshot.run.path):
            fragment(_draw_silence, run_every=_POLL_SECONDS if is_live(snapshot.run) else None)(snapshot.run)
        error_line(snapshot.run)
        _verdict(snapshot, compare_page, is_read_only=is_read_only, is_short=chosen != "charts")
        parent_comparison(snapshot.diagnosis, compare_page)
        log_notes(snapshot.run, snapshot.diagnosis.remarks)
    sections[chosen].draw()
    st.session_state[_DRAWN] = Drawn(snapshot, time.monotonic() + (time.thread_time() - began) / _SHARE_OF_A_CORE)


def _browser_title(snapshot: Snapshot) -> str:
    """The verdict's shape first: of many tabs a browser shows the beginnings."""
    return f"{VERDICTS[snapshot.diagnosis.verdict].shape} {one_line(snapshot.run.name)} · rlvitals"


def _no_run(path: str | None, link_home: LinkHome | None) -> None:
    if path is None:
        st.info(_("No run is chosen; open one from Runs."))
    if link_home is not None:
        link_home()


def _verdict(snapshot: Snapshot, compare_page: st.Page | None, *, is_read_only: bool, is_short: bool) -> None:
    judged_at = diagnosed_at(snapshot.run, snapshot.diagnosis)
    verdict(snapshot.diagnosis, judged_at, is_read_only=is_read_only, is_short=is_short, compare_page=compare_page)


def _snapshot(path: str, is_read_only: bool) -> Snapshot | None:
    """The run as it is now; None, and the reason on the page, if it cannot be read. Ends with its page."""
    try:
        with cancelled_when(state.page_has_gone()):
            return snapshot_of(path, state.boundary())
    except NotHereYet:
        fragment(_wait_for, run_every=_POLL_SECONDS)(path)
        return None
    except UnreadableRun as error:
        _refuse(error, is_read_only)
        return None
    except Cancelled:
        st.stop()


def _wait_for(path: str) -> None:
    """Say how far a run that lies elsewhere has been fetched, until it can be shown."""
    try:
        snapshot_of(path, state.boundary())
    except NotHereYet as error:
        st.info(escaped(said(error.sentence)))
    except UnreadableRun:
        st.rerun(scope="app")
    else:
        st.rerun(scope="app")


def _refuse(error: UnreadableRun, is_read_only: bool) -> None:
    """Say why the run cannot be shown."""
    reason = escaped(said(error.sentence))
    if not isinstance(error, OutsideFolders):
        st.warning(reason)
    elif is_read_only:
        st.warning(_("{reason}; another folder is shown with `rlvitals PATH` in a terminal").format(reason=reason))
    else:
        words = _(
            "{reason}; another folder is shown with “Open my logs” on the Runs page, or with `rlvitals PATH` in a "
            "terminal"
        )
        st.warning(words.format(reason=reason))


def _heading(
    path: str, snapshot: Snapshot, is_read_only: bool, compare_page: st.Page | None, link_home: LinkHome | None
) -> None:
    """Name and state; for a live run, the state is a fragment that polls for changes."""
    run = snapshot.run
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="heading"):
        title_line(run, link_home)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="actions"):
            every = _POLL_SECONDS if is_live(run) else None
            fragment(_draw_state, run_every=every)(path, snapshot.revision, is_read_only)
            if compare_page is not None:
                st.page_link(compare_page, label=_("Compare"), query_params={state.RUN: path, **chosen_parameters()})
            export_menu(run)


def _draw_state(path: str, drawn_revision: int, is_read_only: bool) -> None:
    """Draw the current state; redraw the whole page where the run has changed enough since it was drawn."""
    snapshot = _snapshot(path, is_read_only)
    if snapshot is None:
        return
    drawn: Drawn | None = st.session_state.get(_DRAWN)
    if snapshot.revision != drawn_revision and (drawn is None or drawn.is_out_of_date(snapshot)):
        st.rerun(scope="app")
    run = snapshot.run
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        state_line(run)
        if can_stop(run) and not is_read_only:
            stop_button(run)
        if not is_read_only and (step := resumable_step(run)) is not None:
            resume_button(run, step)


def _draw_silence(run: Run) -> None:
    """Say that what lies elsewhere does not answer, where that is so."""
    if sentence := silence_of(run.path):
        refusal_line(said(sentence))


def _sections(snapshot: Snapshot) -> Mapping[str, Section]:
    """The sections of the page, by name, in their order."""
    run, diagnosis = snapshot.run, snapshot.diagnosis
    return {
        "charts": Section(_("Charts"), partial(_charts, snapshot)),
        "samples": Section(_("Samples"), partial(samples, run, diagnosis)),
        "metrics": Section(_("All metrics"), partial(_metrics, snapshot)),
        "checks": Section(_("Checks"), partial(checks, diagnosis)),
        "config": Section(_("Config"), partial(_config, diagnosis)),
        "distributions": Section(_("Distributions"), partial(distributions, run)),
        "time": Section(_("Time"), partial(time_section, run)),
        "console": Section(_("Console"), partial(_console, snapshot)),
    }


def _section_bar(snapshot: Snapshot, sections: Mapping[str, Section]) -> str:
    """The bar of sections, which stays in view; returns the chosen one."""
    run, asked = snapshot.run, state.section()
    usual = "console" if run.status.has_failed and not run.series else "charts"
    current = asked if asked is not None and asked in sections else usual
    state.follow_address(state.SECTION, current)
    draw_section_counts(sections, section_counts(snapshot.diagnosis))
    with st.container(horizontal=True, vertical_alignment="center", key="sections"):
        st.segmented_control(
            _("Section"),
            list(sections),
            format_func=lambda name: sections[name].title,
            required=True,
            key=state.SECTION,
            on_change=lambda: state.choose_section(st.session_state[state.SECTION]),
            label_visibility="collapsed",
        )
        copy_link()
    return current


def _charts(snapshot: Snapshot) -> None:
    run = snapshot.run
    ghost = reference([run.algorithm])
    charts(run, snapshot.diagnosis.outcomes, crucial_series(run), state.chosen_step(), CRUCIAL, ghost)


def _metrics(snapshot: Snapshot) -> None:
    run, outcomes = snapshot.run, snapshot.diagnosis.outcomes
    metrics(run, outcomes, other_series(run, outcomes), state.chosen_step(), reference([run.algorithm]))


def _config(diagnosis: Diagnosis) -> None:
    settings_findings(diagnosis)
    config(diagnosis.run)


def _console(snapshot: Snapshot) -> None:
    text = console_tail(snapshot.run.console)
    if text:
        with st.container(height=460, border=False, autoscroll=True):  # the last lines matter most
            st.code(visible(text), language=None, wrap_lines=True)
    else:
        st.caption(_("The run left no console output."))
