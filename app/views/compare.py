"""The Compare page: several runs beside a baseline: settings, verdicts, figures, curves and answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from app import state
from app.languages import fragment
from app.load.runs import Snapshot, is_live, snapshot_of
from app.widgets import compare_address as address
from app.widgets.comparison_table import comparison_table
from app.widgets.copy_link import copy_link
from app.widgets.markdown import escaped
from app.widgets.overlays import crucial_names, other_names, overlays
from app.widgets.prompt_comparison import prompt_comparison
from app.widgets.queued import waiting_sentence
from app.widgets.reference import reference
from app.widgets.run_choosers import comparison_choosers, run_chooser, step_chooser
from app.widgets.way_back import LinkHome, way_back
from diagnostics.api import UnreadableRun
from diagnostics.comparison import MOST_RUNS, SideBySide, side_by_side
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.language import _, ngettext
from diagnostics.model.run import Run
from diagnostics.model.vocabulary import metric
from diagnostics.told import said
from diagnostics.wording.side_by_side import differences_line, relaunch_sentence, side_by_side_notes

_POLL_SECONDS = 1.0
_LEAST_RUNS = 2
_SECTION = "compare.section"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The runs of the address as they are now, by their paths; which others wait, and why the rest cannot be shown."""

    snapshots: Mapping[str, Snapshot]
    waiting: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def revisions(self) -> tuple[tuple[str, int], ...]:
        """Changes when a run does."""
        return tuple((path, snapshot.revision) for path, snapshot in self.snapshots.items())

    @property
    def is_live(self) -> bool:
        """Whether more data of any run may come."""
        return bool(self.waiting) or any(is_live(snapshot.run) for snapshot in self.snapshots.values())


def render(link_home: LinkHome | None = None) -> None:
    """Draw the comparison of the runs in the address; while one of them is live, redraw it when it changed."""
    asked = address.runs()
    loaded = _load(asked[:MOST_RUNS])
    if len(asked) > MOST_RUNS:
        words = _("The address names {count} runs; the first {most}, the most that fit, are compared.")
        st.warning(words.format(count=len(asked), most=MOST_RUNS))
    for error in loaded.errors:
        st.warning(escaped(error))
    for sentence in loaded.waiting:
        st.info(escaped(sentence))
    fragment(_keep_up, run_every=_POLL_SECONDS if loaded.is_live else None)(asked[:MOST_RUNS], loaded)
    if len(loaded.snapshots) < _LEAST_RUNS:
        _ask_for_runs(asked, loaded, link_home)
        return
    side = side_by_side([snapshot.diagnosis for snapshot in loaded.snapshots.values()], state.chosen_step())
    _heading(side, asked, tuple(loaded.snapshots), link_home)
    for sentence in (*side_by_side_notes(side), *map(relaunch_sentence, side.relaunches)):
        st.caption(escaped(sentence))
    comparison_table(side)
    ghost = _overlays(side)
    _chosen_section(side, ghost, loaded.revisions)


def _load(paths: Sequence[str]) -> _Loaded:
    """Each run by itself: one that cannot be read does not take the others down. Ends with its page."""
    snapshots, waiting, errors = dict[str, Snapshot](), list[str](), list[str]()
    for path in paths:
        try:
            with cancelled_when(state.page_has_gone()):
                snapshots[path] = snapshot_of(path, state.boundary())
        except UnreadableRun as error:
            if sentence := waiting_sentence(Path(path)):
                waiting.append(sentence)
            else:
                errors.append(said(error.sentence))
        except Cancelled:
            st.stop()
    return _Loaded(snapshots, tuple(waiting), tuple(errors))


def _keep_up(paths: Sequence[str], drawn: _Loaded) -> None:
    """Redraw the page if a run changed since it was drawn."""
    now = _load(paths)
    if (now.revisions, now.waiting) != (drawn.revisions, drawn.waiting):
        st.rerun(scope="app")


def _ask_for_runs(asked: Sequence[str], loaded: _Loaded, link_home: LinkHome | None) -> None:
    """Say what is missing, and let it be chosen."""
    with st.container(horizontal=True, vertical_alignment="center", key="title"):
        way_back(link_home)
        st.markdown(_("## Compare"), width="content")
    if loaded.snapshots:
        (snapshot,) = loaded.snapshots.values()
        words = _("Only one run is chosen, {run}; add another to compare it with.")
        st.info(words.format(run=escaped(snapshot.run.name)))
    else:
        st.info(_("No runs to compare are chosen; choose two or more, the baseline first."))
    run_chooser(asked)


def _heading(side: SideBySide, asked: Sequence[str], shown: Sequence[str], link_home: LinkHome | None) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="heading"):
        with st.container(horizontal=True, vertical_alignment="center", key="title"):
            way_back(link_home)
            st.markdown(_("## Compare {count} runs").format(count=len(side.runs)), width="content")
            baseline = _("baseline A, {run}").format(run=side.runs[0].name)
            st.caption(escaped(f"{baseline} · {differences_line(side.settings)}"), width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="actions"):
            copy_link()
            comparison_choosers(side, asked, shown)


def _overlays(side: SideBySide) -> Run | None:
    """The crucial metrics; returns the reference that stands behind them, if any."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("### Crucial metrics"), width="stretch")
        step_chooser(side)
    ghost = reference(side.algorithms)
    names = crucial_names(side.runs)
    if not names:
        st.caption(_("No crucial metric is logged by two of the runs; All metrics has what they share."))
    overlays(side, names, ghost, "crucial")
    return ghost


def _chosen_section(side: SideBySide, ghost: Run | None, revisions: object) -> None:
    """The sections below the charts; only the chosen one is drawn."""
    others = other_names(side.runs)
    sections: Mapping[str, tuple[str, Callable[[], None]]] = {
        "samples": (_("Samples of one prompt"), partial(prompt_comparison, side, revisions)),
        "metrics": (_("All metrics ({count})").format(count=len(others)), partial(_all_metrics, side, others, ghost)),
    }
    asked = state.in_address(address.SHOWN)
    current = asked if asked in sections else "samples"
    state.follow_address(_SECTION, current)
    st.segmented_control(
        _("Section"),
        list(sections),
        format_func=lambda name: sections[name][0],
        required=True,
        key=_SECTION,
        label_visibility="collapsed",
        on_change=lambda: state.write_into_address(address.SHOWN, st.session_state[_SECTION]),
    )
    sections[current][1]()


def _all_metrics(side: SideBySide, names: Sequence[str], ghost: Run | None) -> None:
    key = "compare.find"
    words = st.text_input(
        _("Filter"),
        value=state.in_address(address.FIND),
        key=key,
        placeholder=_("part of a name"),
        width=320,
        on_change=lambda: state.write_into_address(address.FIND, st.session_state[key]),
    ).lower()
    found = [name for name in names if all(word in _searched(name) for word in words.split())]
    if not found:
        st.caption(_("Nothing matches the filter.") if names else _("No other metric is logged by two of the runs."))
    else:
        words = ngettext(
            "{count} metric that two runs or more log", "{count} metrics that two runs or more log", len(found)
        )
        st.caption(words.format(count=f"{len(found):,}"))
    overlays(side, found, ghost, "all")


def _searched(name: str) -> str:
    entry = metric(name)
    return f"{name} {_(entry.title) if entry else ''}".lower()
