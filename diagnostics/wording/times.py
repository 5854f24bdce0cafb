"""Spans and moments of time in words."""

from datetime import datetime

from diagnostics.language import N_, _

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_UNITS = ((2 * _DAY, _DAY, N_("days")), (2 * _HOUR, _HOUR, N_("h")), (_MINUTE, _MINUTE, N_("min")))
"""The number of seconds from which a unit is used, its length in seconds, its name."""


def duration(seconds: float) -> str:
    """A span of time in whole units: "40 s", "12 min", "3 h", "5 days"."""
    for start, length, unit in _UNITS:
        if seconds >= start:
            return f"{seconds / length:.0f} {_(unit)}"
    unit = _("s")
    return f"{max(seconds, 0):.0f} {unit}"


def age(moment: float | None, now: float) -> str:
    """How long ago a moment was, both in seconds since the epoch: "2 min ago"; empty where unknown."""
    return "" if moment is None else _("{duration} ago").format(duration=duration(now - moment))


def date_and_time(moment: float | None) -> str:
    """A moment, in seconds since the epoch, as local date and time; empty where unknown."""
    return "" if moment is None else datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S")
