"""What a rule of samples is: it judges the newest tables of samples, mostly against the first ones."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Evidence, Severity, ShownSample
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.rules.rule import Fired, LimitsT, Quiet, RuleResult, Skipped
from diagnostics.rules.run.run_rule import RunRule
from diagnostics.rules.samples.tables import LEAST_ROWS, POOLED, Row, View, onset, view
from diagnostics.rules.telling_samples import few_of, quoted

CLEAR_LOOKS = 3  # at separate tables: each misses half of what lies just at its limit, all three together an eighth

TEXTS: Mapping[str, str] = {
    "samples.too-few": "Too few samples: {needed} {what} needed, {found} in the newest tables.",
    "samples.too-few.enable": "Log at least {needed} {what}.",
    "samples.no-start": "The newest tables are the first ones: there is nothing yet to compare them with.",
    "samples.no-start.enable": "Log samples at further steps.",
    "samples.two-values": "The scores take two values only, as verifiable rewards do: nothing is graded.",
    "samples.two-values.enable": "Nothing is missing; the check is about graded scores.",
    "samples.graded": "The scores are graded: none of them says right or wrong.",
    "samples.graded.enable": "Nothing is missing; the check is about scores of two values.",
    "samples.unstated": "The samples do not say {what}.",
    "samples.unstated.enable": "Log {what} with each sample.",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a rule measured; `severity` is None where nothing is wrong. `samples` show it, the most telling first."""

    measured: float
    limit: float
    severity: Severity | None = None
    unit: str = "fraction"
    key: str = "fired"
    values: Mapping[str, Value] = field(default_factory=dict)
    samples: Sequence[Row] = ()
    remedies: tuple[str, ...] | None = None


class SampleRule(RunRule[LimitsT]):
    """A rule that judges logged samples; it applies wherever a run has some.

    `pooled` tables are judged together. `is_from_start`: a finding holds from the first table on, so its onset is not
    searched for. The template `shown` says why a sample is shown.

    A finding stands until it has been absent for `tables_to_clear` tables (hysteresis, as for series): near a limit,
    the side on which the newest few rows fall is chance.
    """

    inputs = ()
    pooled: int = POOLED
    is_from_start: bool = False

    @property
    def tables_to_clear(self) -> int:
        """How many tables without the finding end it: three disjoint pools, or all that the rule judges together."""
        return max(CLEAR_LOOKS * POOLED, self.pooled)

    @abstractmethod
    def judge(self, seen: View, limits: LimitsT) -> Judgement | Skipped:
        """Judge the newest tables, which hold at least 16 rows."""

    def marks(self, sample: Sample, limits: LimitsT) -> bool:
        """Whether a sample shows by itself what the check looks for; never where samples are compared with others."""
        return False

    def applies(self, run: Run) -> bool:
        """Whether there are samples, of an algorithm for which the check means something."""
        is_for_it = not self.algorithms or run.algorithm in (*self.algorithms, "unknown")
        return bool(run.samples.steps) and is_for_it

    def check(self, run: Run, limits: LimitsT) -> RuleResult:
        last = len(run.samples.steps) - 1
        newest = self._looked(run, last, limits)
        table = last if _is_sick(newest) else self._last_sick(run, limits)
        found = self._looked(run, table, limits)
        if not isinstance(found, Judgement) or not _is_sick(found):
            return _without_finding(newest)
        start = 0 if self.is_from_start else onset(table, lambda at: _is_sick(self._looked(run, at, limits)))
        return self._fired(run, found, start, table)

    def _last_sick(self, run: Run, limits: LimitsT) -> int:
        """The index of the latest table with a finding among the `tables_to_clear` before the last; else the last."""
        last = len(run.samples.steps) - 1
        earlier = range(last - 1, max(0, last - self.tables_to_clear + 1) - 1, -1)
        return next((table for table in earlier if _is_sick(self._looked(run, table, limits))), last)

    def _looked(self, run: Run, table: int, limits: LimitsT) -> Judgement | Skipped:
        """What is judged at a table, once for all that hold the samples: no later table changes it."""
        memo = {} if run.samples.memo is None else run.samples.memo
        key = (self.name, table, limits)
        if key not in memo:
            memo[key] = self._judged(run, table, limits)
        found: Judgement | Skipped = memo[key]
        return found

    def _judged(self, run: Run, table: int, limits: LimitsT) -> Judgement | Skipped:
        seen = view(run, table, self.pooled)
        if len(seen.recent) < LEAST_ROWS:
            return too_few_samples("samples", LEAST_ROWS, len(seen.recent))
        return self.judge(seen, limits)

    def _fired(self, run: Run, found: Judgement, start: int, table: int) -> Fired:
        assert found.severity is not None  # the caller has looked
        steps = run.samples.steps
        values: dict[str, Value] = {"measured": found.measured, "limit": found.limit, "first": steps[start]}
        values |= {"last": steps[table], "percent": 100 * found.measured, "limit_percent": 100 * found.limit}
        values |= found.values
        return Fired(
            severity=found.severity,
            message=self.message(found.key, **values),
            headline=self.message("headline", **values),
            first_step=steps[start],
            last_step=steps[table],
            still=True,
            measured=found.measured,
            limit=found.limit,
            unit=found.unit,
            evidence=Evidence(samples=few_of(map(self._shown, found.samples))),
            remedies=found.remedies,
        )

    def _shown(self, row: Row) -> ShownSample:
        return ShownSample(row.step, row.index, self.message("shown"), quoted(row.sample.response))


def _is_sick(found: Judgement | Skipped) -> bool:
    return isinstance(found, Judgement) and found.severity is not None


def _without_finding(found: Judgement | Skipped) -> RuleResult:
    return found if isinstance(found, Skipped) else Quiet(found.measured, found.limit, found.unit)


def too_few_samples(what: str, needed: int, found: int) -> Skipped:
    """Skipped for want of samples."""
    values: dict[str, Value] = {"what": what, "needed": needed, "found": found}
    return Skipped(Message("samples.too-few", values), Message("samples.too-few.enable", values))


def nothing_to_compare() -> Skipped:
    """Skipped because only the first tables exist."""
    return Skipped(Message("samples.no-start"), Message("samples.no-start.enable"))


def not_graded() -> Skipped:
    """Skipped because scores of two values leave nothing to judge."""
    return Skipped(Message("samples.two-values"), Message("samples.two-values.enable"), applies=False)


def not_right_or_wrong() -> Skipped:
    """Skipped because graded scores do not say which answers are right."""
    return Skipped(Message("samples.graded"), Message("samples.graded.enable"), applies=False)


def skipped_without(what: str) -> Skipped:
    """Skipped because the samples lack a field."""
    return Skipped(Message("samples.unstated", {"what": what}), Message("samples.unstated.enable", {"what": what}))
