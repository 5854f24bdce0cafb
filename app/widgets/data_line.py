"""The line below the verdict: what all checks came to, and what the log itself looks like."""

from collections.abc import Sequence

import streamlit as st

from app.widgets.verdict import summary
from app.words import last_step, plain
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import DataHealth, Run


def data_line(run: Run, diagnosis: Diagnosis) -> None:
    """Draw the line for the run as it stands now and its latest diagnosis, and below it what the reader noted."""
    checks, data = st.columns([2, 1], gap="medium")
    if diagnosis.run.data_health.points:  # before the first one every check lacks its input
        checks.caption(" · ".join(map(plain, (summary(diagnosis), *diagnosed_at(run, diagnosis)))))
    data.caption("Data: " + " · ".join(plain(fact) for fact in facts(run.data_health)), text_alignment="right")
    if resumed_after := run.resumed_after:
        st.caption(resumptions(resumed_after))
    for note in run.notes:
        st.caption(plain(note))


def diagnosed_at(run: Run, diagnosis: Diagnosis) -> tuple[str, ...]:
    """The step of the diagnosis where the run has gone on since; nothing where it is of the last step."""
    diagnosed = last_step(diagnosis.run)
    return () if diagnosed is None or diagnosed == last_step(run) else (f"diagnosed at step {diagnosed:,}",)


def resumptions(steps: Sequence[int]) -> str:
    """Where the run was taken up again, in words: what was logged behind such a step may stand there twice."""
    return f"Resumed after step {', '.join(f'{step:,}' for step in steps)}; points of a first attempt are drawn faint."


def facts(health: DataHealth) -> list[str]:
    """The counts worth saying: the points always, everything else where it occurs."""
    counted = (
        (health.nan, "NaN"),
        (health.inf, "infinite"),
        (health.duplicates, "logged twice"),
        (health.rewinds, "rewinds"),
        (health.gaps, "gaps"),
        (health.malformed, "malformed"),
        (len(health.unmapped_tags), "unmapped names"),
    )
    return [f"{health.points:,} points", *(f"{count:,} {what}" for count, what in counted if count)]
