"""The state of a page: the run and the step in its address, and what the environment allows."""

import os
from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.boundary import Boundary
from app.theme import DARK, LIGHT, Palette
from diagnostics.foreign_files.folders import resolved
from diagnostics.runlog.parent import SAMPLE_RUNS

RUN, STEP = "run", "step"
_MOST_DIGITS = 18  # of a step, which is an int64
_PATHS, _READ_ONLY = "RLVITALS_PATHS", "RLVITALS_READ_ONLY"


def folders() -> tuple[Path, ...]:
    """The folders to show: those of RLVITALS_PATHS, else ./runs and the sample runs beside the app."""
    named = tuple(Path(part) for part in os.environ.get(_PATHS, "").split(os.pathsep) if part)
    return named or (Path("runs"), SAMPLE_RUNS)


def add_folder(path: Path) -> None:
    """Also show the runs of another folder, in every session, until the dashboard ends."""
    shown = dict.fromkeys((*folders(), path))
    os.environ[_PATHS] = os.pathsep.join(map(str, shown))


def boundary() -> Boundary:
    """What may be opened: what really lies in the folders shown."""
    return Boundary.around(folders())


def show_new_run(path: Path) -> None:
    """Also show a run that was started from here, where the folders shown do not hold it: beside a single run, say."""
    if not boundary().holds(path):
        add_folder(path)


def is_read_only() -> bool:
    """Whether trainings may not be started or stopped from here."""
    return os.environ.get(_READ_ONLY) == "1"


def is_sample(path: Path) -> bool:
    """Whether a run is one of the sample runs that ship with rlvitals."""
    return SAMPLE_RUNS.name in resolved(path).parts


def selected_run() -> str | None:
    """The path of the run in the address."""
    return st.query_params.get(RUN)


def open_run(path: Path) -> None:
    """Write another run into the address of the Run page; its newest step is shown."""
    choose_step(None)
    st.query_params[RUN] = str(path)


def chosen_step() -> int | None:
    """The step in the address; None for the newest."""
    text = st.query_params.get(STEP, "")
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def choose_step(step: int | None) -> None:
    """Write a step into the address; None follows the newest again."""
    if step is None:
        st.query_params.pop(STEP, None)
    else:
        st.query_params[STEP] = str(step)


def page_has_gone() -> Callable[[], bool]:
    """Whether the page that is drawn now has been closed since; may be asked from any thread."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():  # not in a server
        return lambda: False
    server, session = runtime.get_instance(), context.session_id
    return lambda: not server.is_active_session(session)


def palette() -> Palette:
    """The colours of the theme that the browser shows."""
    return DARK if st.context.theme.type == "dark" else LIGHT
