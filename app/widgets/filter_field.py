"""The field above the list of runs, which filters while one types."""

from collections.abc import Callable

import streamlit as st

from app.assets import asset

_NAME = "rlvitals_filter_field"
_SCRIPT, _STYLE = asset("widgets/filter_field.js"), asset("widgets/filter_field.css")
_WORDS = {
    "label": "Filter",
    "example": "verdict:critical learning_rate>1e-4 cause:kl",
    "fields": "name, state, verdict, cause, tag, any setting",
}


def filter_field(text: str, on_change: Callable[[str], None], key: str, width: int) -> None:
    """Draw the field with a text in it; `on_change` gets another one soon after it was typed."""

    def typed() -> None:
        if isinstance(words := st.session_state[key].text, str):
            on_change(words)

    component = st.components.v2.component(_NAME, js=_SCRIPT, css=_STYLE, isolate_styles=False)
    component(key=key, data={"text": text, "words": _WORDS}, on_text_change=typed, width=width)
