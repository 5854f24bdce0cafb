"""What pre-flight found, drawn: one finding as a line, and a run's settings that are worth a look, folded."""

from collections.abc import Iterable

import streamlit as st

from app.theme import VERDICTS
from app.words import plain, said, typed
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.report.contents import concerns, counted


def concern(outcome: Outcome) -> None:
    """Draw one finding: its sentence, and the value to try."""
    sign = VERDICTS[outcome.severity or Severity.INFO]
    better = [f"{fix.parameter} {typed(fix.suggested)}" for fix in outcome.fixes if fix.suggested is not None]
    text = plain(f"{said(outcome.message)}{f' Try {better[0]}.' if better else ''}")
    if outcome.severity is Severity.INFO:
        st.caption(f"{sign.shape} {text}")
    else:
        st.markdown(f":{sign.colour}[{sign.shape} {text}]")


def concern_with_source(outcome: Outcome) -> None:
    """Draw one finding, and beneath it which check it is of and where that comes from."""
    with st.container(gap=None):
        concern(outcome)
        st.caption(f"Check {outcome.code} {plain(outcome.rule)} · Source: {plain(outcome.source)}")


def counts(severities: Iterable[Severity | None]) -> str:
    """How many there are of each severity: "1 critical · 2 notes"."""
    listed = list(severities)
    numbers = {severity: listed.count(severity) for severity in reversed(Severity)}
    words = {Severity.CRITICAL: "{} critical"}
    return " · ".join(
        words.get(severity, counted(count, VERDICTS[severity].word)).format(count)
        for severity, count in numbers.items()
        if count
    )


def settings(diagnosis: Diagnosis) -> None:
    """Draw the settings of a run that are worth a look, folded and apart from the verdict; nothing where none is."""
    found = concerns(diagnosis.preflight)
    if not found:
        return
    with st.expander(f"Settings worth a look · {counts(outcome.severity for outcome in found)}", key="settings"):
        st.caption("What the settings alone say. It does not count for the verdict.")
        for outcome in found:
            concern_with_source(outcome)
