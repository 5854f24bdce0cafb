"""Limits that the user overrides: checked against the rules' own, and refused in one sentence."""

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.language import N_
from diagnostics.model.diagnosis import LimitOverrides, UnknownLimitError
from diagnostics.rules.rule import Rule
from diagnostics.told import told


def effective_limits(rules: Iterable[Rule[Any, Any]], overrides: LimitOverrides) -> dict[str, Any]:
    """The limits of each rule by its name: its defaults with what `overrides` changes.

    Raises UnknownLimitError where `overrides` names a rule or a limit that does not exist, or a value does not fit.
    """
    limits = {rule.name: rule.limits for rule in rules}
    for name, values in overrides.items():
        if name not in limits:
            raise UnknownLimitError(
                told("there is no rule called {name}{nearest}", name=name, nearest=_nearest(name, limits))
            )
        limits[name] = limits[name].replaced(**_checked(name, limits[name], values))
    return limits


def _checked(rule: str, defaults: Any, values: Mapping[str, Any]) -> dict[str, float]:
    names = [doc.name for doc in defaults.docs]
    for name in values:
        if name not in names:
            raise UnknownLimitError(
                told(
                    "{rule} has no limit called {name}{nearest}; it has {names}",
                    rule=rule,
                    name=name,
                    nearest=_nearest(name, names),
                    names=", ".join(names) or told("none"),
                )
            )
    return {name: _number(f"{rule}.{name}", getattr(defaults, name), value) for name, value in values.items()}


def _number(name: str, default: float, value: Any) -> float:
    """The value as the default's kind of number: limits that are counts are whole and positive."""
    counts = isinstance(default, int)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or (counts and (value != int(value) or value < 1)):
        words = N_("{name} must be a positive whole number, but is {value}")
        raise UnknownLimitError(
            told(words if counts else N_("{name} must be a number, but is {value}"), name=name, value=repr(value))
        )
    return int(value) if counts else float(value)


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return told(" (did you mean {name}?)", name=close[0]) if close else ""
