"""The reference in the page's address: a run that is drawn grey behind every curve of the same metric."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from app import state
from app.asked_language import in_current_language
from app.charts.routes import REFERENCES
from app.load.references import reference_name
from app.load.runs import Snapshot, snapshot_of
from app.theme import VERDICTS
from app.widgets.markdown import escaped
from diagnostics.api import UnreadableRun
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.language import _
from diagnostics.model.run import Run

GHOST = "ghost"
"""In the address, and what the charts tell when another one was chosen."""


def reference(algorithms: Sequence[str]) -> Run | None:
    """The run in the address; None, and the reason on the page, where it is none for runs of these algorithms."""
    path = state.in_address(GHOST)
    snapshot = _snapshot(path) if path else None
    if snapshot is None:
        return None
    run, verdict = snapshot.run, snapshot.diagnosis.verdict
    if run.algorithm not in algorithms:
        st.warning(
            _("{run} is no reference here: its algorithm is {own}, theirs {theirs}.").format(
                run=escaped(run.name), own=escaped(run.algorithm), theirs=escaped(", ".join(algorithms))
            )
        )
        return None
    if verdict not in ("healthy", "no-problem-found"):
        words = _("Grey: {run}, the reference; it is not healthy itself: {verdict}")
        st.caption(words.format(run=escaped(run.name), verdict=VERDICTS[verdict]))
    return run


def reference_chooser(algorithms: Sequence[str], shown: Sequence[str]) -> Mapping[str, Any]:
    """What the charts' chooser gets: the run in the address, and where to ask for others."""
    path = state.in_address(GHOST)
    query = urlencode([*(("algorithm", name) for name in algorithms[:1]), *(("run", run) for run in shown)])
    return {
        "source": in_current_language(f"{REFERENCES}?{query}"),
        "current": path,
        "name": reference_name(path) if path else "",
    }


def take_reference_of(component: str) -> None:
    """Write the run into the address that was chosen in the charts of this key; none takes it out."""
    chosen = st.session_state[component].ghost
    if chosen is not None:
        state.write_into_address(GHOST, str(chosen))


def _snapshot(path: str) -> Snapshot | None:
    try:
        with cancelled_when(state.page_has_gone()):
            return snapshot_of(path, state.boundary_with_samples())
    except UnreadableRun as error:
        st.warning(escaped(error.sentence))
        return None
    except Cancelled:
        st.stop()
