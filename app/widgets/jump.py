"""The field at the top of every page that jumps to a run, a chart, an entry of Learn or a page; the list of keys."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app import state
from app.asked_language import in_current_language
from app.jump.routes import JUMP
from app.jump.targets import CHART, ENTRY, PAGE, RUN
from app.keys import EVERYWHERE, Key, handled, listed
from app.widgets.component import component
from diagnostics.language import _
from diagnostics.visible_text import one_line

_WISH = "jump.wish"
_SECTIONS = ("charts", "metrics")
_WAYS = (RUN, ENTRY, PAGE)


def jump(run: str | None, keys: Sequence[Key], gestures: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """Draw the field; the way and the target of a jump that was asked for, if it leads to another page.

    Args:
        run: The path of the run in view, which joins those opened lately.
        keys: Those of the page in view.
        gestures: What the mouse does on it.
    """
    with st.container(key="jump"):
        data = {
            "endpoint": in_current_language(JUMP),
            "run": run,
            "opened": _opened(run),
            "handled": handled(EVERYWHERE),
            "everywhere": listed(EVERYWHERE),
            "keys": listed(keys),
            "gestures": [{"keys": [_(gesture)], "words": _(words)} for gesture, words in gestures],
            "words": _words(),
        }
        component("jump", data, _go)
    wish: tuple[str, str] | None = st.session_state.pop(_WISH, None)
    return wish


def _words() -> Mapping[str, str]:
    return {
        "field": _("Run, metric or rule"),
        "nothing": _("Nothing is called so."),
        "recent": _("opened lately"),
        "failed": _("The dashboard does not answer."),
        "keys": _("Keys"),
        "everywhere": _("Everywhere"),
        "here": _("On this page"),
        "mouse": _("Over a chart"),
        "close": _("Close"),
    }


def _opened(run: str | None) -> Mapping[str, str] | None:
    if run is None:
        return None
    name, _slash, end = run.rstrip("/").rpartition("/")
    return {"name": one_line(end), "about": one_line(name), "where": state.query_of(run)}


def _go(wish: Mapping[str, Any]) -> None:
    match wish:
        case {"way": str(way), "where": str(where)} if way in _WAYS:
            st.session_state[_WISH] = (way, where)
        case {"way": str(way), "where": str(where)} if way == CHART and where.partition(" ")[0] in _SECTIONS:
            state.write_into_address(state.METRIC, "")
            state.choose_section(where.partition(" ")[0])
