"""The engine: applies every rule that means something for a run, and turns each answer into an outcome."""

import dataclasses
import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.model.diagnosis import LimitOverrides, UnknownLimitError
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules.escalation import with_company
from diagnostics.rules.missing_metrics import why_missing
from diagnostics.rules.rule import Finding, Fired, Quiet, Rule, Skipped
from diagnostics.rules.telling_samples import exhibits

TEXTS: Mapping[str, str] = {
    "engine.too-few": "Too few logged points in a row without NaN: {needed} needed from the start on, {found} in the "
    "run.",
    "engine.too-few.enable": "Log at least {needed} points.",
    "engine.quiet": "Nothing found: {measured}, limit {limit}{unit}.",
    "engine.broken": "The check itself failed with {error}: {text}",
    "engine.broken.enable": "Report it with the run's log; the other checks are not affected.",
}


def evaluate(run: Run, catalog: Iterable[Rule[Any]], limits: LimitOverrides | None = None) -> tuple[Outcome, ...]:
    """The outcome of every rule that applies to the run, in the catalog's order.

    Raises UnknownLimitError, in one sentence, where `limits` do not fit the catalog.
    """
    rules = tuple(catalog)
    chosen = _limits(rules, limits or {})
    run = _with_cached_samples(run)
    return with_company(rules, (_apply(rule, run, chosen[rule.name]) for rule in rules if rule.applies(run)))


def _with_cached_samples(run: Run) -> Run:
    """The run with tables of samples that are read once, because several rules look at the same ones."""
    return dataclasses.replace(run, samples=run.samples.cached())


def _limits(rules: tuple[Rule[Any], ...], overridden: LimitOverrides) -> dict[str, Any]:
    known = {rule.name: rule.limits for rule in rules}
    for name, values in overridden.items():
        if name not in known:
            raise UnknownLimitError(f"there is no rule called {name}{_nearest(name, known)}")
        known[name] = dataclasses.replace(known[name], **_checked(name, known[name], values))
    return known


def _checked(rule: str, defaults: Any, values: Mapping[str, Any]) -> dict[str, float]:
    names = [item.name for item in dataclasses.fields(defaults)]
    for name in values:
        if name not in names:
            raise UnknownLimitError(
                f"{rule} has no limit called {name}{_nearest(name, names)}; it has {', '.join(names)}"
            )
    return {name: _number(f"{rule}.{name}", getattr(defaults, name), value) for name, value in values.items()}


def _number(name: str, default: float, value: Any) -> float:
    """The value as the default's kind of number: limits that count points are whole and positive."""
    counts = isinstance(default, int)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or (counts and (value != int(value) or value < 1)):
        raise UnknownLimitError(f"{name} must be a {'positive whole ' if counts else ''}number, but is {value!r}")
    return int(value) if counts else float(value)


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _apply(rule: Rule[Any], run: Run, limits: Any) -> Outcome:
    missing = rule.missing(run)
    if missing:
        return _outcome(rule, run, limits, why_missing(missing[0], run))
    try:
        finding = rule.check(run, limits)
    except Exception as error:  # one broken rule must not hide what the others find
        error_values: dict[str, Value] = {"error": type(error).__name__, "text": str(error)}
        message, enable = Message("engine.broken", error_values), Message("engine.broken.enable")
        return dataclasses.replace(_blank(rule, limits), verdict=Verdict.BROKEN, message=message, enable=enable)
    return _outcome(rule, run, limits, finding)


def _blank(rule: Rule[Any], limits: Any) -> Outcome:
    return Outcome(
        code=rule.code,
        rule=rule.name,
        verdict=Verdict.SKIPPED,
        message=Message("engine.too-few"),
        grade=rule.grade,
        source=rule.source,
        limit_is_default=limits == rule.limits,
        is_of_start=rule.judges_start,
    )


def _outcome(rule: Rule[Any], run: Run, limits: Any, finding: Finding) -> Outcome:
    blank = _blank(rule, limits)
    if isinstance(finding, Skipped):
        return dataclasses.replace(blank, message=finding.message, enable=finding.enable, applies=finding.applies)
    judged = dataclasses.replace(
        blank, measured=finding.measured, limit=finding.limit, unit=finding.unit, metric=finding.metric, tag=finding.tag
    )
    if isinstance(finding, Quiet):
        unit = f" {finding.unit}" if finding.unit else ""
        values: dict[str, Value] = {"measured": finding.measured, "limit": finding.limit, "unit": unit}
        return dataclasses.replace(judged, verdict=Verdict.QUIET, message=Message("engine.quiet", values))
    return _fired(rule, run, judged, finding)


def _fired(rule: Rule[Any], run: Run, judged: Outcome, finding: Fired) -> Outcome:
    evidence = finding.evidence
    if not evidence.samples:
        shown = exhibits(run, rule.exhibits, finding.first_step, finding.last_step)
        evidence = dataclasses.replace(evidence, samples=shown)
    return dataclasses.replace(
        judged,
        verdict=Verdict.FIRED,
        message=finding.message,
        headline=finding.headline,
        severity=_graded(rule.grade, finding.severity),
        first_step=finding.first_step,
        last_step=finding.last_step,
        still=finding.still,
        evidence=evidence,
        remedies=rule.remedies if finding.remedies is None else finding.remedies,
    )


def _graded(grade: str, severity: Severity) -> Severity:
    """Folklore never stops a run alone."""
    return Severity.WARNING if grade == "F" and severity is Severity.CRITICAL else severity
