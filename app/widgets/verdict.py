"""The verdict on a run: the worst finding in full, the others in a line each, and what could not be checked."""

from collections.abc import Sequence

import streamlit as st

from app.theme import VERDICTS
from app.widgets.markdown import escaped
from app.widgets.relaunch_button import relaunch_button
from app.widgets.rule_text import rule_text
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Fix, Outcome, ShownSample
from diagnostics.model.run import Run
from diagnostics.visible_text import one_line
from diagnostics.wording.findings import rival_line, sample_line
from diagnostics.wording.messages import found_text, headline, message_text
from diagnostics.wording.steps import steps_of
from diagnostics.wording.values import counted, measured_and_limit, setting_text
from diagnostics.wording.verdicts import verdict_headline, vital_lines


def verdict(diagnosis: Diagnosis, *, is_read_only: bool) -> None:
    """Draw the verdict, or for a run without findings what was checked. Unless read-only, fixes have a button."""
    found = diagnosis.findings
    if not found:
        _no_finding(diagnosis)
        return
    run = None if is_read_only else diagnosis.run
    _worst(found[0], run)
    for finding in found[1:]:
        _other_finding(finding, run)


def _no_finding(diagnosis: Diagnosis) -> None:
    sign = VERDICTS[diagnosis.verdict]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":{sign.colour}-badge[{sign}] **{escaped(verdict_headline(diagnosis))}**")
        for gap in vital_lines(diagnosis):
            st.caption(f"Not checked, though vital: {escaped(gap)}")


def _worst(finding: Finding, run: Run | None) -> None:
    """The worst finding: what was measured, the likely cause, what to try, and the source."""
    sign = VERDICTS[finding.severity]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":{sign.colour}-badge[{sign}] **{escaped(headline(finding.leading))}**")
        _evidence(finding, run)
        _consequences(finding)
        outcome = finding.leading
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Check {outcome.code} {escaped(outcome.rule)} · Source: {escaped(outcome.source)}")
            with st.popover("Why", type="tertiary"):
                rule_text(outcome.rule)


def _other_finding(finding: Finding, run: Run | None) -> None:
    """Another finding: one folded line with the same facts as the worst. Its key keeps it open across reruns."""
    sign, outcome = VERDICTS[finding.severity], finding.leading
    label = f":{sign.colour}-badge[{sign}] {escaped(headline(outcome))} "
    with st.expander(f"{label} :gray[{escaped(steps_of(outcome))}]", key=f"finding.{finding.name}"):
        _evidence(finding, run)
        for consequence in finding.consequences:
            st.markdown(f"**Also** {_outcome_facts(consequence)}")
        st.caption(f"Check {outcome.code} {escaped(outcome.rule)} · Source: {escaped(outcome.source)}")


def _evidence(finding: Finding, run: Run | None) -> None:
    """What was measured, samples, the likely cause, what to try; `run` is None if it cannot be relaunched here."""
    st.markdown(_outcome_facts(finding.leading))
    _samples(finding.samples)
    if message_text(finding.summary) != headline(finding.leading):
        st.markdown(f"**Likely cause** {escaped(message_text(finding.summary))}")
    for rival in finding.rivals:
        st.markdown(f"**Or** {escaped(rival_line(rival))}")
    fixes = finding.fixes or finding.leading.fixes  # the cause knows more than its symptom
    _fixes(fixes)
    if run is not None:
        relaunch_button(run, fixes, finding.name)


def _consequences(finding: Finding) -> None:
    """Other outcomes of the same cause, folded."""
    if finding.consequences:
        label = f"{counted(len(finding.consequences), 'more sign')} of the same cause"
        with st.expander(label, key=f"signs.{finding.name}"):
            for outcome in finding.consequences:
                st.markdown(f"{escaped(headline(outcome))} {_outcome_facts(outcome)}")


def _outcome_facts(outcome: Outcome) -> str:
    facts = (found_text(outcome).rstrip("."), f"measured {measured_and_limit(outcome)}", steps_of(outcome))
    return " · ".join(escaped(fact) for fact in facts if fact)


def _samples(samples: Sequence[ShownSample]) -> None:
    """The samples as plain text: model output is never rendered."""
    for sample in samples:
        st.text(one_line(sample_line(sample)))


def _fixes(fixes: Sequence[Fix]) -> None:
    for fix in fixes:
        st.markdown(f"**Try** {_change(fix)} {escaped(message_text(fix.why))}")


def _change(fix: Fix) -> str:
    """`learning_rate 0.005 → 0.0005:`, as far as the values are known."""
    values = [setting_text(value) for value in (fix.current, fix.suggested) if value is not None]
    return f"`{fix.parameter}` {escaped(' → '.join(values))}".rstrip() + " — "
