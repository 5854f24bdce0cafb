"""What a reader of the page should know of the log: where the run was resumed, and what its reader noticed."""

from collections.abc import Sequence

import streamlit as st

from app.widgets.markdown import escaped
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.told import said


def log_notes(run: Run, remarks: Sequence[str] = ()) -> None:
    """Draw the notes, a line each, then remarks on the project's file; nothing if there are none."""
    if resumed_after := run.resumed_after:
        st.caption(resumptions(resumed_after))
    for note in (*run.notes, *remarks):
        st.caption(escaped(said(note)))


def diagnosed_at(run: Run, diagnosis: Diagnosis) -> str:
    """The step of the diagnosis, if the run has logged more since; else nothing."""
    diagnosed = diagnosis.run.last_step
    if diagnosed is None or diagnosed == run.last_step:
        return ""
    return _("diagnosed at step {step}").format(step=f"{diagnosed:,}")


def resumptions(steps: Sequence[int]) -> str:
    """The steps after which the run was resumed: later ones may have been logged twice."""
    words = _("Resumed after step {steps}; points of a first attempt are drawn faint.")
    return words.format(steps=", ".join(f"{step:,}" for step in steps))
