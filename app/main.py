"""The dashboard's entry: the frame and its pages."""

from pathlib import Path
from typing import NoReturn

import streamlit as st

from app import state
from app.addresses import UNKNOWN
from app.jump.targets import ENTRY, RUN
from app.keys import CHART_GESTURES, RUNS, SAMPLES, Key
from app.languages import chosen_parameters, language_switch, speak
from app.views import compare, launch, learn, run, runs
from app.widgets.jump import jump
from app.widgets.markdown import escaped
from app.widgets.theme import themed
from diagnostics.foreign_files import confine_to
from diagnostics.language import _

_NAME = "rlvitals"
_TEXT_SECTIONS = frozenset({"samples", "checks", "config", "console"})


def _runs() -> None:
    _title(_("Runs"))
    if page := state.in_address(UNKNOWN):
        st.info(_("There is no page at {address}; these are the runs.").format(address=escaped(page)))
        state.write_into_address(UNKNOWN, "")
    runs.render(state.folders, _open_run, _open_launch)


def _run() -> None:
    run.render(state.selected_run(), state.is_read_only(), _COMPARE, _link_home)


def _compare() -> None:
    _title(_("Compare"))
    compare.render(_link_home)


def _launch() -> None:
    _title(_("Launch"))
    launch.render(state.folder_of_new_runs(), _open_run, state.is_read_only())


def _learn() -> None:
    entry = state.chosen_entry()
    _title(entry or _("Learn"))
    learn.render(entry, _link_entry, _link_learn, _link_run)


speak()
_RUNS = st.Page(_runs, title=_("Runs"), url_path="runs", default=True)
_RUN = st.Page(_run, title=_("Run"), url_path="run", visibility="hidden")
_COMPARE = st.Page(_compare, title=_("Compare"), url_path="compare", visibility="hidden")
_LAUNCH = st.Page(_launch, title=_("Launch"), url_path="launch")
_LEARN = st.Page(_learn, title=_("Learn"), url_path="learn")
_OTHERS = {page.url_path: page for page in (_RUNS, _LAUNCH, _LEARN)}


def _title(words: str) -> None:
    st.set_page_config(page_title=f"{words} · {_NAME}")


def _open_run(path: Path) -> NoReturn:
    st.switch_page(_RUN, query_params={state.RUN: str(path)})


def _open_launch() -> NoReturn:
    st.switch_page(_LAUNCH)


def _link_home() -> None:
    st.page_link(_RUNS, label=_("Runs"), query_params={**state.list_parameters(), **chosen_parameters()})


def _link_learn() -> None:
    st.page_link(_LEARN, label=_("Learn"), query_params=chosen_parameters())


def _link_entry(label: str, name: str) -> None:
    st.page_link(_LEARN, label=escaped(label), query_params={state.ENTRY: name, **chosen_parameters()})


def _link_run(label: str, path: str) -> None:
    st.page_link(_RUN, label=escaped(label), query_params={state.RUN: path, **chosen_parameters()})


def _frame(page: st.Page) -> None:
    """What every page has: its look and the jump, which may lead to another page."""
    themed()
    wish = jump(state.selected_run() if page == _RUN else None, _keys(page), _gestures(page))
    match wish:
        case (way, where) if way == RUN:
            if (path := state.run_of_query(where)) is not None:
                _open_run(path)
        case (way, name) if way == ENTRY:
            st.switch_page(_LEARN, query_params={state.ENTRY: name})
        case (_, name) if name in _OTHERS:
            st.switch_page(_OTHERS[name])


def _keys(page: st.Page) -> tuple[Key, ...]:
    if page == _RUNS:
        return RUNS
    return SAMPLES if page == _RUN and state.section() == "samples" else ()


def _gestures(page: st.Page) -> tuple[tuple[str, str], ...]:
    has_charts = page == _COMPARE or (page == _RUN and state.section() not in _TEXT_SECTIONS)
    return CHART_GESTURES if has_charts else ()


confine_to(state.folders)
st.set_page_config(page_title=_NAME, layout="wide", initial_sidebar_state="collapsed")
_page = st.navigation([_RUNS, _RUN, _COMPARE, _LAUNCH, _LEARN], position="top")
state.forget_other_pages(_page.url_path)
_frame(_page)
_page.run()
language_switch()
