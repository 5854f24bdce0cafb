"""Parts of the page that Streamlit has no element for: a script and a style sheet beside this file, and their data.

The scripts make text nodes of whatever they are given, never HTML.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from app.assets import asset
from app.languages import speak

_GO = "go"  # what the scripts call what a reader clicks


def component(name: str, data: Mapping[str, Any], go: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw data with `name.js` and `name.css`; `go` gets what is clicked, before the page runs again."""
    key = f"component.{name}"
    mount = st.components.v2.component(
        f"rlvitals_{name}",
        js=asset("charts/scripts/filled.js") + asset("widgets/dom.js") + asset(f"widgets/{name}.js"),
        css=asset(f"widgets/{name}.css"),
        isolate_styles=False,  # the theme's colours reach it, and one style sheet serves every place of it
    )
    mount(key=key, data=data, on_go_change=lambda: _went(key, go))


def _went(key: str, go: Callable[[Mapping[str, Any]], None]) -> None:
    speak()  # what the click brings about may be put into words
    clicked = st.session_state[key].get(_GO)
    if clicked is not None:
        go(clicked)
