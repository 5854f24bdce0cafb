"""A relaunched run beside the one that it came from: what was changed, and what became of that one's findings."""

from pathlib import Path

import streamlit as st

from app import state
from app.load import look_at
from app.theme import FATES
from app.words import plain
from diagnostics.api import UnreadableRun
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.report.since_parent import Followed, SinceParent, heading, not_found
from diagnostics.report.since_parent import since_parent as compared
from diagnostics.runlog.parent import find_parent


def since_parent(child: Diagnosis) -> None:
    """Draw the comparison; nothing for a run that was not relaunched, a sentence where its parent is not at hand."""
    if child.run.parent is None:
        return
    path = _parent_of(child.run)
    try:
        since = compared(child, look_at(str(path)).diagnosis) if path is not None else None
    except UnreadableRun:
        since = None
    if since is None:
        st.caption(plain(not_found(child.run)))
    else:
        _draw(since)


def _parent_of(run: Run) -> Path | None:
    """Where it lies; looked for once in a session, since it does not move."""
    known = f"parent.{run.run_id}"
    if known not in st.session_state:
        st.session_state[known] = find_parent(run, *state.folders())
    path: Path | None = st.session_state[known]
    return path


def _draw(since: SinceParent) -> None:
    parent = since.parent.run
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(heading(since))}**")
            st.button(f"Open {plain(parent.name)}", type="tertiary", on_click=state.open_run, args=(parent.path,))
        for followed in since.followed:
            _fate(followed)
        for finding in since.new:
            when = plain(f"It is {finding.severity}: {finding.steps}.")
            st.markdown(f":orange[▲ new] {plain(finding.sentence)} :gray[{when}]")
        if since.reward:
            st.caption(plain(since.reward))


def _fate(followed: Followed) -> None:
    sign = FATES[followed.fate]
    st.markdown(f":{sign.colour}[{sign}] {plain(followed.finding.sentence)} :gray[{plain(followed.sentence)}]")
