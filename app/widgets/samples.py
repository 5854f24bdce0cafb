"""The samples of a run: the completions of one step, or the answers to one prompt over the steps."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from app import state
from app.keys import SAMPLES, handled
from app.languages import fragment
from app.load.runs import is_live
from app.widgets.component import component
from app.widgets.followed_prompt import answers_to, repeated_queries, searched_steps
from app.widgets.sample_table import ORDERS
from app.widgets.sample_view import Choice, Section, followed_section, section, step_in_view
from app.widgets.sample_words import order_words, sample_words
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run

_MOST_ROWS, _KNOWN = "samples.most_rows", "samples.known"
_YES, _PLACE = "1", "."
_LONGEST_FIND = 200  # characters
_ADDRESSED: Mapping[str, str] = {
    "find": state.FIND,
    "order": state.ORDER,
    "only_cut": state.CUT,
    "split": state.SPLIT,
    "compared_with": state.AGAINST,
    "followed": state.PROMPT,
}
"""The parameters of the address that hold what a reader chose."""

_FITS: Mapping[str, Callable[[Any], bool]] = {
    "find": lambda value: isinstance(value, str),
    "order": lambda value: value in ORDERS,
    "only_cut": lambda value: isinstance(value, bool),
    "split": lambda value: isinstance(value, str),
    "most_rows": lambda value: isinstance(value, int),
    "compared_with": lambda value: value is None or isinstance(value, int),
    "followed": lambda value: value is None,
}
"""What a reader may choose otherwise, and whether a value that the browser sent fits."""


def samples(run: Run, diagnosis: Diagnosis) -> None:
    """Draw the samples of the chosen step, else of the one where it broke; a reader's choices draw only them again."""
    if not run.samples.steps:
        st.caption(_("No samples yet.") if is_live(run) else _("The run logged no samples."))
        return
    fragment(_draw)(run, diagnosis)


def _draw(run: Run, diagnosis: Diagnosis) -> None:
    if state.section() != "samples":  # a click in here led elsewhere
        st.rerun(scope="app")
    choice = _choice(run)
    data = {
        **asdict(_section(run, diagnosis, choice)),
        "choice": asdict(choice),
        "orders": order_words(),
        "words": sample_words(),
        "may_follow_newest": is_live(run),
        "keys": handled(SAMPLES),
    }
    component("samples", data, partial(_go, run))


def _section(run: Run, diagnosis: Diagnosis, choice: Choice) -> Section:
    current = step_in_view(diagnosis, run.samples.steps, choice)
    steps = searched_steps(run, current)
    if choice.followed is not None and (answers := answers_to(run, choice.followed, steps)):
        return followed_section(diagnosis, run, choice, answers)
    known: dict[str, dict[int, frozenset[str]]] = st.session_state.setdefault(_KNOWN, {})
    return section(diagnosis, run, choice, repeated_queries(run, steps, known.setdefault(run.run_id, {})))


def _choice(run: Run) -> Choice:
    """What the address says, and how many rows were asked for."""
    order = state.in_address(state.ORDER)
    return Choice(
        step=state.chosen_step(),
        is_newest=state.follows_newest(),
        row=state.chosen_sample(),
        order=next((name for name in ORDERS if name == order), ORDERS[0]),
        find=state.in_address(state.FIND)[:_LONGEST_FIND],
        only_cut=state.in_address(state.CUT) == _YES,
        split=state.in_address(state.SPLIT),
        most_rows=st.session_state.get(f"{_MOST_ROWS}.{run.run_id}", Choice().most_rows),
        compared_with=state.number_in_address(state.AGAINST),
        followed=_followed(run),
    )


def _followed(run: Run) -> str | None:
    """The prompt that is followed: the address names one of its samples, by step and row."""
    step, row = (state.number_of(text) for text in state.in_address(state.PROMPT).partition(_PLACE)[::2])
    return None if step is None or row is None or step not in run.samples.steps else _query(run, step, row)


def _choose(run: Run, name: str, value: Any) -> None:
    if name == "most_rows":
        st.session_state[f"{_MOST_ROWS}.{run.run_id}"] = value
    else:
        usual = getattr(Choice(), name)
        words = "" if value == usual else _YES if value is True else str(value)
        state.write_into_address(_ADDRESSED[name], words[:_LONGEST_FIND])


def _go(run: Run, wish: Mapping[str, Any]) -> None:
    """Do what was clicked or typed."""
    match wish:
        case {"to": "step", "step": int(step)}:
            state.choose_step(step)
        case {"to": "newest"}:
            state.follow_newest()
        case {"to": "onset"}:
            state.choose_step(None)
        case {"to": "sample", "step": int(step), "row": int(row)}:
            state.choose_sample(step, row)
        case {"to": "choice", "name": str(name), "value": value} if name in _FITS and _FITS[name](value):
            _choose(run, name, value)
        case {"to": "follow", "step": int(step), "row": int(row)}:
            state.write_into_address(state.PROMPT, f"{step}{_PLACE}{row}")
        case {"to": "rule", "name": str(name)}:
            state.choose_rule(name)
            state.choose_section("checks")


def _query(run: Run, step: int, row: int) -> str | None:
    samples = run.samples.at(step)
    return samples[row].query if 0 <= row < len(samples) else None
