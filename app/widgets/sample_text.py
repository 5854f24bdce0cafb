"""The full text of one sample; model output is never rendered as Markdown or HTML."""

import streamlit as st

from app.widgets.markdown import escaped
from app.widgets.sample_table import sample_facts
from diagnostics.model.samples import Sample
from diagnostics.visible_text import visible


def sample_text(sample: Sample) -> None:
    """Draw the facts about a sample, its query and its response."""
    st.caption(escaped(sample_facts(sample)))
    st.text("Query")
    st.code(visible(sample.query), language=None, wrap_lines=True)
    st.text("Model response, cut off at the limit" if sample.terminated is False else "Model response")
    st.code(visible(sample.response), language=None, wrap_lines=True)
