"""The page's colours are those of the browser's theme, also when that changes while the page is open."""

import streamlit as st

from app import state
from app.theme import style
from app.widgets.component import component


def themed() -> None:
    """Give the page its colours; those of another theme come with the rerun that its script asks for."""
    st.html(style(state.palette()))
    with st.container(key="theme"):
        component("theme", {"isDark": state.is_dark()}, lambda wish: None)
