"""Opens logs from elsewhere on this machine, from the list of runs."""

import os
import threading
from contextlib import suppress
from pathlib import Path

import streamlit as st

from app import state
from app.widgets.markdown import escaped
from diagnostics.api import LiveRun, RunRef, UnreadableRun, find_runs
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.wording.values import counted

_FIELD, _ANSWER = "open_logs.path", "open_logs.answer"
_EXPLANATION = "The runs in it join the list until the dashboard ends."
_PATIENCE = 20.0  # seconds
_CLOUD = "wandb://"


def open_logs() -> None:
    """Draw the button and its popover: a path, and below it what was found there."""
    with st.popover("Open my logs"):
        st.text_input(
            "Folder or file on this machine",
            key=_FIELD,
            placeholder="~/experiments",
            on_change=_open,
            width=420,
            help="A run, or a folder that holds runs: TensorBoard, W&B, trackio, TRL, verl, OpenRLHF, printed logs …",
        )
        is_found, answer = st.session_state.get(_ANSWER, (True, _EXPLANATION))
        st.caption(escaped(answer) if is_found else f":orange[{escaped(answer)}]")


def _open() -> None:
    words = st.session_state[_FIELD].strip()
    if words and not state.is_read_only():
        st.session_state[_ANSWER] = _open_logs(words)


def _open_logs(words: str) -> tuple[bool, str]:
    """Add the runs found there to the list; whether there were any, and the answer to show."""
    if words.startswith(_CLOUD):
        return False, f"A run of the cloud is fetched first: rlvitals import {words} --to FOLDER"
    try:
        path = Path(words).expanduser().absolute()
    except RuntimeError:
        return False, f"{words} names a user whom this machine does not know."
    if os.pathsep in str(path):
        return False, f"{path} holds a {os.pathsep!r}, which stands between paths; give it another name or a link."
    found = _search(path)
    if found is None:
        return False, f"{path} holds too much to be searched in {_PATIENCE:.0f} s; name a folder nearer to the runs."
    if not found:
        try:
            LiveRun(path)  # says why there is none
        except UnreadableRun as error:
            return False, error.sentence
    state.add_folder(path)
    return True, f"{counted(len(found), 'run')} in {path}: in the list now."


def _search(path: Path) -> list[RunRef] | None:
    """The runs there; None if the search takes too long, as from the root of the file system."""
    found: list[list[RunRef]] = []
    given_up = threading.Event()

    def search() -> None:
        with suppress(Cancelled), cancelled_when(given_up.is_set):
            found.append(find_runs(path))

    thread = threading.Thread(target=search, name=f"search of {path}", daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    given_up.set()
    return found[0] if found else None
