"""The dashboard's entry: the frame and its pages."""

from functools import partial
from pathlib import Path
from typing import NoReturn

import streamlit as st

from app import state
from app.views import compare, launch, learn, run, runs
from app.widgets.markdown import escaped
from diagnostics.foreign_files import confine_to


def _runs() -> None:
    runs.render(state.folders, _open_run, _open_launch)


def _run() -> None:
    run.render(state.selected_run(), state.is_read_only(), _COMPARE)


def _compare() -> None:
    compare.render()


def _launch() -> None:
    launch.render(state.folders()[0], _open_run, state.is_read_only())


def _learn() -> None:
    learn.render(state.chosen_entry(), _link_entry, partial(st.page_link, _LEARN, label="Learn"), _link_run)


_RUNS = st.Page(_runs, title="Runs", url_path="runs", default=True)
_RUN = st.Page(_run, title="Run", url_path="run", visibility="hidden")
_COMPARE = st.Page(_compare, title="Compare", url_path="compare", visibility="hidden")
_LAUNCH = st.Page(_launch, title="Launch", url_path="launch")
_LEARN = st.Page(_learn, title="Learn", url_path="learn")


def _open_run(path: Path) -> NoReturn:
    st.switch_page(_RUN, query_params={state.RUN: str(path)})


def _open_launch() -> NoReturn:
    st.switch_page(_LAUNCH)


def _link_entry(label: str, name: str) -> None:
    st.page_link(_LEARN, label=escaped(label), query_params={state.ENTRY: name})


def _link_run(label: str, path: str) -> None:
    st.page_link(_RUN, label=escaped(label), query_params={state.RUN: path})


confine_to(state.folders)
st.set_page_config(page_title="rlvitals", layout="wide", initial_sidebar_state="collapsed")
st.navigation([_RUNS, _RUN, _COMPARE, _LAUNCH, _LEARN], position="top").run()
