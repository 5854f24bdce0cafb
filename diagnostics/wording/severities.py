"""Verdicts and severities as words and shapes, so that none relies on its colour alone."""

from collections.abc import Iterable, Mapping

from diagnostics.language import N_, _
from diagnostics.model.outcome import Severity
from diagnostics.wording.values import counted

VERDICT_SHAPES: Mapping[str, str] = {
    "critical": "◆",
    "warning": "▲",
    "info": "●",
    "healthy": "✓",
    "no-problem-found": "○",
    "not-rl": "–",
}
_WORDS = {
    "info": N_("note"),
    "warning": N_("warning"),
    "critical": N_("critical"),
    "healthy": N_("healthy"),
    "no-problem-found": N_("no problem found"),
    "not-rl": N_("no RL"),
}


def verdict_word(verdict: str) -> str:
    """How a run's verdict or an outcome's severity is called: "critical", "warning", "note", "healthy"."""
    return _(_WORDS.get(verdict, str(verdict)))


def severity_counts(severities: Iterable[Severity | None]) -> str:
    """How many there are of each severity, worst first: "1 critical · 2 notes"."""
    listed = list(severities)
    counts = {severity: listed.count(severity) for severity in reversed(Severity)}
    return " · ".join(_counted(count, severity) for severity, count in counts.items() if count)


def _counted(count: int, severity: Severity) -> str:
    if severity is Severity.CRITICAL:
        return _("{count} critical").format(count=count)
    return counted(count, "warning") if severity is Severity.WARNING else counted(count, "note")
