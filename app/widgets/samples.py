"""The samples of a run: the completions of one step, or the answers to one prompt over the steps."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import streamlit as st

from app import state
from app.load.runs import is_live
from app.widgets.component import component
from app.widgets.followed_prompt import answers_to, repeated_queries, searched_steps
from app.widgets.sample_table import ORDERS
from app.widgets.sample_view import Choice, Section, followed_section, section, step_in_view
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run

_CHOICE, _KNOWN = "samples.choice", "samples.known"
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
        st.caption("No samples yet." if is_live(run) else "The run logged no samples.")
        return
    st.fragment(_draw)(run, diagnosis)


def _draw(run: Run, diagnosis: Diagnosis) -> None:
    if state.section() != "samples":  # a click in here led elsewhere
        st.rerun(scope="app")
    choice = _choice(run)
    data = {
        **asdict(_section(run, diagnosis, choice)),
        "choice": asdict(choice),
        "orders": ORDERS,
        "may_follow_newest": is_live(run),
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
    """What the address says, and what the reader chose otherwise."""
    kept: Choice = st.session_state.get(f"{_CHOICE}.{run.run_id}", Choice())
    return replace(kept, step=state.chosen_step(), is_newest=state.follows_newest(), row=state.chosen_sample())


def _choose(run: Run, **changes: Any) -> None:
    st.session_state[f"{_CHOICE}.{run.run_id}"] = replace(_choice(run), **changes)


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
            _choose(run, **{name: value})
        case {"to": "follow", "step": int(step), "row": int(row)}:
            _choose(run, followed=_query(run, step, row))
        case {"to": "rule", "name": str(name)}:
            state.choose_rule(name)
            state.choose_section("checks")


def _query(run: Run, step: int, row: int) -> str | None:
    samples = run.samples.at(step)
    return samples[row].query if 0 <= row < len(samples) else None
