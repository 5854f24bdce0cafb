"""Relaunching a run with the fixes of its diagnosis: what is offered, the training that is started, the answer."""

import re
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app import state
from app.load.runs import is_live
from app.widgets.foreign_code import consent, may_run
from app.widgets.refusal import refusal_line
from diagnostics.addresses import address_of
from diagnostics.language import _
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.runlog import RUN_FILE
from diagnostics.told import reason
from diagnostics.visible_text import one_line
from diagnostics.wording.values import setting_text
from trainer.launch import LaunchError, start
from trainer.launch.arguments import read_plan
from trainer.launch.new_run import as_text, free_name, runs_folder
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
    words = ", ".join(f"{fix.parameter} {setting_text(fix.suggested)}" for fix in changes)
    hint = _("Train again from the start with {settings}, as a run of its own.").format(settings=words)
    if is_live(run):
        hint += _(" This run goes on until you stop it.")
    return _("Relaunch with this") if len(changes) == 1 else _("Relaunch with these"), one_line(hint)


def relaunch(run: Run, fixes: Sequence[Fix], key: str) -> None:
    """Start the training, or ask for consent first, or remember the refusal; for a callback."""
    _relaunch(run.path, _changes(fixes), _answer(run, key))


def relaunch_answer(run: Run, fixes: Sequence[Fix], key: str) -> None:
    """Draw the refusal of a relaunch, or the question that it raised; nothing if there is neither."""
    answer = _answer(run, key)
    if isinstance(refusal := st.session_state.get(answer), str):
        refusal_line(refusal)
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
        start(["train", *words], child)
    except LaunchError as error:
        st.session_state[answer] = reason(error)
    else:
        st.session_state[answer] = child
        state.show_new_run(child)
        state.open_run(child)


def new_folder(path: Path) -> Path:
    """The folder of a relaunched run: beside its parent, with the next free number.

    For a sample run, and for one that lies elsewhere, with new runs.
    """
    is_foreign = state.is_sample(path) or address_of(path)
    root = runs_folder(state.folder_of_new_runs()) if is_foreign else path.parent
    return root / free_name(root, _NUMBER.sub("", path.name))
