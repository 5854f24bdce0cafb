"""The button that resumes a run that died, failed or was stopped."""

from pathlib import Path

import streamlit as st

from app.widgets.foreign_code import consent, may_run
from app.widgets.queued import waiting_line
from app.widgets.refusal import refusal_line
from diagnostics.addresses import address_of
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.told import reason
from trainer.launch import LaunchError
from trainer.launch.arguments import read_plan
from trainer.launch.resuming import newest_resumable
from trainer.launch.starting import resume
from trainer.trust.foreign_code import code_of_plan

_RESUMABLE_STATES = ("died", "failed", "stopped")


def resumable_step(run: Run) -> int | None:
    """The step of the checkpoint to resume from, 0 without one.

    None if the run trains, has finished or lies elsewhere.
    """
    if address_of(run.path) or run.producer != "rlvitals" or run.status.state not in _RESUMABLE_STATES:
        return None
    found = newest_resumable(run.path)
    return found[0] if found else 0


def resume_button(run: Run, step: int) -> None:
    """Draw the button that resumes after `step`; a refusal is shown below it."""
    answer = f"resume.answer.{run.run_id}"
    # A callback, since a rerun for new data may come between the click and the code that would see it.
    st.button(
        _("Resume"),
        key=f"resume.{run.run_id}",
        help=_("Go on from the checkpoint of step {step}.").format(step=step)
        if step
        else _("It left no checkpoint: begin again, in this run."),
        on_click=_resume,
        args=(run.path, answer),
    )
    if refusal := st.session_state.get(answer):
        refusal_line(refusal)
    waiting_line(run.path)
    consent(answer, _("Trust and resume"), _resume, (run.path, answer))


def _resume(path: Path, answer: str) -> None:
    if not may_run(lambda: code_of_plan(read_plan(["--resume", str(path)])), answer):
        return
    try:
        resume(path)
    except LaunchError as error:
        st.session_state[answer] = reason(error)
    else:
        st.session_state.pop(answer, None)
