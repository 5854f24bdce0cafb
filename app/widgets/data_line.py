"""The line below the verdict: what all checks came to, and what the log itself looks like."""

from collections.abc import Sequence

import streamlit as st

from app.widgets.verdict import summary
from app.words import plain
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import DataHealth


def data_line(diagnosis: Diagnosis) -> None:
    """Draw the line, and below it what the reader noted."""
    checks, data = st.columns([2, 1], gap="medium")
    if diagnosis.run.data_health.points:  # before the first one every check lacks its input
        checks.caption(plain(summary(diagnosis)))
    data.caption(
        "Data: " + " · ".join(plain(fact) for fact in facts(diagnosis.run.data_health)), text_alignment="right"
    )
    if resumed_after := diagnosis.run.resumed_after:
        st.caption(resumptions(resumed_after))
    for note in diagnosis.run.notes:
        st.caption(plain(note))


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
