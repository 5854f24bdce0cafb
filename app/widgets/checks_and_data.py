"""The line below the verdict: how the checks came out, and the quality of the log."""

from collections.abc import Sequence

import streamlit as st

from app.widgets.markdown import escaped
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.wording.runs import data_line
from diagnostics.wording.verdicts import check_counts


def checks_and_data(run: Run, diagnosis: Diagnosis) -> None:
    """Draw the line for the run as it is now and its latest diagnosis, then the reader's notes."""
    checks, data = st.columns([2, 1], gap="medium")
    if diagnosis.run.data_health.points:  # before the first one every check lacks its input
        checks.caption(" · ".join(map(escaped, (check_counts(diagnosis), *diagnosed_at(run, diagnosis)))))
    data.caption(f"Data: {escaped(data_line(run.data_health))}", text_alignment="right")
    if resumed_after := run.resumed_after:
        st.caption(resumptions(resumed_after))
    for note in run.notes:
        st.caption(escaped(note))


def diagnosed_at(run: Run, diagnosis: Diagnosis) -> tuple[str, ...]:
    """The step of the diagnosis, if the run has logged more since; else nothing."""
    diagnosed = diagnosis.run.last_step
    return () if diagnosed is None or diagnosed == run.last_step else (f"diagnosed at step {diagnosed:,}",)


def resumptions(steps: Sequence[int]) -> str:
    """The steps after which the run was resumed: later ones may have been logged twice."""
    return f"Resumed after step {', '.join(f'{step:,}' for step in steps)}; points of a first attempt are drawn faint."
