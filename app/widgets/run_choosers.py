"""The choosers of the Compare page: its runs, the baseline among them, and the step."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from app import state
from app.load.known_runs import known_runs
from app.widgets import compare_address as address
from diagnostics.comparison import LETTERS, MOST_RUNS, SideBySide
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.language import N_, _
from diagnostics.visible_text import one_line

_SAMPLE_MARK = N_("(sample)")


def run_chooser(chosen: Sequence[str]) -> None:
    """The list of the runs that are compared, in which others are searched for and added."""
    key = f"compare.runs.{hash(tuple(chosen))}"  # another address is another list, or the browser would restore the old
    options = tuple(dict.fromkeys((*chosen, *_known_paths())))
    st.multiselect(
        _("Runs, the baseline first"),
        options,
        default=list(chosen),
        format_func=_label,
        key=key,
        max_selections=max(MOST_RUNS, len(chosen)),
        placeholder=_("part of a path"),
        on_change=_take_runs,
        args=(key,),
    )


def comparison_choosers(side: SideBySide, chosen: Sequence[str], shown: Sequence[str]) -> None:
    """The buttons beside the title: which runs, which of them is the baseline, and the command that prints the same.

    `shown` are the paths of the runs that could be read, in the order of the comparison.
    """
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        with _popover(_("Runs"), "compare.runs.open") as runs:
            if runs.open:
                run_chooser(chosen)
            _baseline_chooser(side, chosen, shown)
        with st.popover(_("In a terminal")):
            st.caption(_("The same comparison as text; `--format json` or `markdown` for programs and pull requests."))
            words = " ".join(shlex.quote(path) for path in chosen)
            step = "" if state.chosen_step() is None else f" --step {state.chosen_step()}"
            st.code(one_line(f"rlvitals compare {words}{step}"), language=None, wrap_lines=True)


def step_chooser(side: SideBySide) -> None:
    """The step of the figures; a click on a curve chooses one as well."""
    reached = [run.last_step for run in side.runs if run.last_step is not None]
    if not reached:
        return
    chosen = state.chosen_step()
    key = f"compare.step.{chosen}"
    st.caption(_("step"), width="content")
    st.number_input(
        _("Step"),
        min_value=0,
        max_value=max(reached),
        value=None if chosen is None else min(chosen, max(reached)),
        placeholder=_("last common"),
        label_visibility="collapsed",
        key=key,
        on_change=_take_step,
        args=(key,),
        width=180,
    )


def _popover(label: str, key: str) -> PopoverContainer:
    """A popover whose contents are made when it opens: the folders are searched for runs then."""
    return st.popover(label, key=key, on_change="rerun")


def _baseline_chooser(side: SideBySide, chosen: Sequence[str], shown: Sequence[str]) -> None:
    """The baseline is the first run: another one moves there. `shown` are the paths of the runs that could be read."""
    key = f"compare.baseline.{hash(tuple(shown))}"
    names = [one_line(f"{LETTERS[place]} {run.name}") for place, run in enumerate(side.runs)]
    st.selectbox(
        _("Baseline"),
        shown,
        format_func=lambda path: names[shown.index(path)],
        key=key,
        on_change=_take_baseline,
        args=(key, chosen),
    )


def _known_paths() -> tuple[str, ...]:
    """Every run that can be chosen. Ends with its page: folders may be large."""
    try:
        with cancelled_when(state.page_has_gone()):
            return tuple(str(ref.path) for ref in known_runs(state.boundary()))
    except Cancelled:
        st.stop()


def _label(path: str) -> str:
    return one_line(f"{path} {_(_SAMPLE_MARK)}" if _is_sample(path) else path)


def _is_sample(path: str) -> bool:
    return state.is_sample(Path(path))


def _take_runs(key: str) -> None:
    address.choose_runs(st.session_state[key])


def _take_baseline(key: str, paths: Sequence[str]) -> None:
    first = st.session_state[key]
    address.choose_runs([first, *(path for path in paths if path != first)])


def _take_step(key: str) -> None:
    step = st.session_state[key]
    state.choose_step(None if step is None else int(step))
