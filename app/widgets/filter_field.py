"""The field above the list of runs, which filters while one types."""

from collections.abc import Callable

import streamlit as st

from app.assets import asset
from diagnostics.language import _

_NAME = "rlvitals_filter_field"
_SCRIPT = asset("widgets/dom.js") + asset("widgets/filter_field.js")
_STYLE = asset("widgets/filter_field.css")
_EXAMPLE = "verdict:critical learning_rate>1e-4 cause:kl"  # in the language of the filter, which is one for all


def filter_field(text: str, on_change: Callable[[str], None], key: str, width: int) -> None:
    """Draw the field with a text in it; `on_change` gets another one soon after it was typed."""

    def typed() -> None:
        if isinstance(text := st.session_state[key].text, str):
            on_change(text)

    component = st.components.v2.component(_NAME, js=_SCRIPT, css=_STYLE, isolate_styles=False)
    words = {"label": _("Filter"), "example": _EXAMPLE, "fields": _("name, state, verdict, cause, tag, any setting")}
    component(key=key, data={"text": text, "words": words}, on_text_change=typed, width=width)
