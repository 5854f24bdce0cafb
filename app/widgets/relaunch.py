"""Relaunching a run with the fixes of its diagnosis: what is offered, the trainings that are started, the answer."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app import state
from app.load.runs import is_live
from app.widgets.foreign_code import consent, may_run
from app.widgets.queued import waiting_line, waiting_sentence
from app.widgets.refusal import refusal_line
from diagnostics.addresses import address_of
from diagnostics.language import _
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.runlog import RUN_FILE
from diagnostics.told import reason
from diagnostics.visible_text import one_line
from diagnostics.wording.values import setting_text
from trainer.launch import LaunchError
from trainer.launch.arguments import read_plan
from trainer.launch.new_run import as_text, runs_folder
from trainer.launch.queue import Queue, State
from trainer.launch.queue.submitting import start, submit
from trainer.launch.relaunching import Changes, is_of_bundled_trainer, recipe_of_run, relaunch_specs, relaunch_words
from trainer.trust.foreign_code import code_of_plan

Offer = tuple[str, str]
"""What a button says, and its hint."""
_LEAST_TO_TRY = 2
_OF_ALL = "each"  # the key of what is tried one by one


def relaunch_offer(run: Run, fixes: Sequence[Fix], key: str) -> Offer | None:
    """What a button that relaunches says; None unless rlvitals started the run and a fix is a setting of it.

    All suggested settings are changed together, as `rlvitals train --from RUN --apply-fixes` does.
    """
    changes = _changes(run, fixes)
    if not changes:
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


def try_each_offer(run: Run, fixes: Sequence[Fix], key: str) -> Offer | None:
    """What a button says that tries each fix in a run of its own; None where there are fewer than two, or once it did.

    So does `rlvitals train --from RUN --try-each`.
    """
    count = len(_changes(run, fixes))
    if count < _LEAST_TO_TRY or _children(run, key):
        return None
    hint = _("Train again {count} times, each with one of the settings alone, and compare which of them works.")
    return _("Try each fix"), hint.format(count=count)


def relaunch(run: Run, fixes: Sequence[Fix], key: str) -> None:
    """Start the training, or ask for consent first, or remember the refusal; for a callback."""
    _relaunch(run.path, _together(_changes(run, fixes)), _answer(run, key))


def try_each(run: Run, fixes: Sequence[Fix], key: str) -> None:
    """Queue a training for each fix, or ask for consent first, or remember the refusal; for a callback."""
    _try_each(run.path, _one_by_one(_changes(run, fixes)), _answer(run, key, _OF_ALL))


def relaunch_answer(run: Run, fixes: Sequence[Fix], key: str, compare_page: st.Page | None = None) -> None:
    """Draw what became of a relaunch: a refusal, a question, how many are before it; nothing if none of these.

    `compare_page` is where those that were tried one by one are seen beside each other.
    """
    together, each = _answer(run, key), _answer(run, key, _OF_ALL)
    for given in (st.session_state.get(together), st.session_state.get(each)):
        if isinstance(given, str):
            refusal_line(given)
        if isinstance(given, Path):
            waiting_line(given)
    if (children := _children(run, key)) and compare_page is not None:
        label = _("Compare the {count} that were tried").format(count=len(children))
        st.page_link(compare_page, label=label, query_params=[(state.RUN, str(path)) for path in (run.path, *children)])
    changes = _changes(run, fixes)
    consent(together, _("Trust and relaunch"), _relaunch, (run.path, _together(changes), together))
    consent(each, _("Trust and relaunch"), _try_each, (run.path, _one_by_one(changes), each))


def _changes(run: Run, fixes: Sequence[Fix]) -> list[Fix]:
    """The fixes that can be set for a run: all settings of one of ours, the parameters of a launch recipe's."""
    settable = [fix for fix in fixes if fix.suggested is not None]
    if run.producer == "rlvitals":
        return settable if (run.path / RUN_FILE).exists() else []
    try:
        found = recipe_of_run(Queue.of_user(), run.path) if settable else None
    except LaunchError:
        return []
    return [fix for fix in settable if found is not None and fix.parameter in found[1].parameters]


def _together(changes: Sequence[Fix]) -> Changes:
    return {fix.parameter: as_text(fix.suggested) for fix in changes}


def _one_by_one(changes: Sequence[Fix]) -> list[Changes]:
    return [{fix.parameter: as_text(fix.suggested)} for fix in changes]


def _answer(run: Run, key: str, way: str = "") -> str:
    return f"relaunch.answer.{run.run_id}.{key}.{way}"


def _children(run: Run, key: str) -> tuple[Path, ...]:
    given = st.session_state.get(_answer(run, key, _OF_ALL))
    return given if isinstance(given, tuple) else ()


def _relaunch(path: Path, changes: Changes, answer: str) -> None:
    """Start the training once: the second click of a double click finds the run that the first one started."""
    if isinstance(child := st.session_state.get(answer), Path) and (child / RUN_FILE).exists():
        state.open_run(child)
        return
    if not _may_relaunch(path, [changes], answer):
        return
    try:
        (spec,) = relaunch_specs(Queue.of_user(), path, [changes], new_root(path))
        job = start(spec)
    except LaunchError as error:
        st.session_state[answer] = reason(error)
        return
    child = spec.run_dir or path
    st.session_state[answer] = child
    state.show_new_run(child)
    if job.state is not State.QUEUED:
        state.open_run(child)


def _try_each(path: Path, variants: Sequence[Changes], answer: str) -> None:
    if isinstance(st.session_state.get(answer), tuple) or not _may_relaunch(path, variants, answer):
        return
    try:
        specs = relaunch_specs(Queue.of_user(), path, variants, new_root(path))
        submit(specs)
    except LaunchError as error:
        st.session_state[answer] = reason(error)
        return
    children = tuple(spec.run_dir for spec in specs if spec.run_dir is not None)
    st.session_state[answer] = children
    for child in children:
        state.show_new_run(child)


def _may_relaunch(path: Path, variants: Sequence[Changes], key: str) -> bool:
    """Whether the page may start it: a recipe's script is the user's own, and stands in a file that only he writes."""
    if not is_of_bundled_trainer(path):
        return not state.is_read_only()
    plans = (read_plan(relaunch_words(path, changes)[1:]) for changes in variants)
    return may_run(lambda: [code for plan in plans for code in code_of_plan(plan)], key)


def new_root(path: Path) -> Path | None:
    """Where a relaunched run goes: None, beside its parent; for a sample or a remote run, where new runs go."""
    is_foreign = state.is_sample(path) or address_of(path)
    return runs_folder(state.folder_of_new_runs()) if is_foreign else None
