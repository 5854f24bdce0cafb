"""The line below the verdict: what all checks came to, and what the log itself looks like."""

from collections.abc import Sequence

import streamlit as st

from app.widgets.markdown import escaped
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.wording.runs import data_line
from diagnostics.wording.verdicts import check_counts


def checks_and_data(run: Run, diagnosis: Diagnosis) -> None:
    """Draw the line for the run as it stands now and its latest diagnosis, and below it what the reader noted."""
    checks, data = st.columns([2, 1], gap="medium")
    if diagnosis.run.data_health.points:  # before the first one every check lacks its input
        checks.caption(" · ".join(map(escaped, (check_counts(diagnosis), *diagnosed_at(run, diagnosis)))))
    data.caption(f"Data: {escaped(data_line(run.data_health))}", text_alignment="right")
    if resumed_after := run.resumed_after:
        st.caption(resumptions(resumed_after))
    for note in run.notes:
        st.caption(escaped(note))


def diagnosed_at(run: Run, diagnosis: Diagnosis) -> tuple[str, ...]:
    """The step of the diagnosis where the run has gone on since; nothing where it is of the last step."""
    diagnosed = diagnosis.run.last_step
    return () if diagnosed is None or diagnosed == run.last_step else (f"diagnosed at step {diagnosed:,}",)


def resumptions(steps: Sequence[int]) -> str:
    """Where the run was taken up again, in words: what was logged behind such a step may stand there twice."""
    return f"Resumed after step {', '.join(f'{step:,}' for step in steps)}; points of a first attempt are drawn faint."
