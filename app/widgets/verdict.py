"""The verdict on a run: the worst finding in full, the others in a line each, and what could not be checked."""

from collections.abc import Sequence

import streamlit as st

from app.theme import VERDICTS
from app.widgets.config_findings import counts
from app.widgets.relaunch_button import relaunch_button
from app.widgets.rule_text import rule_text
from app.words import measured_against_limit, plain, said, steps_of, typed
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Fix, Outcome, ShownSample, Verdict
from diagnostics.model.run import Run
from diagnostics.report.contents import Finding, alternative, counted, exhibit, findings, verdict_sentence

_BLIND_SPOTS_NAMED = 1


def verdict(diagnosis: Diagnosis, *, is_read_only: bool) -> None:
    """Draw the verdict; a run without findings says what was checked. Unless read-only, a fix can be tried at once."""
    found = findings(diagnosis)
    if not found:
        _no_finding(diagnosis)
        return
    run = None if is_read_only else diagnosis.run
    _worst(found[0], run)
    for finding in found[1:]:
        _other(finding, run)


def headline(diagnosis: Diagnosis) -> str:
    """The verdict as one sentence."""
    found = findings(diagnosis)
    return _title(found[0].leading) if found else verdict_sentence(diagnosis)


def _no_finding(diagnosis: Diagnosis) -> None:
    sign = VERDICTS[diagnosis.verdict]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":{sign.colour}-badge[{sign}] **{plain(headline(diagnosis))}**")


def _worst(finding: Finding, run: Run | None) -> None:
    """The worst finding: what it is, what was measured, the likely cause, what to try, where that comes from."""
    sign = VERDICTS[finding.severity]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":{sign.colour}-badge[{sign}] **{plain(_title(finding.leading))}**")
        _evidence(finding, run)
        _consequences(finding)
        outcome = finding.leading
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Check {outcome.code} {plain(outcome.rule)} · Source: {plain(outcome.source)}")
            with st.popover("Why", type="tertiary"):
                rule_text(outcome.rule)


def _other(finding: Finding, run: Run | None) -> None:
    """Another finding: folded, one line; in it the same facts as for the worst. What is opened stays so, by its key."""
    sign, outcome = VERDICTS[finding.severity], finding.leading
    label = f":{sign.colour}-badge[{sign}] {plain(_title(outcome))} "
    with st.expander(f"{label} :gray[{plain(steps_of(outcome))}]", key=f"finding.{finding.name}"):
        _evidence(finding, run)
        for consequence in finding.consequences:
            st.markdown(f"**Also** {_facts(consequence)}")
        st.caption(f"Check {outcome.code} {plain(outcome.rule)} · Source: {plain(outcome.source)}")


def _evidence(finding: Finding, run: Run | None) -> None:
    """What was measured, the samples that show it, the likely cause, what to try; `run` where that can be done here."""
    st.markdown(_facts(finding.leading))
    _samples(finding.samples)
    if finding.sentence != _title(finding.leading):
        st.markdown(f"**Likely cause** {plain(finding.sentence)}")
    for rival in finding.rivals:
        st.markdown(f"**Or** {plain(alternative(rival))}")
    fixes = finding.fixes or finding.leading.fixes  # the cause knows more than its symptom
    _fixes(fixes)
    if run is not None:
        relaunch_button(run, fixes, finding.name)


def _consequences(finding: Finding) -> None:
    """What else fired and is explained by the same cause, folded: it is no trouble of its own."""
    if finding.consequences:
        label = f"{counted(len(finding.consequences), 'more sign')} of the same cause"
        with st.expander(label, key=f"signs.{finding.name}"):
            for outcome in finding.consequences:
                st.markdown(f"{plain(_title(outcome))} {_facts(outcome)}")


def _title(outcome: Outcome) -> str:
    return said(outcome.headline or outcome.message)


def _facts(outcome: Outcome) -> str:
    facts = (said(outcome.message).rstrip("."), f"measured {measured_against_limit(outcome)}", steps_of(outcome))
    return " · ".join(plain(fact) for fact in facts if fact)


def _samples(samples: Sequence[ShownSample]) -> None:
    """The samples that show it, as plain text: what a model wrote is never rendered."""
    for sample in samples:
        st.text(exhibit(sample))


def _fixes(fixes: Sequence[Fix]) -> None:
    for fix in fixes:
        st.markdown(f"**Try** {_change(fix)} {plain(said(fix.why))}")


def _change(fix: Fix) -> str:
    """`learning_rate 0.005 → 0.0005:`, as far as the values are known."""
    values = [typed(value) for value in (fix.current, fix.suggested) if value is not None]
    return f"`{fix.parameter}` {plain(' → '.join(values))}".rstrip() + " — "


def summary(diagnosis: Diagnosis) -> str:
    """How many findings of each severity there are, how many checks were quiet, and which could not run."""
    found_at = [finding.severity for finding in findings(diagnosis)]
    quiet = sum(outcome.verdict is Verdict.QUIET for outcome in diagnosis.outcomes)
    parts = (counts(found_at), f"{counted(quiet, 'check')} quiet", _blind_spots(diagnosis))
    return " · ".join(part for part in parts if part)


def _blind_spots(diagnosis: Diagnosis) -> str:
    """Which checks could not run, the first few with their reason."""
    spots = diagnosis.blind_spots
    if not spots:
        return ""
    named = "; ".join(f"{spot.rule}: {said(spot.message).rstrip('.')}" for spot in spots[:_BLIND_SPOTS_NAMED])
    more = "; …" if len(spots) > _BLIND_SPOTS_NAMED else ""
    return f"{len(spots)} could not run ({named}{more})"
