"""The first line of a run: its name, producer and state, and the button that stops it."""

import time
from pathlib import Path

import streamlit as st

from app.theme import STATES
from app.widgets.markdown import escaped
from app.widgets.refusal import refusal_line
from app.widgets.way_back import LinkHome, way_back
from diagnostics.addresses import address_of
from diagnostics.language import N_, _
from diagnostics.model.run import Run
from diagnostics.told import reason
from diagnostics.visible_text import visible
from diagnostics.wording.live import silence, time_left
from diagnostics.wording.runs import UNKNOWN, data_line, producer, training_kind
from diagnostics.wording.steps import progress
from diagnostics.wording.times import age, date_and_time
from trainer.launch import LaunchError, stop
from trainer.launch.submission import is_job

_STOPPING = N_("Stopping: the step is finished and a checkpoint saved first.")


def state_line(run: Run) -> None:
    """`● running · step 143/200 · 2 min left`."""
    sign = STATES[run.status.state]
    since = age(run.newest_time, time.time()) if run.status.state != "running" else ""
    facts = [
        progress(run, short=True),
        time_left(run),
        silence(run, time.time()) or (_("last step {since}").format(since=since) if since else ""),
    ]
    words = "".join(f" · {escaped(fact)}" for fact in facts if fact)
    st.markdown(f":{sign.colour}[**{sign}**]{words}", help=date_and_time(run.newest_time) or None, width="content")


def error_line(run: Run) -> None:
    """The error that ended a run that failed or died."""
    if run.status.error and run.status.has_failed:
        st.markdown(f":orange[{escaped(run.status.short_error)}]")
        if run.status.short_error != run.status.error:
            with st.expander(_("The whole error")):
                st.code(visible(run.status.error), language=None, wrap_lines=True, height=460)


def title_line(run: Run, link_home: LinkHome | None = None) -> None:
    """The way back, the run's name and, in one line with it, its algorithm, producer, task and its log's quality."""
    kind = training_kind(run.algorithm, producer(run) if run.producer != UNKNOWN else UNKNOWN)
    facts = (*kind, run.task, data_line(run.data_health))
    with st.container(horizontal=True, vertical_alignment="center", key="title"):
        way_back(link_home)
        st.markdown(f"## {escaped(run.name)}", width="content")
        st.caption(" · ".join(escaped(fact) for fact in facts if fact), width="content")


def can_stop(run: Run) -> bool:
    """Whether rlvitals started this run, on this host or as a job of a cluster, and it still trains."""
    is_ours = not address_of(run.path) and (run.status.is_ours or is_job(run.path))
    return is_ours and run.status.state in ("starting", "running")


def stop_button(run: Run) -> None:
    """The button that stops at the end of the step, with a checkpoint; the answer replaces it or is shown below."""
    answer = f"stop.answer.{run.run_id}"
    if st.session_state.get(answer) == _STOPPING:
        st.caption(_(_STOPPING))
        return
    # A callback, since a rerun for new data may come between the click and the code that would see it.
    st.button(
        _("Stop"),
        key=f"stop.{run.run_id}",
        help=_("Finish the step, save a checkpoint, end."),
        on_click=_stop,
        args=(run.path, answer),
    )
    if refusal := st.session_state.get(answer):
        refusal_line(refusal)


def _stop(path: Path, answer: str) -> None:
    try:
        stop(path)
    except LaunchError as error:
        st.session_state[answer] = reason(error)
    else:
        st.session_state[answer] = _STOPPING
