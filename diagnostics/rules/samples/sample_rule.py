"""What a rule of samples is: it judges the newest tables of samples, mostly against the first ones."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np

from diagnostics.detectors.proportions import lower_bound_of_share
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Evidence, Severity, ShownSample
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.rule import Fired, LimitsT, Quiet, RuleResult, Skipped
from diagnostics.rules.run.run_rule import RunRule
from diagnostics.rules.samples.tables import LEAST_ROWS, POOLED, Row, Rows, View, onset, view
from diagnostics.rules.samples.text_measures import units
from diagnostics.rules.telling_samples import few_of, quoted

CLEAR_LOOKS = 3  # at separate tables: each misses half of what lies just at its limit, all three together an eighth
STANDARD_ERRORS = 3.0  # about one false alarm in 700 looks at a share that did not change

TEXTS: Mapping[str, str] = {
    "samples.too-few": "Too few samples: {needed} {what} needed, {found} in the newest tables.",
    "samples.too-few.enable": "Log at least {needed} {what} (num_completions_to_log, or the trainer's own setting).",
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

    def applies(self, run: Run) -> bool:
        """Whether there are samples, of an algorithm for which the check means something."""
        is_for_it = not self.algorithms or run.algorithm in (*self.algorithms, "unknown")
        return bool(run.samples.steps) and is_for_it

    def check(self, run: Run, limits: LimitsT) -> RuleResult:
        last = len(run.samples.steps) - 1
        newest = self._judged(run, last, limits)
        table = last if _is_sick(newest) else self._last_sick(run, limits)
        found = newest if table == last else self._judged(run, table, limits)
        if not isinstance(found, Judgement) or not _is_sick(found):
            return _without_finding(newest)
        start = 0 if self.is_from_start else onset(table, lambda at: _is_sick(self._judged(run, at, limits)))
        return self._fired(run, found, start, table)

    def _last_sick(self, run: Run, limits: LimitsT) -> int:
        """The index of the latest table with a finding among the `tables_to_clear` before the last; else the last."""
        last = len(run.samples.steps) - 1
        earlier = range(last - 1, max(0, last - self.tables_to_clear + 1) - 1, -1)
        return next((table for table in earlier if _is_sick(self._judged(run, table, limits))), last)

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


def judge_share(
    seen: View,
    is_hit: Callable[[Row], bool],
    levels: Mapping[Severity, float],
    *,
    order: Callable[[Row], float] = lambda row: 0.0,
    each_is_wrong: bool = False,
) -> Judgement:
    """The judgement on the share of the newest rows that are hits. Levels are mildest first.

    A few rows say little about a share, so its lower Wilson bound counts; with `each_is_wrong`, where no sound run has
    a single such row, the share itself. `order`: the largest are shown first. Messages may use count, rows, and before:
    the share at the start, in percent.
    """
    hits = [row for row in seen.recent if is_hit(row)]
    counted = len(hits) / len(seen.recent) if each_is_wrong else lower_bound_of_share(len(hits), len(seen.recent))
    return _share(seen, hits, counted, share_of(seen.first, is_hit), levels, order)


def risen_shares(
    seen: View,
    is_hit: Callable[[Row], bool],
    levels: Mapping[Severity, float],
    *,
    order: Callable[[Row], float] = lambda row: 0.0,
) -> Judgement | Skipped:
    """As `judge_share`, for the rise of the share since the first tables, so that what the task asks for is no finding.

    A rise counts where chance does not explain it (three standard errors of the difference of two shares).
    """
    if not seen.can_compare:
        return nothing_to_compare()
    hits = [row for row in seen.recent if is_hit(row)]
    before, now = share_of(seen.first, is_hit), len(hits) / len(seen.recent)
    mean = (len(hits) + before * len(seen.first)) / (len(seen.recent) + len(seen.first))
    error = math.sqrt(mean * (1 - mean) * (1 / len(seen.recent) + 1 / len(seen.first)))
    rise = now - before
    return _share(seen, hits, rise if rise >= STANDARD_ERRORS * error else 0.0, before, levels, order)


def _share(
    seen: View,
    hits: Sequence[Row],
    counted: float,
    before: float,
    levels: Mapping[Severity, float],
    order: Callable[[Row], float],
) -> Judgement:
    reached = [severity for severity, limit in levels.items() if counted >= limit]
    limit = levels[reached[-1]] if reached else next(iter(levels.values()))
    values: dict[str, Value] = {"count": len(hits), "rows": len(seen.recent), "before": 100 * before}
    shown = sorted(hits, key=lambda row: (order(row), row.step), reverse=True)
    return Judgement(counted, limit, reached[-1] if reached else None, values=values, samples=shown)


def share_of(rows: Rows, is_hit: Callable[[Row], bool]) -> float:
    """The share of rows that are hits; 0 of no rows."""
    return sum(map(is_hit, rows)) / len(rows) if rows else 0.0


def scores_of(rows: Rows) -> Values:
    """(N,) The rows' scores, NaN where there is none."""
    return np.array([np.nan if row.sample.score is None else row.sample.score for row in rows], dtype=np.float64)


def with_scores(rows: Rows) -> Rows:
    """The rows whose score is a finite number."""
    return tuple(compress(rows, np.isfinite(scores_of(rows)).tolist()))


def lengths_of(rows: Rows) -> Values:
    """(N,) The rows' lengths: in tokens where all of them state it, else in words and marks."""
    tokens = [row.sample.length for row in rows]
    if all(count is not None for count in tokens):
        return np.array(tokens, dtype=np.float64)
    return np.array([len(units(row.sample.response)) for row in rows], dtype=np.float64)


def longest_first(rows: Rows) -> list[Row]:
    """The rows, the longest first."""
    return sorted(rows, key=lambda row: -len(row.sample.response))


def score_gain(seen: View) -> float | None:
    """How much the mean score rose since the first tables; None where chance explains it, or scores are missing."""
    now, before = scores_of(with_scores(seen.recent)), scores_of(with_scores(seen.first))
    if not len(now) or not len(before):
        return None
    error = math.sqrt(float(now.var()) / len(now) + float(before.var()) / len(before))
    gain = float(now.mean() - before.mean())
    return gain if gain > STANDARD_ERRORS * error else None


def is_graded(rows: Rows) -> bool:
    """Whether the scores take more than two values: a verifiable reward that pays all or nothing is not graded."""
    return len(np.unique(np.round(scores_of(with_scores(rows)), 6))) > 2


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
