"""Answers shrink to a fraction of their length: the model gives up saying anything.

What it checks
    The mean completion length, as the median of ten logged points, at half of its start for five points: a warning. The
    start is that of the first points, or the first one alone where those after it have less than a fifth of it. These
    points are not judged, but date what goes on behind them. Below five tokens, where it started at twenty or more, it
    is critical. It is info where short answers earn the highest reward, and where they earn no less than the long ones
    did although length did not count: the score has not fallen by more than its standard error, hardly any answer is
    empty, and the score of the samples before it does not fall with their length (rank correlation above −0.5). Without
    scored samples of the time before it is info where the score has most likely risen, no reward function has lost, and
    the answers still have twenty tokens or more. What is over is info as well.

Why it matters
    The easiest way to avoid a penalty is to end at once. Reasoning that is dropped does not come back by itself.

When it is wrong
    The model was too verbose, or the task wants and rewards brevity.

What to try
    Weaken any penalty on length, make sure that an empty answer earns the least, look for a negative KL. For PPO, train
    the critic before the policy.

References
    VC-PPO (arXiv 2503.01491) · a public run that ended at 1.15 tokens per answer · three public verl runs (×
    0.65 to × 1.07).
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_points, latest_ewma, start_level
from diagnostics.detectors.rolling import rolling_median
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, Reading, TooFew, from_onset, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, gain, has_likely_risen, is_at_full_marks
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few
from diagnostics.rules.samples.relations import spearman
from diagnostics.rules.samples.row_measures import lengths_of, scores_of, with_scores
from diagnostics.rules.samples.shares import share_of
from diagnostics.rules.samples.tables import LEAST_ROWS, view
from diagnostics.rules.samples.text_measures import units


class Limits(RuleLimits):
    """How much shorter is too short."""

    warning: float = limit(0.5, "of its start", "measured: healthy public runs drifted by × 0.65 to × 1.07")
    critical: float = limit(5.0, "tokens", "a public run that ended at 1.15 tokens per answer")
    long: float = limit(20.0, "tokens", "an answer that started short may rightly have five tokens")
    window: int = limit(10, "logged points", "engineering default")
    patience: int = limit(5, "logged points", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    empty: float = limit(0.05, "of the newest answers", "as smp-empty: what is empty cannot be right")
    first: int = limit(5, "logged points", "engineering default: a collapse may be over after twenty")
    at_once: float = limit(0.2, "of the first point", "a public run that fell from 53 tokens to 2.6 in its second row")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")
    brevity: float = limit(
        -0.5, "Spearman correlation of score and length", "engineering default: below it being short is what pays"
    )


class LengthCollapse(RunRule[Limits]):
    """Judges the mean length against its start."""

    code = "RV606"
    name = "length-collapse"
    grade = "M"
    source = "three public verl runs: a healthy length drifts by × 0.65 at most"
    inputs = ("length_mean",)
    limits = Limits()
    remedies = (
        "checked-reward",
        "free-end",
        "earlier-checkpoint",
    )
    telling_samples = "shortest"
    texts = english(
        headline="Answers shrink to a fraction of their length.",
        fired="The mean length fell to {measured} tokens at step {peak}, {times} times its start (step {first} to "
        "{last}).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "length_mean")
        limits = paced(limits, run, series, window=5, start=5)
        base = _start(series.values, limits)
        warm_up = max(limits.start, limits.window - 1)
        needed = warm_up + limits.patience
        if not base > 0 or finite_points(series.values) < needed:
            return too_few(needed, finite_points(series.values))
        share = replace(series, values=rolling_median(series.values, limits.window) / base)
        levels = [Level(Severity.WARNING, limits.warning, limits.patience)]
        if base >= limits.long:
            levels.append(Level(Severity.CRITICAL, limits.critical / base, limits.patience))
        reading = read_levels(share, levels, above=False, smooth=False, warm_up=warm_up)
        found = self._found(series, base, reading)
        if not isinstance(found, Fired) or found.first_step is None or isinstance(reading, TooFew):
            return found
        is_sound = _is_solved(run, found.first_step, limits) or _lost_nothing(run, found.first_step, limits)
        dated = self._found(series, base, from_onset(reading, series.values / base, limits.start))
        assert isinstance(dated, Fired)  # as `found` is: only its first step may differ
        return replace(dated, severity=Severity.INFO) if is_sound or not found.still else dated

    def _found(self, series: Series, base: float, reading: Reading | TooFew) -> RuleResult:
        return self.judged_in_unit(series, np.broadcast_to(base, len(series)), reading, unit="of its start")


def _start(lengths: Values, limits: Limits) -> float:
    """The length that a run started with: at its first point alone where the next ones have a fraction of it."""
    soon = start_level(lengths, limits.first)
    first = start_level(lengths, 1)
    return first if soon < limits.at_once * first else max(start_level(lengths, limits.start), soon)


def _gained_by_more_than_brevity(run: Run, limits: Limits) -> bool:
    """Whether the score has risen, at no reward function's expense, with answers that still say something."""
    functions = run.by_reward_function("reward_func_mean").values()
    newest = latest_ewma(series_of(run, "length_mean").values)
    return (
        newest >= limits.long
        and has_likely_risen(run.get(*SCORES))
        and not any(gain(function.values).is_loss for function in functions)
    )


def _is_solved(run: Run, step: int, limits: Limits) -> bool:
    """Whether the short answers earn the highest reward: then they are long enough."""
    reward = run.get(*SCORES)
    return reward is not None and is_at_full_marks(
        reward.values[np.searchsorted(reward.steps, step) :], limits.full_marks
    )


def _lost_nothing(run: Run, step: int, limits: Limits) -> bool:
    """Whether the short answers earn what the long ones did, and not for being short, as far as samples show."""
    before, score = [table for table in run.samples.steps if table < step], run.get(*SCORES)
    rows = with_scores(view(run, len(before) - 1).recent) if before else ()
    if not rows:
        return _gained_by_more_than_brevity(run, limits)
    if len(rows) < LEAST_ROWS or score is None or gain(score.values).is_loss:
        return False
    newest = view(run, len(run.samples.steps) - 1).recent
    are_said = share_of(newest, lambda row: not units(row.sample.response)) <= limits.empty
    return are_said and spearman(scores_of(rows), lengths_of(rows)) > limits.brevity
