"""Pre-flight findings: one as a line, and those of a run's settings, folded."""

import streamlit as st

from app.theme import VERDICTS
from app.widgets.markdown import escaped
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.wording.messages import message_text
from diagnostics.wording.severities import severity_counts
from diagnostics.wording.values import setting_text


def finding_line(outcome: Outcome) -> None:
    """Draw one finding: its sentence, and the value to try."""
    sign = VERDICTS[outcome.severity or Severity.INFO]
    better = [f"{fix.parameter} {setting_text(fix.suggested)}" for fix in outcome.fixes if fix.suggested is not None]
    attempt = _(" Try {change}.").format(change=better[0]) if better else ""
    text = escaped(message_text(outcome.message) + attempt)
    if outcome.severity is Severity.INFO:
        st.caption(f"{sign.shape} {text}")
    else:
        st.markdown(f":{sign.colour}[{sign.shape} {text}]")


def finding_with_source(outcome: Outcome) -> None:
    """Draw one finding, and beneath it which check it is of and where that comes from."""
    with st.container(gap=None):
        finding_line(outcome)
        words = _("Check {code} {rule} · Source: {source}")
        st.caption(words.format(code=outcome.code, rule=escaped(outcome.rule), source=escaped(_(outcome.source))))


def settings_findings(diagnosis: Diagnosis) -> None:
    """Draw the settings of a run that are worth a look, folded, apart from the verdict; nothing if there are none."""
    found = diagnosis.settings_findings
    if not found:
        return
    counts = severity_counts(outcome.severity for outcome in found)
    with st.expander(_("Settings worth a look · {counts}").format(counts=counts), key="settings"):
        st.caption(_("What the settings alone say. It does not count for the verdict."))
        for outcome in found:
            finding_with_source(outcome)
