"""The diagnosis of one run: the outcome of every rule, the causes that explain them, and the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from diagnostics.model.cause import Cause
from diagnostics.model.cost import Cost
from diagnostics.model.finding import Finding, group_findings
from diagnostics.model.outcome import Outcome, Severity, Verdict, fired_worst_first
from diagnostics.model.project import Mute
from diagnostics.model.run import Run
from diagnostics.model.supervised import supervised_tags
from diagnostics.model.vital import VitalCheck, VitalGap, vital_gaps

LimitOverrides = Mapping[str, Mapping[str, float]]
"""Limits that the user sets: rule name → field of the rule's Limits → value."""


class UnknownLimitError(ValueError):
    """Overridden limits name a rule or a field that does not exist, or give it a value of the wrong kind."""


@dataclass(frozen=True, slots=True)
class Muted:
    """A finding that is not counted, and the decision that says so."""

    finding: Finding
    mute: Mute


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The verdict on one run: every rule's outcome, and the causes, worst first."""

    run: Run
    outcomes: tuple[Outcome, ...]
    causes: tuple[Cause, ...] = ()
    limits: LimitOverrides = field(default_factory=dict)
    preflight: tuple[Outcome, ...] = ()  # outcomes of settings checks; they never change the verdict
    vital: tuple[VitalCheck, ...] = ()  # what must have been checked before the run may be called healthy
    cost: Cost | None = None  # of a sick run: what it spent after the onset of its main finding
    muted: tuple[Muted, ...] = ()  # findings of which the project does not want to be told again
    remarks: tuple[str, ...] = ()  # what in the project file could not be used, and why

    @property
    def fired(self) -> tuple[Outcome, ...]:
        """The outcomes that fired and are not muted, worst first, then the earliest."""
        muted = {outcome.rule for each in self.muted for outcome in each.finding.outcomes}
        return fired_worst_first(outcome for outcome in self.outcomes if outcome.rule not in muted)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the log and of the project file."""
        return self.run.notes + self.remarks

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What fired, grouped by cause, worst first."""
        return group_findings(self.fired, self.causes)

    @property
    def settings_findings(self) -> tuple[Outcome, ...]:
        """The checks of its settings that fired, worst first."""
        return fired_worst_first(self.preflight)

    @property
    def blind_spots(self) -> tuple[Outcome, ...]:
        """Rules that apply and gave no result: skipped or broken."""
        return tuple(o for o in self.outcomes if o.verdict in (Verdict.SKIPPED, Verdict.BROKEN) and o.applies)

    @property
    def not_applicable(self) -> tuple[Outcome, ...]:
        """Rules not about a run like this: graded rewards where answers are right or wrong, KL without beta."""
        return tuple(outcome for outcome in self.outcomes if not outcome.applies)

    @property
    def vital_missing(self) -> tuple[VitalGap, ...]:
        """The vital checks of its algorithm that could not run."""
        return vital_gaps(self.vital, self.outcomes)

    @property
    def verdict(self) -> str:
        """The worst severity that fired; else `healthy` where all vital checks ran, `not-rl` for a log without RL.

        Else `no-problem-found`: nothing fired, and too much could not be checked, or is muted, to call the run healthy.
        """
        if self.fired:
            return self.fired[0].severity or Severity.INFO
        if supervised_tags(self.run):
            return "not-rl"
        is_checked = not self.muted and bool(self.run.series and self.vital) and not self.vital_missing
        return "healthy" if is_checked else "no-problem-found"
