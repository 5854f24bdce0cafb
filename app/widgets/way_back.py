"""The way back to the list of runs, before the title of a page."""

from collections.abc import Callable

import streamlit as st

LinkHome = Callable[[], None]
"""Draws a link to the list of runs, filtered and sorted as it was."""


def way_back(link_home: LinkHome | None) -> None:
    """Draw the link and what separates it from the title; nothing where there is no list to go back to."""
    if link_home is not None:
        link_home()
        st.caption("/", width="content")
