"""Outcomes: the verdict of one rule on one run, with its evidence and the settings to change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

from diagnostics.model.derivation import Derivation
from diagnostics.model.messages import Message
from diagnostics.model.series import NO_STEPS, NO_VALUES, Steps, Values

SAMPLE_CODE_PREFIX = "SM"
"""The codes of sample rules start with it."""
MOST_SHOWN_SAMPLES = 3
"""How many samples are shown beside one finding."""


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
    """The verdict of one rule on one run; never a bool, never silence."""

    FIRED = "fired"
    QUIET = "quiet"
    SKIPPED = "skipped"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Fix:
    """One thing to try: a setting to change, in the producer's own argument name, or in words alone.

    `parameter` is empty where nothing is to be set, or the producer's name for it is not known; `current` and
    `suggested` are None where unknown.
    """

    parameter: str
    current: Any
    suggested: Any
    why: Message
    source: str


@dataclass(frozen=True, slots=True)
class ShownSample:
    """A sample that shows what a rule found: `row` is its index among the samples of its step.

    `quote` is its response on one line, shortened.
    """

    step: int
    row: int
    why: Message
    quote: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The points that made a rule fire, with a few before them, and the samples that show it best.

    steps (N,) int64 · values (N,) float64.
    """

    steps: Steps = field(default_factory=lambda: NO_STEPS)
    values: Values = field(default_factory=lambda: NO_VALUES)
    samples: tuple[ShownSample, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """One episode of a finding, in steps: how bad it was, how far it went, and how much of it was past the limit.

    `peak` is the logged value farthest past `limit`, at `peak_step`; `share` is the part of the logged points, neither
    smoothed nor averaged, that reached the limit. They are None where no single point is judged. `still`: it had not
    ended at the last logged point.
    """

    first_step: int
    last_step: int
    severity: Severity
    still: bool = False
    peak: float | None = None
    peak_step: int | None = None
    limit: float | None = None
    share: float | None = None


def regraded(stretches: Iterable[Stretch], severity: Severity) -> tuple[Stretch, ...]:
    """The stretches of a finding that has been given this severity: the gravest have it, and none is graver."""
    found = tuple(stretches)
    gravest = max((stretch.severity.rank for stretch in found), default=0)
    return tuple(
        replace(stretch, severity=severity) if stretch.severity.rank >= min(gravest, severity.rank) else stretch
        for stretch in found
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one rule.

    Fired: severity, steps, measured, limit, message, `headline`, the finding in one sentence, and `episodes`, every
    stretch in which it was so; the steps are those of the gravest that still holds, else of the gravest, while the
    severity is the worst of all. Quiet: measured and limit. Skipped: `message` is the reason and `enable` what would
    let it run; `applies` is False where the rule is not about runs of this kind. Broken: `message` names the exception.
    `metric` is the canonical name of the judged series, `tag` the producer's name for it; `unit` is that of measured
    and limit. `still` is True where the episode had not ended at the last logged step, `is_of_start` where the first
    point alone was judged. `derived` says how those of the judged metrics that are not logged were derived.
    `remedies` names what to try (`diagnostics.causes.remedies`); `fixes` are those remedies in terms of the run's own
    settings, which `diagnostics.api.diagnose` adds. Messages are rendered with `diagnostics.texts.templates()`.
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
    episodes: tuple[Stretch, ...] = ()
    measured: float | None = None
    limit: float | None = None
    limit_is_default: bool = True
    is_of_start: bool = False
    unit: str = ""
    metric: str = ""
    tag: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    derived: Mapping[str, Derivation] = field(default_factory=dict)
    remedies: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    enable: Message | None = None
    applies: bool = True
    parameters: tuple[str, ...] = ()  # the settings that a pre-flight check judges, in the producer's names

    def of_severity(self, severity: Severity) -> Self:
        """The same finding, graded otherwise."""
        return replace(self, severity=severity, episodes=regraded(self.episodes, severity))

    @property
    def is_alarm(self) -> bool:
        """Whether it fired as a warning or worse: not as a mere note."""
        return self.verdict is Verdict.FIRED and self.severity is not None and self.severity is not Severity.INFO

    @property
    def alarms(self) -> tuple[Stretch, ...]:
        """The episodes that are a warning or worse."""
        return tuple(item for item in self.episodes if item.severity is not Severity.INFO)

    @property
    def leading_episode(self) -> Stretch | None:
        """The episode whose steps it gives; its severity may be milder than the worst of all."""
        told = (self.first_step, self.last_step)
        return next((item for item in self.episodes if (item.first_step, item.last_step) == told), None)

    @property
    def further_episodes(self) -> tuple[Stretch, ...]:
        """The episodes other than the one whose steps it gives, the gravest first, then the longest."""
        further = [item for item in self.episodes if item is not self.leading_episode]
        return tuple(sorted(further, key=lambda item: (-item.severity.rank, item.first_step - item.last_step)))


def fired_worst_first(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes that fired, worst first, then the earliest."""
    return tuple(sorted((o for o in outcomes if o.verdict is Verdict.FIRED), key=_worst_then_earliest))


def _worst_then_earliest(outcome: Outcome) -> tuple[int, int]:
    return -(outcome.severity or Severity.INFO).rank, outcome.first_step or 0
