"""The samples of a run: the completions of one step, or the answers to one prompt over the steps.

Model output is shown as text and never rendered as Markdown or HTML.
"""

from collections.abc import Mapping, Sequence

import streamlit as st

from app import state
from app.load.runs import is_live
from app.widgets.followed_prompt import followed_prompt
from app.widgets.markdown import escaped
from app.widgets.sample_table import ORDERS, Order, filtered_and_sorted, group_samples, sample_frame
from app.widgets.sample_text import sample_text
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.visible_text import visible

Tables = Mapping[str, Sequence[Sample]]
"""The rows of each table of the page, by the table's key."""

_GROUPED_ALGORITHMS = ("grpo", "rloo")
_GROUPS_A_PAGE = 8
_MOST_ROWS, _MOST_HEIGHT, _ROW_HEIGHT = 16, 520, 30  # rows, pixels, pixels
_ORDER, _CUT, _FIND, _PAGE, _PICKED = (f"samples.{name}" for name in ("order", "cut", "find", "page", "picked"))
_COLUMNS = {
    "query": st.column_config.TextColumn(width=120),
    "model response": st.column_config.TextColumn(width=300),
}
_VIEW, _SPLIT = "samples.view", "samples.split"
_ONE_STEP, _ONE_PROMPT = "One step", "Follow one prompt"
_SPLITS = {"train": "of training", "eval": "held out"}
_NEWEST = -1  # in the list of steps: follow the newest


def samples(run: Run) -> None:
    """Draw the samples of one step or, where the run followed some prompts, the answers to one of them if asked for."""
    if not run.samples.steps:
        st.caption("No samples yet." if is_live(run) else "The run logged no samples.")
        return
    view = _ONE_STEP
    if run.samples.followed_steps:
        view = st.segmented_control(
            "View", (_ONE_STEP, _ONE_PROMPT), default=_ONE_STEP, required=True, key=_VIEW, label_visibility="collapsed"
        )
    if view == _ONE_PROMPT:
        followed_prompt(run)
    else:
        _one_step(run)


def _one_step(run: Run) -> None:
    """Draw the samples of the chosen step, else of the newest."""
    step = _choose_step(run.samples.steps)
    rows = _choose_split(run.samples.at(step))
    found = _choose_rows(rows)
    st.caption(f"Step {step}: {len(found)} of {len(rows)} samples, {len(run.samples.steps)} steps with samples.")
    if not found:
        st.caption("No sample of this step matches.")
        return
    table, text = st.columns([3, 2], gap="medium")
    with table:
        tables = _groups(found) if run.algorithm in _GROUPED_ALGORITHMS else _one_table(found)
    with text:
        sample_text(_clicked_sample(tables))


def _choose_step(steps: Sequence[int]) -> int:
    """The step in the address or the nearest one before it with samples; the newest if there is none."""
    chosen = state.chosen_step()
    current = max((step for step in steps if chosen is None or step <= chosen), default=steps[0])
    index = steps.index(current)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _step_button("◀", "The step before", steps[max(index - 1, 0)], current)
        _step_list(steps, _NEWEST if chosen is None else current)
        _step_button("▶", "The step after", steps[min(index + 1, len(steps) - 1)], current)
        _choosers()
    return current


def _step_button(sign: str, words: str, target: int, current: int) -> None:
    is_at_the_end = target == current
    st.button(
        sign, key=f"samples.{sign}", help=words, disabled=is_at_the_end, on_click=state.choose_step, args=(target,)
    )


def _step_list(steps: Sequence[int], shown: int) -> None:
    """The list of steps. Its key contains the shown step, so that a pending poll cannot restore an earlier choice."""
    key = f"samples.step.{shown}"
    options = [_NEWEST, *steps]
    st.selectbox(
        "Step",
        options,
        index=options.index(shown),
        # A label that changed with the run would come back from the browser as a choice that nobody made.
        format_func=lambda step: "newest" if step == _NEWEST else str(step),
        key=key,
        on_change=_take_step,
        args=(key,),
        width=150,
    )


def _take_step(key: str) -> None:
    step: int = st.session_state[key]
    state.choose_step(None if step == _NEWEST else step)


def _choosers() -> None:
    st.selectbox("Sort by", ORDERS, key=_ORDER, width=160)
    st.text_input("Find", key=_FIND, placeholder="text in query or response", width=220)
    st.checkbox("Only cut off", key=_CUT)


def _choose_split(rows: Sequence[Sample]) -> Sequence[Sample]:
    """The samples of training or the held-out ones, where the step has both."""
    found = [split for split in _SPLITS if any(sample.split == split for sample in rows)]
    if len(found) < 2:
        return rows
    chosen = st.segmented_control(
        "Prompts", found, format_func=_SPLITS.__getitem__, default=found[0], required=True, key=_SPLIT
    )
    return [sample for sample in rows if sample.split == chosen]


def _choose_rows(rows: Sequence[Sample]) -> list[Sample]:
    order: Order = st.session_state[_ORDER]
    return filtered_and_sorted(rows, order, st.session_state[_FIND], st.session_state[_CUT])


def _one_table(found: Sequence[Sample]) -> Tables:
    key = "samples.table"
    _table(found, key, with_query=True)
    return {key: found}


def _groups(found: Sequence[Sample]) -> Tables:
    """One table for each prompt, a page of prompts at a time."""
    groups = group_samples(found)
    pages = range(1, -(-len(groups) // _GROUPS_A_PAGE) + 1)
    page = st.selectbox("Page of prompts", pages, key=_PAGE, width=120) if len(pages) > 1 else 1
    first = (page - 1) * _GROUPS_A_PAGE
    tables: dict[str, Sequence[Sample]] = {}
    for index, group in enumerate(groups[first : first + _GROUPS_A_PAGE]):
        key = f"samples.group.{index}"
        tables[key] = group.samples
        with st.container(gap="xsmall"):
            st.text(visible(group.query))
            st.caption(escaped(group.summary))
            _table(group.samples, key, with_query=False)
    return tables


def _table(rows: Sequence[Sample], key: str, with_query: bool) -> None:
    """A table whose key does not name the step, so that stepping through the run keeps its scroll position."""
    st.dataframe(
        sample_frame(rows, with_query),
        hide_index=True,
        key=key,
        on_select=lambda: _remember_clicked(key),
        selection_mode="single-cell",
        height="content" if len(rows) <= _MOST_ROWS else _MOST_HEIGHT,
        row_height=_ROW_HEIGHT,
        column_config=_COLUMNS if with_query else {"model response": st.column_config.TextColumn(width="large")},
    )


def _remember_clicked(key: str) -> None:
    """Remember the row that was clicked last, in any table."""
    for row, _ in st.session_state[key].selection.cells:
        st.session_state[_PICKED] = key, row


def _clicked_sample(tables: Tables) -> Sample:
    """The sample in the row clicked last, if it still exists; else the first."""
    key, row = st.session_state.get(_PICKED, ("", 0))
    rows = tables.get(key, ())
    return rows[row] if row < len(rows) else next(iter(tables.values()))[0]
