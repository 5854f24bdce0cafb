"""What the page says of a training that waits in the queue."""

from pathlib import Path

import streamlit as st

from app.languages import fragment
from app.widgets.markdown import escaped
from diagnostics.language import _
from diagnostics.visible_text import one_line
from trainer.launch import LaunchError
from trainer.launch.queue import Job, Queue, State
from trainer.launch.queue.submitting import before_it, has_begun

_LOOK_SECONDS = 2.0


def waiting_line(run_dir: Path) -> None:
    """Draw how many are before the training of this folder, as that changes; nothing where it does not wait."""
    if waiting_sentence(run_dir):
        fragment(_line, run_every=_LOOK_SECONDS)(run_dir)


def _line(run_dir: Path) -> None:
    if sentence := waiting_sentence(run_dir):
        st.info(escaped(sentence))
    else:
        st.rerun(scope="app")  # it has begun: what can be done about it is another thing now


def waiting_sentence(run_dir: Path) -> str | None:
    """How many are before the training of this folder, or that it begins; None where neither is so."""
    try:
        jobs = Queue.of_user().jobs()
    except LaunchError:
        return None
    of_folder = (job for job in jobs if job.spec.run_dir == run_dir.absolute() and not job.has_ended)
    return next((_sentence(job, jobs) for job in of_folder if not has_begun(job)), None)


def _sentence(job: Job, jobs: list[Job]) -> str:
    if job.state is not State.QUEUED:
        return _("{run} begins.").format(run=one_line(job.spec.name))
    words = _("{run} is queued, {count} before it; it starts by itself.")
    return words.format(run=one_line(job.spec.name), count=before_it(job, jobs))
