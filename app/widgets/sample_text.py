"""The full text of one sample; model output is never rendered as Markdown or HTML."""

from collections.abc import Iterator

import streamlit as st

from app.widgets.markdown import escaped
from app.widgets.sample_table import end_of
from diagnostics.model.messages import format_value
from diagnostics.model.samples import Sample
from diagnostics.visible_text import visible
from diagnostics.wording.values import optional_value


def sample_text(sample: Sample) -> None:
    """Draw the facts about a sample, its query and its response."""
    st.caption(escaped(" · ".join(_facts(sample))))
    st.text("Query")
    st.code(visible(sample.query), language=None, wrap_lines=True)
    st.text("Model response, cut off at the limit" if sample.terminated is False else "Model response")
    st.code(visible(sample.response), language=None, wrap_lines=True)


def _facts(sample: Sample) -> Iterator[str]:
    """Everything about a sample but its texts."""
    yield f"step {sample.step}"
    yield f"score {optional_value(sample.score) or 'not logged'}"
    yield from (f"{name} {format_value(value)}" for name, value in sample.rewards.items())
    if sample.advantage is not None:
        yield f"advantage {format_value(sample.advantage)}"
    if sample.length is not None:
        yield f"{sample.length} tokens"
    if end := end_of(sample):
        yield end
