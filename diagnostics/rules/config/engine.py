"""The engine: applies every check that means something for a setup, and turns each answer into an outcome."""

import dataclasses
from collections.abc import Iterable, Mapping

from diagnostics.model.diagnosis import LimitOverrides, UnknownLimitError
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.settings import as_number
from diagnostics.model.setup import Setup
from diagnostics.rules.config.check import Check, Concern, Finding, Fine, Unknown

TEXTS: Mapping[str, str] = {
    "preflight.quiet": "Nothing found.",
    "preflight.unstated": "{parameter} is not given, and what counts then is not known.",
    "preflight.unstated.enable": "Give {parameter}.",
    "preflight.unread": "{parameter} is left to the model's generation_config.json, which was not found.",
    "preflight.unread.enable": "Name the model's folder, or give {parameter}.",
    "preflight.broken": "The check itself failed with {error}: {text}",
    "preflight.broken.enable": "Report it with the configuration; the other checks are not affected.",
}


def evaluate(setup: Setup, checks: Iterable[Check], limits: LimitOverrides) -> tuple[Outcome, ...]:
    """The outcome of each check that applies, in their order.

    Raises UnknownLimitError, in one sentence, where `limits` do not fit the checks.
    """
    checks = tuple(checks)
    _check_limits(checks, limits)
    return tuple(_apply(check, setup, limits.get(check.name, {})) for check in checks if check.applies(setup))


def _check_limits(checks: tuple[Check, ...], limits: LimitOverrides) -> None:
    known = {check.name: check.limits for check in checks}
    for name, values in limits.items():
        if name not in known:
            raise UnknownLimitError(f"there is no pre-flight check called {name}")
        for field, value in values.items():
            if field not in known[name]:
                raise UnknownLimitError(
                    f"{name} has no limit called {field}; it has {', '.join(known[name]) or 'none'}"
                )
            if as_number(value) is None:
                raise UnknownLimitError(f"{name}.{field} must be a number, but is {value!r}")


def _apply(check: Check, setup: Setup, overridden: Mapping[str, float]) -> Outcome:
    chosen = {**{name: limit.value for name, limit in check.limits.items()}, **overridden}
    blank = Outcome(
        code=check.code,
        rule=check.name,
        verdict=Verdict.SKIPPED,
        message=Message("preflight.quiet"),
        grade=check.grade,
        source=check.source,
        limit_is_default=not overridden,
    )
    missing = next((name for name in check.reads if setup.get(name) is None), None)
    if missing is not None:
        return _with(blank, _unstated(setup, missing))
    try:
        finding = check.judge(setup, chosen)
    except Exception as error:  # one broken check must not hide what the others find
        message = Message("preflight.broken", {"error": type(error).__name__, "text": str(error)})
        enable = Message("preflight.broken.enable")
        return dataclasses.replace(blank, verdict=Verdict.BROKEN, message=message, enable=enable)
    return _with(blank, finding)


def _unstated(setup: Setup, name: str) -> Unknown:
    template = "preflight.unread" if setup.is_left_to_the_model(name) else "preflight.unstated"
    values = {"parameter": setup.parameter(name)}
    return Unknown(Message(template, values), Message(f"{template}.enable", values))


def _with(blank: Outcome, finding: Finding) -> Outcome:
    match finding:
        case Unknown(message, enable):
            return dataclasses.replace(blank, message=message, enable=enable)
        case Fine(measured, limit, unit):
            return dataclasses.replace(blank, verdict=Verdict.QUIET, measured=measured, limit=limit, unit=unit)
        case Concern():
            return _fired(blank, finding)


def _fired(blank: Outcome, concern: Concern) -> Outcome:
    is_folklore = blank.grade == "F" and concern.severity is Severity.CRITICAL
    return dataclasses.replace(
        blank,
        verdict=Verdict.FIRED,
        severity=Severity.WARNING if is_folklore else concern.severity,
        message=concern.message,
        measured=concern.measured,
        limit=concern.limit,
        unit=concern.unit,
        fixes=concern.fixes,
        parameters=concern.parameters,
    )
