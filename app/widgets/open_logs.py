"""Opens logs from elsewhere, from the list of runs: a path on this machine, or files that are dropped."""

import os
import re
import shlex
import shutil
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

import streamlit as st

from app import state
from app.file_names import file_name_of
from app.languages import speak
from app.widgets.markdown import escaped
from diagnostics.addresses import is_address
from diagnostics.api import LiveRun, RunRef, UnreadableRun, find_runs
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.foreign_files.archives import UploadRefused, store
from diagnostics.language import N_, _, ngettext
from diagnostics.user_data import user_data_folder
from diagnostics.visible_text import one_line

_FIELD, _DROPPED, _ANSWER = "open_logs.path", "open_logs.files", "open_logs.answer"
_ROUND = "open_logs.round"  # counts how often files were taken, so that the field is empty afterwards
_EXPLANATION = N_("The runs in it join the list until the dashboard ends.")
_PATIENCE = 20.0  # seconds
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_MOST_MEGABYTES = 200  # of one file that is dropped, as it comes
_UPLOADS = "uploads"  # in the user's data folder
_LONGEST_NAME = 60  # characters
_MOST_LINKS = 3  # to runs that were found; all of them are in the list


class Answer(NamedTuple):
    """Whether there were runs, what is said of that, and which ones."""

    is_found: bool
    words: str
    runs: Sequence[Path] = ()


def open_logs(chosen: str) -> None:
    """Draw the button and its popover: a path, or files, and below them what was found there.

    Args:
        chosen: The key of the session under which the run that its user wants to see is left.
    """
    with st.popover(_("Open my logs")):
        st.text_input(
            _("Folder or file on this machine"),
            key=_FIELD,
            placeholder="~/experiments",
            on_change=_open,
            width=420,
            help=_(
                "A run, or a folder that holds runs: TensorBoard, W&B, trackio, TRL, verl, OpenRLHF, printed logs …"
            ),
        )
        _files_field()
        answer = st.session_state.get(_ANSWER, Answer(True, _(_EXPLANATION)))
        st.caption(escaped(answer.words) if answer.is_found else f":orange[{escaped(answer.words)}]")
        for number, run in enumerate(answer.runs[:_MOST_LINKS]):
            words = escaped(_("Open {run}").format(run=one_line(run.name)))
            st.button(words, key=f"open_logs.run.{number}", type="tertiary", on_click=_choose, args=(chosen, run))


def _choose(key: str, run: Path) -> None:
    st.session_state[key] = run


def _files_field() -> None:
    key = f"{_DROPPED}.{st.session_state.get(_ROUND, 0)}"
    with st.form(_DROPPED, border=False, width=420):
        st.file_uploader(
            _("Or files, or a zip archive of a folder"),
            accept_multiple_files=True,
            key=key,
            max_upload_size=_MOST_MEGABYTES,
        )
        st.form_submit_button(_("Open the files"), on_click=_take, args=(key,))


def _take(key: str) -> None:
    """Store what was dropped, and show the runs in it; for a callback."""
    speak()
    dropped: Sequence[BinaryIO] = st.session_state.get(key) or ()
    if dropped and not state.is_read_only():
        st.session_state[_ANSWER] = _store([(file.name, file) for file in dropped])
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1


def _store(files: Sequence[tuple[str, BinaryIO]]) -> Answer:
    """Keep the files in a folder of their own, if there is a run in them."""
    folder = _new_folder(files[0][0])
    try:
        stored = store(files, folder)
    except UploadRefused as error:
        return Answer(False, str(error))
    left_out = _left_out(stored.left_out)
    answer = _open_logs(str(folder))
    if answer.is_found:
        return answer._replace(words=f"{answer.words}{left_out}")
    shutil.rmtree(folder, ignore_errors=True)
    return Answer(False, _("There is no run in what was dropped, and nothing was kept.") + left_out)


def _left_out(files: Sequence[str]) -> str:
    """A further sentence on the files that were not kept, with a blank before it; empty for none."""
    if not files:
        return ""
    words = ngettext(" {count} file left out: {first}", " {count} files left out: {first}", len(files))
    return words.format(count=f"{len(files):,}", first=files[0])


def _new_folder(name: str) -> Path:
    """A folder for what is dropped now, which does not exist; named by the moment and the first file."""
    stem = file_name_of(Path(name.replace("\\", "/")).stem[:_LONGEST_NAME], "logs")
    wanted = user_data_folder() / _UPLOADS / f"{datetime.now():%Y%m%d-%H%M%S-%f}-{stem}"
    return wanted.absolute()


def _open() -> None:
    speak()
    words = st.session_state[_FIELD].strip()
    if words and not state.is_read_only():
        st.session_state[_ANSWER] = _open_logs(words)


def _open_logs(words: str) -> Answer:
    """Add the runs found there to the list."""
    if _ELSEWHERE.match(words):  # this page fetches nothing: whoever opens it would choose what its machine asks for
        if is_address(words):
            sentence = _("What lies elsewhere is shown by a dashboard that was started on it: {command}")
            return Answer(False, sentence.format(command=f"rlvitals {shlex.quote(words)}"))
        sentence = _("What lies elsewhere is fetched first: {command}")
        return Answer(False, sentence.format(command=f"rlvitals import {shlex.quote(words)} --to FOLDER"))
    try:
        path = Path(words).expanduser().absolute()
    except RuntimeError:
        return Answer(False, _("{path} names a user whom this machine does not know.").format(path=words))
    if os.pathsep in str(path):
        sentence = _("{path} holds a {sign}, which stands between paths; give it another name or a link.")
        return Answer(False, sentence.format(path=path, sign=repr(os.pathsep)))
    found = _search(path)
    if found is None:
        sentence = _("{path} holds too much to be searched in {seconds} s; name a folder nearer to the runs.")
        return Answer(False, sentence.format(path=path, seconds=f"{_PATIENCE:.0f}"))
    if not found:
        try:
            LiveRun(path)  # says why there is none
        except UnreadableRun as error:
            return Answer(False, error.sentence)
    state.add_folder(path)
    sentence = ngettext(
        "{count} run in {path}: in the list now.", "{count} runs in {path}: in the list now.", len(found)
    )
    return Answer(True, sentence.format(count=f"{len(found):,}", path=path), [run.path for run in found])


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
