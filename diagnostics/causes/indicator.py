"""An indicator: a rule that, when fired, speaks for a cause or against it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run

Condition = Callable[[Outcome, Run], bool]


def always_true(outcome: Outcome, run: Run) -> bool:
    return True


def always_false(outcome: Outcome, run: Run) -> bool:
    return False


def is_critical(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.CRITICAL


def is_warning(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.WARNING


def is_worse_than_a_note(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is not Severity.INFO


@dataclass(frozen=True, slots=True)
class Indicator:
    """A rule, and the conditions on its outcome.

    beside: rules one of which must have fired as well, as the rule alone says too little · alone: whether it counts
    only while nothing else is worse than a note, which would say more · counts: whether the outcome
    indicates the cause in this run · proves: whether it cannot be a mere consequence of another cause · escalates:
    whether it shows something critical, whatever severity the rule gave it.
    """

    rule: str
    counts: Condition = always_true
    proves: Condition = always_false
    escalates: Condition = always_false
    beside: tuple[str, ...] = ()
    alone: bool = False

    def applies(self, fired: Mapping[str, Outcome], run: Run) -> bool:
        """Whether the rule fired, beside what it needs, and its outcome counts."""
        is_backed = not self.beside or not fired.keys().isdisjoint(self.beside)
        is_only = not self.alone or not any(found.is_alarm for rule, found in fired.items() if rule != self.rule)
        return self.rule in fired and is_backed and is_only and self.counts(fired[self.rule], run)
