"""Every check of a run: its outcome, what it measured, or why it could not run."""

import pandas as pd
import streamlit as st

from app.theme import NOT_APPLICABLE, OUTCOMES, VERDICTS
from app.widgets.rule_text import rule_text
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.visible_text import one_line
from diagnostics.wording.messages import message_text
from diagnostics.wording.steps import steps_of
from diagnostics.wording.values import measured_and_limit

_UNFIRED = (Verdict.BROKEN, Verdict.SKIPPED, Verdict.QUIET)
_ROW_HEIGHT = 30  # pixels
_COLUMNS = {
    "verdict": st.column_config.TextColumn(width=112),
    "check": st.column_config.TextColumn(width=190),
    "steps": st.column_config.TextColumn(width=130),
    "message": st.column_config.TextColumn("what it says", width=260),
}


def checks(diagnosis: Diagnosis) -> None:
    """Draw the table of checks, fired ones first; a chosen row shows the rule's own text."""
    unfired = [o for verdict in _UNFIRED for o in diagnosis.outcomes if o.verdict is verdict and o.applies]
    ordered = [*diagnosis.fired, *unfired, *diagnosis.not_applicable]
    if not ordered:
        st.caption("No check applies to this run.")
        return
    table, text = st.columns([3, 2], gap="medium")
    with table:
        event = st.dataframe(
            pd.DataFrame([_row(outcome) for outcome in ordered]),
            hide_index=True,
            key="checks.table",
            on_select="rerun",
            selection_mode="single-cell",
            height="content",
            row_height=_ROW_HEIGHT,
            column_config=_COLUMNS,
        )
    with text:
        chosen = [index for index, _ in event.selection.cells if index < len(ordered)]
        _check_details(ordered[chosen[0] if chosen else 0])


def _row(outcome: Outcome) -> dict[str, str]:
    status = outcome.verdict if outcome.applies else NOT_APPLICABLE
    sign = VERDICTS[outcome.severity] if outcome.severity else OUTCOMES[status]
    return {
        "verdict": str(sign),
        "check": outcome.rule,
        "steps": steps_of(outcome),
        "message": one_line(message_text(outcome.message) or measured_and_limit(outcome)),
    }


def _check_details(outcome: Outcome) -> None:
    st.text(f"{outcome.code} {outcome.rule}")
    if sentence := message_text(outcome.message):
        st.text(one_line(sentence))
    if outcome.applies and (enable := message_text(outcome.enable)):
        st.text(one_line(f"To let it run: {enable}"))
    rule_text(outcome.rule)
