"""The dashboard's entry: the frame and its three pages."""

from pathlib import Path
from typing import NoReturn

import streamlit as st

from app import state
from app.views import launch, run, runs
from diagnostics.foreign_files import confine_to


def _runs() -> None:
    runs.render(state.folders(), _open_run, _open_launch)


def _run() -> None:
    run.render(state.selected_run(), state.is_read_only())


def _launch() -> None:
    launch.render(state.folders()[0], _open_run, state.is_read_only())


_RUNS = st.Page(_runs, title="Runs", url_path="runs", default=True)
_RUN = st.Page(_run, title="Run", url_path="run", visibility="hidden")
_LAUNCH = st.Page(_launch, title="Launch", url_path="launch")


def _open_run(path: Path) -> NoReturn:
    st.switch_page(_RUN, query_params={state.RUN: str(path)})


def _open_launch() -> NoReturn:
    st.switch_page(_LAUNCH)


confine_to(state.folders)
st.set_page_config(page_title="rlvitals", layout="wide", initial_sidebar_state="collapsed")
st.navigation([_RUNS, _RUN, _LAUNCH], position="top").run()
