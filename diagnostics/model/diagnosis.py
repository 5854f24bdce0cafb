"""What a diagnosis says: outcomes of single rules, causes that explain them, and the verdict over a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from diagnostics.model.messages import Message
from diagnostics.model.run import NO_STEPS, NO_VALUES, Run, Steps, Values

OF_SAMPLES = "SM"
"""How the codes of checks of samples begin."""


class Severity(StrEnum):
    """How bad a fired rule is: note it, look at it, stop the run."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info, 1 for warning, 2 for critical."""
        return list(Severity).index(self)


class Verdict(StrEnum):
    """What became of one rule on one run; never a bool, never silence."""

    FIRED = "fired"
    QUIET = "quiet"
    SKIPPED = "skipped"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Fix:
    """One setting to change, in the producer's own argument name; `current` and `suggested` are None where unknown."""

    parameter: str
    current: Any
    suggested: Any
    why: Message
    source: str


@dataclass(frozen=True, slots=True)
class ShownSample:
    """A sample that shows what a rule found: `row` is its place, from 0, among the samples of its step.

    `quote` is its response on one line, shortened.
    """

    step: int
    row: int
    why: Message
    quote: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The points that made a rule fire, with a few before them, and samples that show it, the most telling first.

    steps (N,) int64 · values (N,) float64.
    """

    steps: Steps = field(default_factory=lambda: NO_STEPS)
    values: Values = field(default_factory=lambda: NO_VALUES)
    samples: tuple[ShownSample, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rule found.

    Fired: severity, steps, measured, limit, message, and `headline`, the finding as one would say it. Quiet: measured
    and limit. Skipped: `message` is the reason and `enable` what would let it run; `applies` is False where the run has
    nothing of the kind, so that nothing is missed. Broken: `message` names the exception. `metric` is the canonical
    name of the judged series, `tag` the producer's name for it; `unit` is that of measured and limit. `still` is True
    when the episode had not ended at the last logged step, `is_of_start` where the first point alone was judged.
    Messages are rendered with `diagnostics.rules.templates()`.
    """

    code: str
    rule: str
    verdict: Verdict
    message: Message
    headline: Message | None = None
    grade: str = ""
    source: str = ""
    severity: Severity | None = None
    first_step: int | None = None
    last_step: int | None = None
    still: bool = False
    measured: float | None = None
    limit: float | None = None
    limit_is_default: bool = True
    is_of_start: bool = False
    unit: str = ""
    metric: str = ""
    tag: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    fixes: tuple[Fix, ...] = ()
    enable: Message | None = None
    applies: bool = True
    parameters: tuple[str, ...] = ()  # the settings that a pre-flight check is about, in the program's names


@dataclass(frozen=True, slots=True)
class Rival:
    """Another cause that the same findings may mean, and what would decide between the two."""

    cause: str
    decides: Message


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation for several outcomes: the rules it explains, what speaks against it, the settings to change.

    `rivals` are other causes that the findings at its core may mean as well.
    """

    cause: str
    severity: Severity
    summary: Message
    first_step: int
    last_step: int
    outcomes: tuple[str, ...]
    against: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    rivals: tuple[Rival, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The verdict on one run: every rule's outcome, the causes ranked worst first.

    `limits` are those that were overridden: rule name → field of its Limits → value.
    """

    run: Run
    outcomes: tuple[Outcome, ...]
    causes: tuple[Cause, ...] = ()
    limits: "Limits" = field(default_factory=dict)
    preflight: tuple[Outcome, ...] = ()  # what the checks of its settings came to; they never change the verdict

    @property
    def fired(self) -> tuple[Outcome, ...]:
        """Fired outcomes, worst first, then the earliest."""
        found = [outcome for outcome in self.outcomes if outcome.verdict is Verdict.FIRED]
        return tuple(sorted(found, key=_worst_then_earliest))

    @property
    def blind_spots(self) -> tuple[Outcome, ...]:
        """What could not be checked though it should be: skipped and broken rules."""
        return tuple(o for o in self.outcomes if o.verdict in (Verdict.SKIPPED, Verdict.BROKEN) and o.applies)

    @property
    def not_applicable(self) -> tuple[Outcome, ...]:
        """What this run has nothing of: a rule of graded rewards where answers are right or wrong, KL without beta."""
        return tuple(outcome for outcome in self.outcomes if not outcome.applies)

    @property
    def verdict(self) -> str:
        """The worst severity that fired, else `healthy`; `not-judged` when fewer than half of the rules could run.

        A run without a metric is not judged either. Half of the rules that apply and judge metrics: a run that logs few
        samples is judged by its metrics.
        """
        if self.fired:
            return self.fired[0].severity or Severity.INFO
        by_metrics = [o for o in self.outcomes if o.applies and not o.code.startswith(OF_SAMPLES)]
        judged = sum(outcome.verdict is Verdict.QUIET for outcome in by_metrics)
        is_judged = bool(self.run.series) and judged and 2 * judged >= len(by_metrics)
        return "healthy" if is_judged else "not-judged"


def _worst_then_earliest(outcome: Outcome) -> tuple[int, int]:
    return -(outcome.severity or Severity.INFO).rank, outcome.first_step or 0


Limits = Mapping[str, Mapping[str, float]]
"""Overridden limits: rule name → field of the rule's Limits → value."""


class UnknownLimitError(ValueError):
    """Overridden limits name a rule or a field that does not exist, or give it a value of the wrong kind."""


Outcomes = Sequence[Outcome]
