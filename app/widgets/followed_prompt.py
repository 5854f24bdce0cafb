"""One prompt followed through the training: the policy's answers to it, step by step."""

import streamlit as st

from app.widgets.sample_table import sample_frame
from app.widgets.sample_text import sample_text
from diagnostics.model.messages import shortened
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.visible_text import one_line

_QUERY, _TABLE = "followed.query", "followed.table"
_ROW_HEIGHT = 30  # pixels
_LONGEST_LABEL = 80  # characters of a prompt in the list


def followed_prompt(run: Run) -> None:
    """Draw the answers to the chosen one of the followed prompts, the earliest step first."""
    answers = [sample for step in run.samples.followed_steps for sample in run.samples.at(step) if sample.followed]
    queries = list(dict.fromkeys(sample.query for sample in answers))
    if not queries:
        st.caption("The run followed no prompt.")
        return
    query = st.selectbox("Prompt", queries, key=_QUERY, format_func=_label)
    rows = [sample for sample in answers if sample.query == query]
    st.caption(f"Answered at {len(rows)} steps, always with the same random numbers; what differs is the policy.")
    table, text = st.columns([3, 2], gap="medium")
    with table:
        chosen = _table(rows)
    with text:
        sample_text(chosen)


def _table(rows: list[Sample]) -> Sample:
    """One row a step; the sample of the row clicked last, else of the newest."""
    cells = sample_frame(rows, with_query=False)
    cells.insert(0, "step", [sample.step for sample in rows])
    event = st.dataframe(
        cells,
        hide_index=True,
        key=_TABLE,
        on_select="rerun",
        selection_mode="single-cell",
        height="content",
        row_height=_ROW_HEIGHT,
        column_config={"model response": st.column_config.TextColumn(width="large")},
    )
    clicked = [row for row, _ in event["selection"]["cells"] if row < len(rows)]
    return rows[clicked[0]] if clicked else rows[-1]


def _label(query: str) -> str:
    return one_line(shortened(query, _LONGEST_LABEL))
