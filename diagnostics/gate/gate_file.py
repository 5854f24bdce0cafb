"""GATE.toml: the window, the budgets, the findings that are allowed, and what the baseline measured."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from diagnostics.addresses import shown
from diagnostics.foreign_files.documents import read_toml
from diagnostics.gate.intervals import Side
from diagnostics.language import _
from diagnostics.model.outcome import Severity
from diagnostics.punctuation import labelled, listed
from diagnostics.told import reason

FALSE_FAIL_RATE = 0.05
RATIOS = ("step_time", "wall_time", "memory")
_TOP = frozenset({"steps", "false_fail_rate", "metrics", "ratios", "findings", "first_step"})
_OF_METRIC = frozenset({"worse", "allowed", "min", "max", "baseline", "noise"})
_OF_RATIO = frozenset({"max", "baseline", "noise"})
_OF_FINDINGS = frozenset({"fail_on", "allow"})
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,200}")

Worse = Literal["lower", "higher", "either"]


class GateError(ValueError):
    """The gate cannot be judged as asked: a sentence that says why, and what to change."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What the mean of one metric over the window may be.

    `worse`: in which direction it must not differ from the baseline by more than `allowed`; None for no comparison ·
    `low`, `high`: between which it must lie, whatever the baseline is.
    """

    worse: Worse | None = None
    allowed: float = 0.0
    low: float | None = None
    high: float | None = None
    baseline: Side | None = None

    @property
    def comparisons(self) -> int:
        """How many of its bounds can fail by chance."""
        sides = {"either": 2, None: 0}.get(self.worse, 1)
        return sides + sum(bound is not None for bound in (self.low, self.high))


@dataclass(frozen=True, slots=True)
class RatioBudget:
    """How many times the baseline's time or memory is allowed; `baseline` holds the logarithms of these."""

    most: float
    baseline: Side | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """What a metric must be at the first logged step, and how far from it it may be."""

    value: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class Gate:
    """All that is demanded of the candidates. `steps` are the first and the last of the window."""

    steps: tuple[int, int]
    metrics: Mapping[str, Budget] = field(default_factory=dict)
    ratios: Mapping[str, RatioBudget] = field(default_factory=dict)
    first_step: Mapping[str, Expected] = field(default_factory=dict)
    fail_on: Severity = Severity.WARNING
    allowed_findings: frozenset[str] = frozenset()
    false_fail_rate: float = FALSE_FAIL_RATE

    @property
    def rate(self) -> float:
        """Of one bound: the whole gate's rate shared among all bounds that can fail by chance (Bonferroni)."""
        count = sum(budget.comparisons for budget in self.metrics.values()) + len(self.ratios)
        return self.false_fail_rate / max(count, 1)


def read_gate(path: Path) -> Gate:
    """The gate in a file. Raises GateError with a sentence where it cannot be read or says something unknown."""
    try:
        document = read_toml(path)
    except OSError as error:
        sentence = _("cannot read the gate {file}: {error}")
        raise GateError(sentence.format(file=shown(path), error=error.strerror or error)) from error
    except ValueError as error:
        raise GateError(
            _("the gate {file} is not TOML: {error}").format(file=shown(path), error=reason(error))
        ) from error
    try:
        return _gate(document)
    except GateError as error:
        raise GateError(labelled(shown(path), str(error))) from error


def _gate(document: Mapping[str, Any]) -> Gate:
    _check_keys(document, _TOP, _("the file"))
    findings = _table(document, "findings")
    _check_keys(findings, _OF_FINDINGS, "[findings]")
    rate = _number(document, "false_fail_rate", FALSE_FAIL_RATE)
    if not 0 < rate < 1:
        sentence = _("false_fail_rate is a share between 0 and 1, such as {example}, and not {value}")
        raise GateError(sentence.format(example=FALSE_FAIL_RATE, value=rate))
    return Gate(
        steps=_steps(document.get("steps")),
        metrics={name: _budget(name, table) for name, table in _tables(document, "metrics")},
        ratios={name: _ratio(name, table) for name, table in _tables(document, "ratios")},
        first_step={name: _expected(name, value) for name, value in _table(document, "first_step").items()},
        fail_on=_severity(findings.get("fail_on", Severity.WARNING.value)),
        allowed_findings=frozenset(_texts(findings.get("allow", []))),
        false_fail_rate=rate,
    )


def _steps(value: Any) -> tuple[int, int]:
    match value:
        case [int(first), int(last)] if first <= last and not isinstance(first, bool):
            return first, last
    raise GateError(_("steps must name the first and the last step of the window, such as steps = [80, 100]"))


def _budget(name: str, table: Mapping[str, Any]) -> Budget:
    where = f"[metrics.{name}]"
    _check_keys(table, _OF_METRIC, where)
    worse = table.get("worse")
    if worse not in ("lower", "higher", "either", None):
        sentence = _('{where}: worse is "lower", "higher" or "either", and not {value}')
        raise GateError(sentence.format(where=where, value=repr(worse)))
    low, high = (_optional(table, key, where) for key in ("min", "max"))
    if worse is None and low is None and high is None:
        raise GateError(_("{where} demands nothing: give worse, min or max").format(where=where))
    allowed = _number(table, "allowed", 0.0, where)
    if allowed < 0:
        sentence = _("{where}: allowed is a size in the metric's unit, 0 or more, and not {value}")
        raise GateError(sentence.format(where=where, value=allowed))
    return Budget(worse, allowed, low, high, _side(table, where))


def _ratio(name: str, table: Mapping[str, Any]) -> RatioBudget:
    where = f"[ratios.{name}]"
    if name not in RATIOS:
        raise GateError(_("there is no ratio {name}; there are {known}").format(name=name, known=listed(RATIOS)))
    _check_keys(table, _OF_RATIO, where)
    most = _optional(table, "max", where)
    if most is None or most <= 0:
        sentence = _("{where} needs max, how many times the baseline is allowed, such as max = 1.25")
        raise GateError(sentence.format(where=where))
    side = _side(table, where)
    if side is not None and min(side.values) <= 0:
        raise GateError(_("{where}: a time or a size of the baseline is more than 0").format(where=where))
    return RatioBudget(most, side and Side(tuple(map(math.log, side.values)), side.noise))


def _side(table: Mapping[str, Any], where: str) -> Side | None:
    """What the baseline's runs measured, where the file holds it."""
    values = table.get("baseline")
    if values is None:
        return None
    if not isinstance(values, list) or not values or not all(map(_is_number, values)):
        raise GateError(_("{where}: baseline is a list with a number for each baseline run").format(where=where))
    return Side(tuple(map(float, values)), _number(table, "noise", 0.0, where))


def _expected(name: str, value: Any) -> Expected:
    match value:
        case [number, tolerance] if _is_number(number) and _is_number(tolerance) and tolerance >= 0:
            return Expected(float(number), float(tolerance))
    sentence = _("[first_step] {name} is the expected value and a tolerance, such as [0.0, 0.001]")
    raise GateError(sentence.format(name=name))


def _severity(value: Any) -> Severity:
    try:
        return Severity(value)
    except ValueError:
        sentence = _("[findings] fail_on is info, warning or critical, and not {value}")
        raise GateError(sentence.format(value=repr(value))) from None


def _check_keys(table: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    if unknown := sorted(set(table) - known):
        sentence = _("{where} has {name}, which nothing reads; known are {known}")
        raise GateError(sentence.format(where=where, name=repr(unknown[0]), known=listed(sorted(known))))


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name, {})
    if not isinstance(found, dict):
        raise GateError(_("{name} is a table: write {header} above its entries").format(name=name, header=f"[{name}]"))
    return found


def _tables(document: Mapping[str, Any], name: str) -> list[tuple[str, Mapping[str, Any]]]:
    found = _table(document, name)
    for key, table in found.items():
        if not isinstance(table, dict) or not _NAME.fullmatch(key):
            sentence = _("{name}: {key} is no table; write {header} above its entries")
            raise GateError(sentence.format(name=name, key=repr(key), header=f"[{name}.NAME]"))
    return list(found.items())


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise GateError(_('[findings] allow is a list of names, such as allow = ["zero-variance-groups"]'))
    return value


def _number(table: Mapping[str, Any], name: str, default: float, where: str = "") -> float:
    found = _optional(table, name, where or _("the file"))
    return default if found is None else found


def _optional(table: Mapping[str, Any], name: str, where: str) -> float | None:
    value = table.get(name)
    if value is not None and not _is_number(value):
        sentence = _("{where}: {name} is a number, and not {value}")
        raise GateError(sentence.format(where=where, name=name, value=repr(value)))
    return None if value is None else float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
