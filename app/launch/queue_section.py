"""The queue on the Launch page: what runs, waits and ended, live, with what can be done about each."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from app import state
from app.languages import fragment, speak
from app.launch.edited import edit
from app.load.console_tail import console_tail
from app.widgets.markdown import escaped
from app.widgets.refusal import refusal_line
from diagnostics.language import _
from diagnostics.visible_text import visible
from diagnostics.wording.jobs import Job as Told
from diagnostics.wording.jobs import remark, since, state_of_job, used
from trainer.launch import LaunchError
from trainer.launch.queue import Job, Queue, State
from trainer.launch.queue.ending import ask_to_stop, kill
from trainer.launch.queue.job_document import job_documents
from trainer.launch.queue.submitting import retry
from trainer.launch.queue.worker import ensure_worker

_LOOK_SECONDS = 2.0
_ENDED_SHOWN = 5
_CONSOLE_LINES = 12
_REFUSAL = "queue.refusal"
_COLUMNS = (2, 4, 2, 2, 4)
_TO_OPEN = "queue.to_open"

Shown = tuple[Job, Told]


def queue_section(open_run: Callable[[Path], None], is_read_only: bool) -> None:
    """Draw the queue, or nothing where nothing was ever queued; it is drawn again by itself."""
    if run_dir := st.session_state.pop(_TO_OPEN, None):
        open_run(run_dir)
    fragment(_queue, run_every=_LOOK_SECONDS)(is_read_only)


def _queue(is_read_only: bool) -> None:
    if _TO_OPEN in st.session_state:
        st.rerun(scope="app")
    queue = Queue.of_user()
    try:
        jobs = queue.jobs()
        if not is_read_only and any(not job.has_ended for job in jobs):
            ensure_worker(queue)
        shown = _shown(jobs)
        told = job_documents(queue, shown, jobs)
    except LaunchError as error:
        refusal_line(str(error))
        return
    if not shown:
        return
    st.subheader(_("Queue"))
    if refusal := st.session_state.pop(_REFUSAL, None):
        refusal_line(refusal)
    now = time.time()
    for job, words in zip(shown, told, strict=True):
        _row(job, words, now, is_read_only)


def _shown(jobs: Sequence[Job]) -> list[Job]:
    """All that wait or run, and those that ended last."""
    ended = [job for job in jobs if job.has_ended]
    return [*(job for job in jobs if not job.has_ended), *ended[:_ENDED_SHOWN]]


def _row(job: Job, told: Told, now: float, is_read_only: bool) -> None:
    with st.container(border=True, gap="xxsmall", key=f"job.{job.id}"):
        status, name, age, resources, actions = st.columns(_COLUMNS, vertical_alignment="center")
        status.markdown(f"**{escaped(state_of_job(told))}**")
        name.markdown(f"{job.id} · {escaped(job.spec.name)}")
        age.caption(escaped(since(told, now)))
        resources.caption(escaped(used(told)))
        if not is_read_only:
            with actions, st.container(horizontal=True, gap="small"):
                _actions(job, told)
        if words := remark(told):
            st.caption(escaped(words))
        if tail := console_tail(Path(told["console"]), _CONSOLE_LINES):
            with st.expander(_("Console")):
                st.code(visible(tail), language=None, wrap_lines=True)


def _actions(job: Job, told: Told) -> None:
    run = told["run"]
    if run is not None and job.state is not State.QUEUED:
        _button(job, "open", _("Open"), _("Go to the run."), _open, (Path(run),))
    if job.state is State.QUEUED:
        _button(job, "up", "↑", _("Earlier"), _move, (job.id, -1))
        _button(job, "down", "↓", _("Later"), _move, (job.id, 1))
        _button(job, "stop", _("Take out"), _("Remove it from the queue."), _act, (ask_to_stop, job.id))
    elif job.state is State.RUNNING:
        _button(job, "stop", _("Stop"), _("Finish the step, save a checkpoint, end."), _act, (ask_to_stop, job.id))
    if job.holds_slot:
        _button(job, "kill", _("Kill"), _("End it at once, without a checkpoint."), _act, (kill, job.id))
    if job.has_ended and job.state is not State.FINISHED:
        hint = _("Queue it again; a run of rlvitals goes on from its checkpoint.")
        _button(job, "retry", _("Retry"), hint, _retry, (job.id,))
    if job.spec.is_training and "--resume" not in job.spec.words:
        _button(
            job, "edit", _("Copy into the form"), _("Change something, and start it as another run."), _edit, (job,)
        )


def _button(job: Job, name: str, words: str, hint: str, act: Callable[..., None], args: tuple[object, ...]) -> None:
    # A callback, since the section is drawn again by itself between the click and the code that would see it.
    st.button(words, help=hint, key=f"queue.{name}.{job.id}", type="tertiary", on_click=act, args=args)


def _open(run: Path) -> None:
    if not state.is_read_only():
        state.show_new_run(run)
    st.session_state[_TO_OPEN] = run


def _act(act: Callable[[Queue, int], Job], number: int) -> None:
    _try(lambda queue: act(queue, number))


def _retry(number: int) -> None:
    _try(lambda queue: retry(number, queue))


def _move(number: int, places: int) -> None:
    def move(queue: Queue) -> None:
        queued = [job.id for job in queue.jobs() if job.state is State.QUEUED]
        if number in queued:
            queue.move(number, max(1, queued.index(number) + 1 + places))

    _try(move)


def _edit(job: Job) -> None:
    speak()
    if (problem := edit(job)) is not None:
        st.session_state[_REFUSAL] = problem


def _try(do: Callable[[Queue], object]) -> None:
    """Do it, or remember why it cannot be done; never on a read-only page, whatever its client sends."""
    if state.is_read_only():
        return
    try:
        do(Queue.of_user())
    except LaunchError as error:
        st.session_state[_REFUSAL] = str(error)
