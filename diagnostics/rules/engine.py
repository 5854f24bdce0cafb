"""The engine: applies every rule that means something for a run or a setup; each finding becomes an outcome."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.model.derivation import Derivation
from diagnostics.model.diagnosis import LimitOverrides
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Evidence, Outcome, Severity, Stretch, Verdict, regraded
from diagnostics.model.run import Run
from diagnostics.model.setup import Setup
from diagnostics.rules.escalation import escalated
from diagnostics.rules.harm import graded_by_harm
from diagnostics.rules.lasting import lasting
from diagnostics.rules.overrides import effective_limits
from diagnostics.rules.rule import Fired, Quiet, Rule, RuleResult, Skipped, alternatives
from diagnostics.rules.telling_samples import telling_samples

TEXTS: Mapping[str, str] = {
    "engine.too-few": "Too few logged points in a row without NaN: {needed} needed from the start on, {found} in the "
    "run.",
    "engine.too-few.enable": "Log at least {needed} points.",
    "engine.quiet": "Nothing found: {measured}, limit {limit}.",
    "engine.quiet-unit": "Nothing found: {measured}, limit {limit} {unit}.",
    "engine.quiet-unmeasured": "Nothing found.",
    "engine.broken": "The check itself failed with {error}: {text}",
    "engine.broken.enable": "Report it with {material}; the other checks are not affected.",
}


def evaluate(
    subject: Run | Setup, catalog: Iterable[Rule[Any, Any]], limits: LimitOverrides | None = None
) -> tuple[Outcome, ...]:
    """The outcome of every rule that judges such a subject and applies to it, in the catalogue's order.

    Raises UnknownLimitError, in one sentence, where `limits` do not fit the catalogue.
    """
    rules = tuple(catalog)
    chosen = effective_limits(rules, limits or {})
    subject = _with_cached_samples(subject) if isinstance(subject, Run) else subject
    judged = ((rule, rule.seen(subject)) for rule in rules if isinstance(subject, rule.subject))
    applying = ((rule, seen) for rule, seen in judged if rule.applies(seen))
    found = escalated(rules, (_apply(rule, seen, chosen[rule.name]) for rule, seen in applying))
    if not isinstance(subject, Run):
        return found

    def judge(rule: Rule[Any, Any], run: Run) -> Outcome:
        return _apply(rule, rule.seen(run), chosen[rule.name])

    return lasting(rules, subject, graded_by_harm(rules, subject, found), judge)


def _with_cached_samples(run: Run) -> Run:
    """The run with each table of samples read only once, because several rules read the same ones."""
    return dataclasses.replace(run, samples=run.samples.cached())


def _apply(rule: Rule[Any, Any], subject: Any, limits: Any) -> Outcome:
    missing = rule.missing(subject)
    if missing:
        return _outcome(rule, subject, limits, rule.why_missing(subject, missing[0]))
    try:
        finding = rule.check(subject, limits)
    except Exception as error:  # one broken rule must not hide what the others find
        return _failed_outcome(rule, limits, error)
    return _outcome(rule, subject, limits, finding)


def _failed_outcome(rule: Rule[Any, Any], limits: Any, error: Exception) -> Outcome:
    message = Message("engine.broken", {"error": type(error).__name__, "text": str(error)})
    enable = Message("engine.broken.enable", {"material": rule.material})
    return _empty_outcome(rule, limits, Verdict.BROKEN, message, enable=enable)


def _empty_outcome(rule: Rule[Any, Any], limits: Any, verdict: Verdict, message: Message, **fields: Any) -> Outcome:
    return Outcome(
        code=rule.code,
        rule=rule.name,
        verdict=verdict,
        message=message,
        grade=rule.grade,
        source=rule.source,
        limit_is_default=limits == rule.limits,
        is_of_start=rule.judges_start,
        **fields,
    )


def _outcome(rule: Rule[Any, Any], subject: Any, limits: Any, finding: RuleResult) -> Outcome:
    match finding:
        case Skipped(message, enable, applies):
            return _empty_outcome(rule, limits, Verdict.SKIPPED, message, enable=enable, applies=applies)
        case Quiet():
            judged = {**_measurement(finding), "derived": _derived_inputs(rule, subject)}
            return _empty_outcome(rule, limits, Verdict.QUIET, _quiet_message(finding), **judged)
        case Fired():
            return _fired(rule, subject, limits, finding)


def _measurement(finding: Quiet | Fired) -> dict[str, Any]:
    names = ("measured", "limit", "unit", "metric", "tag")
    return {name: getattr(finding, name) for name in names}


def _derived_inputs(rule: Rule[Any, Any], subject: Any) -> dict[str, Derivation]:
    """How the inputs of a rule that are not logged were derived, by metric."""
    inputs = (subject.get(*alternatives(item)) for item in rule.inputs) if isinstance(subject, Run) else ()
    return {series.name: series.derivation for series in inputs if series is not None and series.derivation}


def _quiet_message(finding: Quiet) -> Message:
    if finding.measured is None or finding.limit is None:
        return Message("engine.quiet-unmeasured")
    values: dict[str, Value] = {"measured": finding.measured, "limit": finding.limit}
    if not finding.unit:
        return Message("engine.quiet", values)
    return Message("engine.quiet-unit", {**values, "unit": finding.unit})


def _fired(rule: Rule[Any, Any], subject: Any, limits: Any, finding: Fired) -> Outcome:
    severity = _capped_by_grade(rule.grade, finding.severity)
    return _empty_outcome(
        rule,
        limits,
        Verdict.FIRED,
        finding.message,
        **_measurement(finding),
        derived=_derived_inputs(rule, subject),
        headline=finding.headline,
        severity=severity,
        first_step=finding.first_step,
        last_step=finding.last_step,
        still=finding.still,
        episodes=regraded(finding.episodes or _only_episode(finding), severity),
        evidence=_evidence(rule, subject, finding),
        remedies=rule.remedies if finding.remedies is None else finding.remedies,
        parameters=finding.parameters,
        fixes=finding.fixes,
    )


def _only_episode(finding: Fired) -> tuple[Stretch, ...]:
    """The steps of a finding that counts no episodes; none for a finding about settings."""
    if finding.first_step is None or finding.last_step is None:
        return ()
    return (Stretch(finding.first_step, finding.last_step, finding.severity, finding.still, limit=finding.limit),)


def _evidence(rule: Rule[Any, Any], subject: Any, finding: Fired) -> Evidence:
    """The finding's evidence, with telling samples where the rule names a kind and shows none itself."""
    if finding.evidence.samples or not rule.telling_samples or finding.first_step is None or finding.last_step is None:
        return finding.evidence
    shown = telling_samples(subject, rule.telling_samples, finding.first_step, finding.last_step)
    return dataclasses.replace(finding.evidence, samples=shown)


def _capped_by_grade(grade: str, severity: Severity) -> Severity:
    """A rule without a good source never stops a run alone."""
    return Severity.WARNING if grade == "F" and severity is Severity.CRITICAL else severity
