"""A sentence that says why something was not done, or cannot be shown."""

import streamlit as st

from app.widgets.markdown import escaped


def refusal_line(sentence: str) -> None:
    """Draw it."""
    st.caption(f":orange[{escaped(sentence)}]")
