"""The verdict on a run: the worst finding in full, the others in a line each, and what could not be checked."""

from collections.abc import Sequence

import streamlit as st

from app.theme import VERDICTS
from app.widgets.rule_text import rule_text
from app.words import measured_against_limit, plain, said, steps_of
from diagnostics.diagnosis import Cause, Diagnosis, Fix, Outcome, Verdict
from diagnostics.messages import shown
from diagnostics.report.contents import exhibit, verdict_sentence

_BLIND_SPOTS_NAMED = 1


def verdict(diagnosis: Diagnosis) -> None:
    """Draw the verdict; a run without findings says what was checked."""
    fired = diagnosis.fired
    if not fired:
        _no_finding(diagnosis)
        return
    _worst(fired[0], diagnosis.causes)
    for outcome in fired[1:]:
        _other(outcome)


def headline(diagnosis: Diagnosis) -> str:
    """The verdict as one sentence."""
    if diagnosis.fired:
        worst = diagnosis.fired[0]
        return said(worst.headline or worst.message)
    return verdict_sentence(diagnosis)


def _no_finding(diagnosis: Diagnosis) -> None:
    sign = VERDICTS[diagnosis.verdict]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":{sign.colour}-badge[{sign}] **{plain(headline(diagnosis))}**")


def _worst(outcome: Outcome, causes: Sequence[Cause]) -> None:
    """The worst finding: what it is, what was measured, the likely cause, what to try, where that comes from."""
    sign = VERDICTS[outcome.severity or "info"]
    cause = next((cause for cause in causes if outcome.rule in cause.outcomes), None)
    title = said(outcome.headline or outcome.message)
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":{sign.colour}-badge[{sign}] **{plain(title)}**")
        st.markdown(_facts(outcome))
        _samples(outcome)
        if cause and said(cause.summary) != title:
            st.markdown(f"**Likely cause** {plain(said(cause.summary))}")
        _fixes((cause.fixes if cause else ()) or outcome.fixes)  # the cause knows more than its symptom
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Check {outcome.code} {plain(outcome.rule)} · Source: {plain(outcome.source)}")
            with st.popover("Why", type="tertiary"):
                rule_text(outcome.rule)


def _other(outcome: Outcome) -> None:
    """Another finding: folded, one line; in it the same facts as for the worst."""
    sign = VERDICTS[outcome.severity or "info"]
    label = f":{sign.colour}-badge[{sign}] {plain(said(outcome.headline or outcome.message))} "
    with st.expander(f"{label} :gray[{plain(steps_of(outcome))}]"):
        st.markdown(_facts(outcome))
        _samples(outcome)
        _fixes(outcome.fixes)
        st.caption(f"Check {outcome.code} {plain(outcome.rule)} · Source: {plain(outcome.source)}")


def _facts(outcome: Outcome) -> str:
    facts = (said(outcome.message).rstrip("."), f"measured {measured_against_limit(outcome)}", steps_of(outcome))
    return " · ".join(plain(fact) for fact in facts if fact)


def _samples(outcome: Outcome) -> None:
    """The samples that show it, as plain text: what a model wrote is never rendered."""
    for sample in outcome.evidence.samples:
        st.text(exhibit(sample))


def _fixes(fixes: Sequence[Fix]) -> None:
    for number, fix in enumerate(fixes):
        st.markdown(f"**{'Try' if number == 0 else 'or'}** {_change(fix)} {plain(said(fix.why))}")


def _change(fix: Fix) -> str:
    """`learning_rate 0.005 → 0.0005:`, as far as the values are known."""
    values = [shown(value) for value in (fix.current, fix.suggested) if value is not None]
    return f"`{fix.parameter}` {plain(' → '.join(values))}".rstrip() + " — "


def summary(diagnosis: Diagnosis) -> str:
    """How many checks fired at each severity, how many were quiet, and which could not run."""
    counts = {name: sum(o.severity == name for o in diagnosis.fired) for name in ("critical", "warning", "info")}
    found = [f"{count} {VERDICTS[name].word}" for name, count in counts.items() if count]
    quiet = sum(outcome.verdict is Verdict.QUIET for outcome in diagnosis.outcomes)
    return " · ".join(part for part in (*found, f"{quiet} checks quiet", _blind_spots(diagnosis)) if part)


def _blind_spots(diagnosis: Diagnosis) -> str:
    """Which checks could not run, the first few with their reason."""
    spots = diagnosis.blind_spots
    if not spots:
        return ""
    named = "; ".join(f"{spot.rule}: {said(spot.message).rstrip('.')}" for spot in spots[:_BLIND_SPOTS_NAMED])
    more = "; …" if len(spots) > _BLIND_SPOTS_NAMED else ""
    return f"{len(spots)} could not run ({named}{more})"
