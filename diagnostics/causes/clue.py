"""What points at a cause: a rule, and what must be true of its outcome for it to count."""

from collections.abc import Callable
from dataclasses import dataclass

from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run


@dataclass(frozen=True, slots=True)
class Clue:
    """A rule that points at a cause, where `counts` says that it does in this run.

    Where `proves` holds too, the finding cannot be the mere consequence of another cause. Where `is_grave` does, it
    shows something critical, whatever its own rule made of it.
    """

    rule: str
    counts: Callable[[Outcome, Run], bool] = lambda outcome, run: True
    proves: Callable[[Outcome, Run], bool] = lambda outcome, run: False
    is_grave: Callable[[Outcome, Run], bool] = lambda outcome, run: False


def always(outcome: Outcome, run: Run) -> bool:
    return True


def is_critical(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.CRITICAL


def is_warning(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.WARNING
