"""The language of a page: of its address, else of its session so far, else as chosen before, else the browser's."""

from collections.abc import Callable
from functools import wraps
from html import escape
from typing import ParamSpec

import streamlit as st

from app.asked_language import LANGUAGE, PREFERENCE, switching_query, with_language
from diagnostics.language import LANGUAGES, current_language, known_language, language, language_tag, set_language

_CHOSEN = "language.chosen"  # of the page's session: what an address of it named, or the cookie before there was one

Parameters = ParamSpec("Parameters")


def speak() -> None:
    """Speak the language of the page from here on; at the start of a script, and of a callback that words something.

    A choice goes from page to page: it is written into the address of each.
    """
    if (named := st.query_params.get(LANGUAGE)) in LANGUAGES:
        st.session_state[_CHOSEN] = named
    elif _CHOSEN not in st.session_state and (preferred := st.context.cookies.get(PREFERENCE)) in LANGUAGES:
        st.session_state[_CHOSEN] = preferred
    chosen = st.session_state.get(_CHOSEN)
    if chosen is not None and named != chosen:
        st.query_params[LANGUAGE] = chosen
    set_language(known_language(chosen, st.context.locale))


def fragment(draw: Callable[Parameters, None], run_every: float | None = None) -> Callable[Parameters, None]:
    """A part of a page that is drawn again by itself, in the language of its page: in a thread of its own."""
    code = current_language()

    @wraps(draw)
    def speaking(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        with language(code):
            draw(*args, **kwargs)

    return st.fragment(speaking, run_every=run_every)


def in_chosen_language(address: str) -> str:
    """A relative address with the language that was chosen, for what the browser opens by itself."""
    chosen = st.session_state.get(_CHOSEN)
    return address if chosen is None else with_language(address, chosen)


def chosen_parameters() -> dict[str, str]:
    """What a link to another page carries in its address, so that it opens in the chosen language in a new tab, too."""
    chosen = st.session_state.get(_CHOSEN)
    return {} if chosen is None else {LANGUAGE: chosen}


def language_switch() -> None:
    """Draw the languages at the foot of the page.

    Another one is kept for this browser, and loads the page anew: its widgets keep no old words.
    """
    links = (_link(code, name) for code, name in LANGUAGES.items())
    with st.container(key="languages"):
        st.html(" · ".join(links))


def _link(code: str, name: str) -> str:
    if code == current_language():
        return f'<span aria-current="true" lang="{language_tag()}">{name}</span>'
    shown = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    with language(code):
        tag = language_tag()
    address = escape(f"?{switching_query(shown, code)}")
    return f'<a href="{address}" target="_self" lang="{tag}" hreflang="{tag}">{name}</a>'
