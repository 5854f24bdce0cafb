"""The reward was better before: the run is undoing what it had learned.

What it checks
    How far the smoothed main reward (of medians of three points, so that a single batch does not count) lies below its
    best so far, for ten logged points. The limit is what chance explains in a run of its length (the range of its
    smoothed noise, with an upper bound of its autocorrelation) and at least 15 % of what the run has gained. Losing
    half of the gain is critical. The first 40 points are not judged, but date a fall that goes on behind them. A reward
    that leaves its level from one point to the next and stays away is a warning from the tenth point on: five points
    all below the ten before them, by four standard deviations of the noise around its two levels; among the first 40
    points, before much can have been learned, it is info unless it is as large as the spread from answer to answer,
    where that is logged. Of a run that has ended after 15 to 49 points, the last third is compared with the first and
    with the middle one: a warning where its mean lies below the better of them by 3.5 standard errors, and each of its
    points lies below that. A fall from which the reward has come back is info, and so is that of an RLHF reward whose
    score does not fall: then it is the KL penalty that grows. Where the score falls as well, the finding is no graver
    than what the score has lost.

Why it matters
    A reward that falls after it rose seldom recovers by itself, and the best checkpoint may be overwritten meanwhile.

When it is wrong
    A change of data or of the reward's scale during a run looks the same. So does a reward that drifts by itself and
    does not return within the run. Of 400 simulated flat runs of 100, 300 and 1000 points each at most 5 % fire at any
    autocorrelation up to 0.95; with heavy tails (t₃) 2, 7 and 28 % do. Of those of 15 to 45 points at most 4 % do up to
    an autocorrelation of 0.6, and 12 % at 0.9.

What to try
    Go back to the best checkpoint and continue with a lower learning rate or a stronger KL penalty.

References
    TRL logging page: the reward should keep going up · public collapses at steps 160 to 300 (ConvSearch-R1 issue 6,
    Search-R1 issue 88).
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.averages import ewma, finite_points, start_level
from diagnostics.detectors.changepoint import BEFORE, LATEST, Break, widest_break
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import drawdown, extreme, index_of_extreme
from diagnostics.detectors.noise import estimate_noise, stable_length
from diagnostics.detectors.rolling import MEDIAN_WINDOW, rolling_median
from diagnostics.detectors.stillness import PARTS, noise_within
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.breaches import leading
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, Reading, from_onset, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import REWARDS, main_reward, spread_of_answers
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few


@dataclass(frozen=True, slots=True)
class _Fall:
    """A sudden fall of the reward: the break, its index, and the value below which the reward counts as fallen."""

    left: Break
    first: int
    limit: float


OUTLIER_WINDOW = 3  # logged points whose median one of them cannot move


class Limits(RuleLimits):
    """Which loss of reward is more than noise."""

    chance: float = limit(
        1.0,
        "× the range that chance explains",
        "bound of the range of independent normal numbers: 5 % false alarms at most, simulated up to φ = 0.95",
    )
    warning: float = limit(0.15, "of the gain since the start", "measured on three healthy public runs")
    smallest: float = limit(1e-6, "reward", "float noise of a constant reward")
    critical: float = limit(0.5, "of the gain since the start", "engineering default")
    patience: int = limit(10, "logged points", "measured on three healthy public runs")
    warm_up: int = limit(40, "logged points", "measured on three healthy public runs")
    start: int = limit(20, "logged points", "engineering default")
    at_once: float = limit(
        4.0, "standard deviations of a point", "engineering default: no noise goes so far five times"
    )
    few: int = limit(15, "logged points of a run that has ended", "simulated: fewer say too little of their noise")
    proven: float = limit(
        3.5, "standard errors of the fall of a third", "simulated up to φ = 0.6: 4 % false alarms at most"
    )
    early: float = limit(
        1.0,
        "of the spread from answer to answer",
        "measured on trainings with TRL's PPOTrainer.step: from smaller first dips healthy ones come back",
    )


class RewardRegression(RunRule[Limits]):
    """Judges the main reward of any algorithm against its own best."""

    code = "RV402"
    name = "reward-regression"
    grade = "S"
    source = "TRL logging page: this metric should keep going up"
    inputs = (REWARDS,)
    limits = Limits()
    remedies = ("earlier-checkpoint", "lower-learning-rate", "stronger-kl")
    telling_samples = "lowest-scored"
    texts = english(
        headline="The reward is falling: the run was better before.",
        fired="The smoothed {title} fell from {best} (around step {best_step}) to {measured} at step {peak}; "
        "below {limit} from step {first} to {last}.",
        back="The smoothed {title} fell from {best} (around step {best_step}) to {measured} at step {peak}; below "
        "{limit} from step {first} to {last}, and has come back since.",
        at_once="{title} fell from {best} to {measured} at step {first}, from one point to the next, and has not come "
        "back.",
        of_few="{title} was {best} over the best third of the run, and {measured} over its last, from step {first} to "
        "{last}; each of these points lies below {limit}.",
        headline_penalty="The KL penalty grows, and the score does not fall.",
        penalty="The smoothed {title} fell from {best} (around step {best_step}) to {measured} at step {peak}; below "
        "{limit} from step {first} to {last}. The score does not fall: it is the KL penalty that grows.",
        penalty_at_once="{title} fell from {best} to {measured} at step {first}, from one point to the next. The score "
        "does not fall: it is the KL penalty that grows.",
        penalty_of_few="{title} was {best} over the best third of the run, and {measured} over its last, from step "
        "{first} to {last}. The score does not fall: it is the KL penalty that grows.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series, score = main_reward(run), run.get("score")
        found = self._fallen(run, series, limits)
        if score is None or series.name != "rlhf_reward" or not _is_alarm(found):
            return found
        of_score = self._fallen(run, score, limits)
        return _no_graver(found, of_score.severity) if _is_alarm(of_score) else self._of_penalty(found)

    def _of_penalty(self, found: Fired) -> Fired:
        """The finding of an RLHF reward that falls while its score does not."""
        told = found.message.template.removeprefix(f"{self.name}.")
        key = f"penalty_{told}" if told in ("at_once", "of_few") else "penalty"
        return dataclasses.replace(
            found,
            severity=Severity.INFO,
            message=self.message(key, **found.message.values),
            headline=self.message("headline_penalty"),
        )

    def _fallen(self, run: Run, series: Series, limits: Limits) -> RuleResult:
        """The result for one series."""
        slow = self._slow_decline(series, paced(limits, run, series, warm_up=10, start=5, patience=3))
        if isinstance(slow, Fired):
            return slow
        is_short = isinstance(slow, Skipped) and (run.status.has_ended or run.status.state == "silent")
        return self._at_once(run, series, limits) or (self._of_few(series, limits) if is_short else None) or slow

    def _of_few(self, series: Series, limits: Limits) -> Fired | None:
        """The finding that the last third of a short run that has ended earned less than an earlier one."""
        known = series.values[series.finite]
        if len(known) < limits.few:
            return None
        third = len(known) // PARTS
        first, middle, last = known[:third], known[third:-third], known[-third:]
        best = max((first, middle), key=lambda part: float(part.mean()))
        noise = noise_within(known, first, middle, last)
        error = math.hypot(noise.error_of_mean(len(best)), noise.error_of_mean(third))
        level, newest = float(best.mean()), float(last.mean())
        if level - newest <= max(limits.proven * error, limits.smallest) or last.max() >= level:
            return None
        begin = int(np.flatnonzero(series.finite)[-third])
        return self.fired(
            series,
            Episode(begin, len(series) - 1, still=True),
            Severity.WARNING,
            measured=newest,
            limit=level,
            key="of_few",
            best=level,
        )

    def _at_once(self, run: Run, series: Series, limits: Limits) -> Fired | None:
        """The finding that the reward fell from one point to the next, and is still nearer to where it fell."""
        left = widest_break(series.steps, series.values)
        fall = None if left is None else _fall(series, left, limits)
        if fall is None:
            return None
        spread = spread_of_answers(run)
        is_small = spread is not None and fall.left.before - fall.left.after < limits.early * spread
        return self.fired(
            series,
            Episode(fall.first, len(series) - 1, still=True),
            Severity.INFO if is_small and len(series) < limits.warm_up else Severity.WARNING,
            measured=fall.left.after,
            limit=fall.limit,
            key="at_once",
            best=fall.left.before,
        )

    def _slow_decline(self, series: Series, limits: Limits) -> RuleResult:
        needed = limits.warm_up + limits.patience
        means = ewma(_without_outliers(series.values))
        points = finite_points(series.values)
        if points < needed or math.isnan(highest := extreme(means)):
            return too_few(needed, points)
        start = start_level(series.values, limits.start)
        gain = max(0.0, highest - start)
        known = stable_length(len(series))
        chance = estimate_noise(series.values[:known]).range_of_ewma(known)
        allowed = max(limits.chance * chance, limits.warning * gain, limits.smallest)
        levels = [Level(Severity.WARNING, allowed, limits.patience)]
        if limits.critical * gain > allowed:
            levels.append(Level(Severity.CRITICAL, limits.critical * gain, limits.patience))
        fallen = dataclasses.replace(series, values=drawdown(means))
        reading = read_levels(fallen, levels, smooth=False, warm_up=limits.warm_up)
        if not isinstance(reading, Reading):
            return self.judged(reading)
        if reading.breach is None:
            return Quiet(reading.worst, allowed, "reward below the best")
        reading = from_onset(reading, fallen.values, limits.warm_up)
        found = self._fired(series, means, reading)
        return found if found.still else dataclasses.replace(found, severity=Severity.INFO)

    def _fired(self, series: Series, means: Values, reading: Reading) -> Fired:
        breach = leading(reading.breaches)
        best_at = index_of_extreme(means[: breach.peak + 1])
        best = float(means[best_at])
        return self.fired_by(
            series,
            reading,
            key="fired" if breach.episode.still else "back",
            measured=float(means[breach.peak]),
            limit=best - breach.level.limit,
            best=best,
            best_step=int(series.steps[best_at]),
            peak=int(series.steps[breach.peak]),
        )


def _is_alarm(found: RuleResult) -> TypeGuard[Fired]:
    return isinstance(found, Fired) and found.severity.rank > 0


def _no_graver(found: Fired, most: Severity) -> Fired:
    """The finding, no graver than so."""
    return dataclasses.replace(found, severity=most) if found.severity.rank > most.rank else found


def _without_outliers(values: Values) -> Values:
    """(N,) The median of each point and the two before it: one batch alone is no course."""
    medians = rolling_median(values, OUTLIER_WINDOW)
    return np.where(np.isnan(medians), values, medians)


def _fall(series: Series, left: Break, limits: Limits) -> _Fall | None:
    """The break as a fall; None where it is none, may be noise, or the median of five points has recovered since.

    With hysteresis: halfway up it has recovered, and falls again only when it is as low as it fell before.
    """
    first = int(np.searchsorted(series.steps, left.step))
    before, behind = series.values[:first][-LATEST:], series.values[first:][np.isfinite(series.values[first:])]
    as_if_not = np.concatenate([before, behind + (left.before - left.after)])
    near, all_known = (
        estimate_noise(part, standard_errors=0.0) for part in (as_if_not[: len(before) + BEFORE], as_if_not)
    )
    allowed = max(limits.at_once * min(near.deviation, all_known.deviation), limits.smallest)
    medians = rolling_median(behind, MEDIAN_WINDOW)
    is_over = _last_index(medians > (left.before + left.after) / 2) > _last_index(medians <= left.after)
    return None if left.before - left.after < allowed or is_over else _Fall(left, first, left.before - allowed)


def _last_index(where: npt.NDArray[np.bool_]) -> int:
    """The last index at which something holds; −1 where it never does."""
    places = np.flatnonzero(where)
    return int(places[-1]) if len(places) else -1
