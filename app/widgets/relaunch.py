"""Relaunching a run with the fixes of its diagnosis: what is offered, the training that is started, the answer."""

import re
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app import state
from app.load.runs import is_live
from app.widgets.foreign_code import consent, may_run
from app.widgets.markdown import escaped
from app.widgets.queued import waiting_sentence
from app.widgets.refusal import refusal_line
from diagnostics.language import _
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.runlog import RUN_FILE
from diagnostics.visible_text import one_line
from diagnostics.wording.values import setting_text
from trainer.launch import LaunchError
from trainer.launch.arguments import read_plan
from trainer.launch.new_run import as_text, free_name, runs_folder
from trainer.launch.queue import State
from trainer.launch.starting import start
from trainer.trust.foreign_code import code_of_plan

_NUMBER = re.compile(r"-\d+$")


def relaunch_offer(run: Run, fixes: Sequence[Fix], key: str) -> tuple[str, str] | None:
    """What a button that relaunches says, and its hint; None unless the run is one of ours and a fix is a setting.

    All suggested settings are changed together, as `rlvitals train --from RUN --apply-fixes` does.
    """
    changes = _changes(fixes)
    if not changes or run.producer != "rlvitals" or not (run.path / RUN_FILE).exists():
        return None
    child = st.session_state.get(_answer(run, key))
    if isinstance(child, Path) and (child / RUN_FILE).exists():
        return _("Open {run}").format(run=one_line(child.name)), ""
    if isinstance(child, Path) and waiting_sentence(child):
        return None
    words = ", ".join(f"{fix.parameter} {setting_text(fix.suggested)}" for fix in changes)
    hint = _("Train again from the start with {settings}, as a run of its own.").format(settings=words)
    if is_live(run):
        hint += _(" This run goes on until you stop it.")
    return _("Relaunch with this") if len(changes) == 1 else _("Relaunch with these"), one_line(hint)


def relaunch(run: Run, fixes: Sequence[Fix], key: str) -> None:
    """Start the training, or ask for consent first, or remember the refusal; for a callback."""
    _relaunch(run.path, _changes(fixes), _answer(run, key))


def relaunch_answer(run: Run, fixes: Sequence[Fix], key: str) -> None:
    """Draw what became of a relaunch: a refusal, a question, how many are before it; nothing if none of these."""
    answer = _answer(run, key)
    given = st.session_state.get(answer)
    if isinstance(given, str):
        refusal_line(given)
    if isinstance(given, Path) and (words := waiting_sentence(given)):
        st.info(escaped(words))
    consent(answer, _("Trust and relaunch"), _relaunch, (run.path, _changes(fixes), answer))


def _changes(fixes: Sequence[Fix]) -> list[Fix]:
    return [fix for fix in fixes if fix.suggested is not None]


def _answer(run: Run, key: str) -> str:
    return f"relaunch.answer.{run.run_id}.{key}"


def _relaunch(path: Path, changes: Sequence[Fix], answer: str) -> None:
    """Start the training once: the second click of a double click finds the run that the first one started."""
    if isinstance(child := st.session_state.get(answer), Path) and (child / RUN_FILE).exists():
        state.open_run(child)
        return
    child = new_folder(path)
    words = ["--from", str(path)]
    words += [word for fix in changes for word in (f"--{fix.parameter}", as_text(fix.suggested))]
    if not may_run(lambda: code_of_plan(read_plan(words)), answer):
        return
    try:
        job = start(["train", *words], child, child_of=path)
    except LaunchError as error:
        st.session_state[answer] = str(error)
    else:
        st.session_state[answer] = child
        state.show_new_run(child)
        if job.state is not State.QUEUED:
            state.open_run(child)


def new_folder(path: Path) -> Path:
    """The folder of a relaunched run: beside its parent, with the next free number; for a sample run, with new runs."""
    root = runs_folder(state.folders()[0]) if state.is_sample(path) else path.parent
    return root / free_name(root, _NUMBER.sub("", path.name))
