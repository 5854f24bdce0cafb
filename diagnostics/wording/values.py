"""Numbers, units, counts and settings in words."""

from diagnostics.language import _, ngettext
from diagnostics.model.messages import Value, format_setting, format_value
from diagnostics.model.outcome import Outcome

_REDUNDANT_UNITS = frozenset({"ratio", "loss", "norm", "reward"})  # the metric's name says it already


def value_with_unit(value: Value, unit: str = "") -> str:
    """A measured value with its unit, a fraction as a percentage: "10 nats/sequence", "95 %"."""
    if unit == "fraction" and isinstance(value, float):
        return f"{format_value(100 * value)} %"
    return format_value(value) if unit in _REDUNDANT_UNITS else f"{format_value(value)} {_(unit)}".rstrip()


def measured_and_limit(outcome: Outcome) -> str:
    """What was measured beside its limit: "94 %, limit 80 %", "0.31 nats/token, limit 0.2"; empty for none."""
    if outcome.measured is None:
        return ""
    measured = value_with_unit(outcome.measured, outcome.unit)
    if outcome.limit is None:
        return measured
    is_share = outcome.unit == "fraction"  # the unit is told once, but a percentage is no number without its sign
    limit = value_with_unit(outcome.limit, outcome.unit if is_share else "")
    return _("{measured}, limit {limit}").format(measured=measured, limit=limit)


def optional_value(value: float | None) -> str:
    """A number with three significant digits; empty for None."""
    return "" if value is None else format_value(float(value))


def setting_text(value: object) -> str:
    """A setting as one types it, a list without brackets: "0.0002", "accuracy, brevity"."""
    return ", ".join(map(format_setting, value)) if isinstance(value, list | tuple) else format_setting(value)


def counted(count: int, noun: str) -> str:
    """A count with its English noun: "1 rewind", "2 rewinds"; its translation is that of "{count} rewind"."""
    return ngettext(f"{{count}} {noun}", f"{{count}} {noun}s", count).format(count=f"{count:,}")
