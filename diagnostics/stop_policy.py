"""When a sick run is stopped: from which severity on or for which findings, after how many diagnoses in a row."""

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from diagnostics.language import _
from diagnostics.model.outcome import Severity
from diagnostics.punctuation import listed

CONFIRMATIONS = 2
"""Diagnoses in a row, each with newer steps, by default: a spike that the next steps take back stops nothing."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A finding that holds at the newest step: its name with those of its rules, and its severity."""

    name: str
    names: frozenset[str]
    severity: Severity


class StopPolicy:
    """Counts diagnoses in which something to stop for holds. Without anything to stop for it never asks for it."""

    def __init__(self, stop_on: str | Iterable[str] | None, confirmations: int, known: Collection[str]) -> None:
        """Raises ValueError for a word that is neither a severity nor a name in `known`, the rules and causes."""
        words = [stop_on] if isinstance(stop_on, str) else list(stop_on or ())
        severities = [Severity(word) for word in words if word in list(Severity)]
        self._severity = min(severities, key=lambda severity: severity.rank, default=None)
        self._names = frozenset(words) - frozenset(Severity)
        self._confirmations = max(1, confirmations)
        self._step: int | None = None
        self._counts: dict[str, int] = {}
        for word in self._names.difference(known):
            near = difflib.get_close_matches(word, [*map(str, Severity), *known], n=1)
            hint = _("'rlvitals rules' and 'rlvitals causes' list the names")
            if near:
                hint = _("did you mean {command}?").format(command=repr(near[0]))
            sentence = _("{setting} is neither a severity (info, warning, critical) nor a rule or a cause; {hint}")
            raise ValueError(sentence.format(setting=f"stop_on={word!r}", hint=hint))

    def reason(self, step: int | None, holding: Iterable[Holding]) -> str:
        """What to stop for, once it held in enough diagnoses in a row: "kl-runaway, critical"; else empty.

        A diagnosis without newer steps counts for nothing.
        """
        if step is None or (self._step is not None and step <= self._step):
            return ""
        self._step = step
        bad = [finding for finding in holding if self._is_reason(finding)]
        self._counts = {finding.name: self._counts.get(finding.name, 0) + 1 for finding in bad}
        ripe = [finding for finding in bad if self._counts[finding.name] >= self._confirmations]
        worst = max(ripe, key=lambda finding: finding.severity.rank, default=None)
        return listed((worst.name, _(worst.severity))) if worst else ""

    def _is_reason(self, finding: Holding) -> bool:
        is_bad_enough = self._severity is not None and finding.severity.rank >= self._severity.rank
        return is_bad_enough or bool(finding.names & self._names)
