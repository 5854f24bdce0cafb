"""Verdicts and severities as words and shapes, so that none relies on its colour alone."""

from collections.abc import Iterable, Mapping

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
_WORDS = {"info": "note", "no-problem-found": "no problem found", "not-rl": "no RL"}
_UNCOUNTABLE = frozenset({"critical"})


def verdict_word(verdict: str) -> str:
    """How a run's verdict or an outcome's severity is called: "critical", "warning", "note", "healthy"."""
    return _WORDS.get(verdict, str(verdict))


def severity_counts(severities: Iterable[Severity | None]) -> str:
    """How many there are of each severity, worst first: "1 critical · 2 notes"."""
    listed = list(severities)
    counts = {severity: listed.count(severity) for severity in reversed(Severity)}
    return " · ".join(_counted(count, verdict_word(severity)) for severity, count in counts.items() if count)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if word in _UNCOUNTABLE else counted(count, word)
