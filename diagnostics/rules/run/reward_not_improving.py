"""The reward does not go up, although that is the whole point of the run.

What it checks
    The main reward (`objective/rlhf_reward`, GRPO's `reward`) over the last 100 steps, or 20 % of the planned ones
    where that is more; a run with fewer steps, planned or in all, is judged at its end; one whose reward has risen by
    more than chance explains needs no more than 30, or 15 where each step is logged and it has ended. It fires when
    there is no rising trend (Mann–Kendall, corrected for autocorrelation, p < 0.01) and the smoothed reward is not
    above its start by more than chance explains; in fewer than 100 steps, where chance hides a small gain, not above
    its start at all. The start is the median of the first 20 steps, or of the first five where the reward has risen
    from there: a task may be learned within 20 steps. So it has where what followed lies three of its own deviations
    above them, as where a row is the mean of ten steps. A gain of a fifth of the spread from answer to answer must be
    ruled out as well, as far as that is logged or follows from the noise between batches of their size: with a small
    batch a short run may have gained that unnoticed. It is ruled out by two standard errors once the run has ended, and
    by three before, as it is looked at often then. Where such a gain is ruled out from the first third of the run to
    the last, it fires however the last points lie: single lucky batches are no rise. So it does in a run that has
    finished in fewer steps, where a gain of 15 % of that spread is ruled out. Otherwise it is info in fewer than 100
    steps, unless the reward has fallen by more than chance explains: three healthy public runs gained a tenth to a
    quarter of that spread in 100 steps. It is info as well where the score rises and its KL term hides that.
    The KL says how far the policy has gone. One that is d nats per answer from its start may have gained √(2 d) of that
    spread, and a reward that it follows is seen to gain a part of it. It fires, in a finished run whatever its length,
    if more than 7 % of it is ruled out while answers keep their spread and no eighth of the run has a level of its own:
    the policy moves, and the reward does not go along.

Why it matters
    "If training works as intended, this metric should keep going up."

When it is wrong
    Sparse rewards take off late. A reward near 1 cannot rise further; rewards that stay between 0 and 1 and lie above
    0.9 are not judged.

What to try
    Look at what else fired. Try the reward on answers that must score high and low, start from a working example,
    use one reward function first, raise the learning rate if updates are tiny.

References
    TRL logging page: objective/rlhf_reward, reward · TRL PPO page, debugging tip · TRL training FAQ: inspect the
    reward model · Cohen 1988: a fifth of a deviation is a small effect · Gao et al. 2022 (arXiv 2210.10760): what is
    gained goes with the root of the KL; √(2 d) deviations are the most that a shift by d nats makes of the mean of a
    reward whose tails are normal (Boucheron, Lugosi and Massart 2013, section 4.9).
"""

import math
from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import ewma, finite_median, finite_points, latest_value, start_level
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.noise import estimate_noise
from diagnostics.detectors.stillness import BLOCKS, change_of_level, wandering
from diagnostics.detectors.trend import trend
from diagnostics.model.distances import distance_of_answers, level_at_the_end
from diagnostics.model.messages import Value
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced, steps_between
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import (
    REWARDS,
    Gain,
    gain,
    has_risen,
    is_solved,
    main_reward,
    spread_by_batches,
    spread_of_answers,
    spread_of_marks,
)
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few

MOST_BY_CHANCE = 2.01  # × what luck makes of the variance of eight levels: χ² with seven degrees of freedom, p = 0.05


class Limits(RuleLimits):
    """How long a reward may stay flat, and what counts as a rise."""

    window: int = limit(100, "logged points", "engineering default")
    share_of_plan: float = limit(0.2, "of the planned steps", "engineering default")
    longest_window: int = limit(500, "logged points", "engineering default")
    shortest_run: int = limit(30, "logged points", "engineering default")
    few: int = limit(
        15, "logged points of a run that has ended", "simulated: 0.5 % of level rewards seem to have risen by then"
    )
    significance: float = limit(0.01, "probability", "engineering default; 2 false trends in 1000 steps of plain noise")
    standard_errors: float = limit(2.0, "standard errors of the mean", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    first: int = limit(5, "logged points", "engineering default: before much is learned")
    certain: float = limit(3.0, "standard errors of the gain", "about one false alarm in 700 runs that are level")
    small: float = limit(0.2, "of the spread from answer to answer", "Cohen 1988: a small effect")
    smaller: float = limit(
        0.15,
        "of the spread from answer to answer",
        "in a finished run of fewer steps; measured: of slow but sound trainings it is not ruled out",
    )
    full_marks: float = limit(0.9, "of the highest reward", "as reward-func-stagnant: a tenth is little to gain")
    follows: float = limit(
        0.07,
        "of what a policy as far from its start may gain",
        "measured on trainings of TRL: a reward that is learned gains more",
    )
    away: float = limit(
        0.5, "nats per answer", "there a policy that follows its reward may have gained one deviation of it"
    )
    kept: float = limit(0.5, "of the spread at the start", "answers that come to earn the same are another finding")


class RewardNotImproving(RunRule[Limits]):
    """Judges the main reward of any algorithm."""

    code = "RV401"
    name = "reward-not-improving"
    grade = "S"
    source = "TRL logging page: this metric should keep going up"
    inputs = (REWARDS,)
    says_nothing_happens = True
    limits = Limits()
    remedies = ("checked-reward", "reweighted-rewards")
    telling_samples = "lowest-scored"
    texts = english(
        headline="The reward is not going up.",
        fired="{title} shows no rise from step {first} to {last}: smoothed, it is {measured} now, and the median of "
        "its first points was {start}; above {limit} would count as a rise.",
        penalty="{title} shows no rise from step {first} to {last}: smoothed, it is {measured} now, and the median of "
        "its first points was {start}; above {limit} would count as a rise. The score does rise: what the KL takes "
        "from it, or adds to it, hides that.",
        flat="{title} was {start} over the first third of the run (from step {first}) and {measured} over the last "
        "(until step {last}): a gain of {limit} is ruled out.",
        far="{title} was {start} over the first third of the run (from step {first}) and {measured} over the last "
        "(until step {last}), while the policy went {kl} nats per answer away: a policy that far may gain {possible}, "
        "and a gain of {limit} is ruled out.",
        noisy="The reward is not seen to rise, but its mean is only known to within {error} at this batch size: a gain "
        "of {small} may be hidden in that.",
        noisy_enable="Train longer, or on larger batches.",
        ended_enable="Train longer, or log every step: {needed} points tell whether the reward rises, and fewer only "
        "where it clearly does.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = main_reward(run)
        limits = paced(limits, run, series, window=10, shortest_run=20, start=5, first=1)
        window, fewest = _window(run, series, limits), limits.few if _is_complete(run, series) else limits.shortest_run
        means, points = ewma(series.values), finite_points(series.values)
        first_points, reached = _first_points(series.values, limits), latest_value(means)
        start = start_level(series.values, first_points)
        is_whole = points < 2 * window  # what is judged is most of the run
        if fewest <= points and is_whole and has_risen(series):
            return Quiet(reached, start, series.unit, series.name, series.tag)
        if found := self._far(run, series, limits) or self._flat_to_its_end(run, series, limits):
            return found
        if points < window or math.isnan(reached):
            is_final = limits.few <= points < limits.shortest_run and _writes_no_more(run)
            return self._ended_too_soon(limits.shortest_run, points) if is_final else too_few(window, points)
        luck = estimate_noise(series.values).of_batches
        by_chance = limits.standard_errors * luck.error_of_mean(window)
        needed = start + (by_chance if window >= limits.window else 0.0)
        recent = slice(len(series) - window, len(series))
        course = trend(series.steps[recent], series.values[recent])
        rises = course is not None and course.slope > 0 and course.p < limits.significance
        if is_solved(run, series.steps[recent], limits.full_marks):
            return Quiet(reached, needed, series.unit, series.name, series.tag)
        if window >= limits.window and not rises and (found := self._flat(run, series, limits, limits.small)):
            return found
        if rises or reached > needed:
            return Quiet(reached, needed, series.unit, series.name, series.tag)
        gained = Gain(reached - start, luck.error_of_gain(limits.start))
        spread = spread_by_batches(run, run.get("score") or series)
        errors = limits.standard_errors if _writes_no_more(run) else limits.certain  # a growing run is looked at often
        if spread and gained.may_be(limits.small * spread, errors):
            values: dict[str, Value] = {"error": gained.error, "small": limits.small * spread}
            return Skipped(self.message("noisy", **values), self.message("noisy_enable"))
        episode = Episode(len(series) - window, len(series) - 1, still=True)
        is_early = window < limits.window and -gained.value <= limits.certain * gained.error
        is_paid = series.name == "rlhf_reward" and has_risen(run.get("score"))
        severity, key = Severity.INFO if is_early or is_paid else Severity.WARNING, "penalty" if is_paid else "fired"
        return self.fired(
            series,
            episode,
            severity,
            measured=reached,
            limit=needed,
            key=key,
            start=start,
            start_points=first_points,
        )

    def _ended_too_soon(self, needed: int, found: int) -> Skipped:
        """Skipped for want of points in a run that has ended: no more will come."""
        return replace(too_few(needed, found), enable=self.message("ended_enable", needed=needed))

    def _far(self, run: Run, series: Series, limits: Limits) -> Fired | None:
        """The finding that the reward is where it was, although the policy has gone far from where it started."""
        graded, away = run.get("score") or series, distance_of_answers(run)
        spread = spread_of_answers(run) or spread_of_marks(run) or estimate_noise(graded.values).deviation
        change = change_of_level(graded.values)
        if not spread or change is None or change.is_proven or away is None or away < limits.away:
            return None
        points = finite_points(graded.values)
        if points < 2 * BLOCKS or (points < limits.window and not _writes_no_more(run)):
            return None  # within the first steps a policy moves faster than its reward
        if has_risen(graded) or is_solved(run, series.steps[-limits.start :], limits.full_marks):
            return None
        if not _left_its_start(run) or wandering(graded.values) > MOST_BY_CHANCE:
            return None
        possible = math.sqrt(2 * away) * spread
        small = limits.follows * possible
        if change.may_be_gain(small, limits.certain) or not _spread_is_kept(run, limits.kept):
            return None
        return self.fired(
            graded,
            Episode(0, len(graded) - 1, still=True),
            Severity.WARNING,
            measured=change.after,
            limit=small,
            key="far",
            start=change.before,
            kl=away,
            possible=possible,
        )

    def _flat_to_its_end(self, run: Run, series: Series, limits: Limits) -> Fired | None:
        """The finding that a run has finished where it began: as many steps as it was given brought it nothing."""
        is_solved_now = is_solved(run, series.steps[-limits.start :], limits.full_marks)
        is_short = finite_points(series.values) < limits.shortest_run
        if is_short or not _writes_no_more(run) or has_risen(series) or is_solved_now:
            return None
        return self._flat(run, series, limits, limits.smaller)

    def _flat(self, run: Run, series: Series, limits: Limits, share: float) -> Fired | None:
        """The finding that the reward is where it was over the whole run, as surely as its noise allows."""
        spread = spread_of_answers(run) or spread_of_marks(run) or estimate_noise(series.values).deviation
        score = run.get("score")
        told, graded = change_of_level(series.values), change_of_level((score or series).values)
        if not spread or told is None or graded is None or told.is_proven or graded.is_proven:
            return None
        small = share * spread
        if told.may_be_gain(small, limits.certain) or graded.may_be_gain(small, limits.certain):
            return None
        episode = Episode(0, len(series) - 1, still=True)
        measured, start = told.after, told.before
        return self.fired(series, episode, Severity.WARNING, measured=measured, limit=small, key="flat", start=start)


def _writes_no_more(run: Run) -> bool:
    """Whether the run has finished, or its log has not grown for long."""
    return run.status.state in ("finished", "silent")


def _is_complete(run: Run, series: Series) -> bool:
    """Whether the run has ended and each of its steps is logged."""
    return _writes_no_more(run) and steps_between(series.steps) == 1


def _left_its_start(run: Run) -> bool:
    """Whether training took the policy away: its KL has at least doubled since the first logged point."""
    kl = run.get("kl_per_sequence", "kl_per_token")
    known = None if kl is None else kl.values[kl.finite]
    now = level_at_the_end(kl)
    return known is not None and now is not None and float(known[0]) <= now / 2


def _spread_is_kept(run: Run, share: float) -> bool:
    """Whether answers differ in reward as they did at the start, as far as their spread is logged."""
    spread = run.get("score_std", "reward_std")
    change = change_of_level(spread.values) if spread is not None else None
    return change is None or change.after >= share * change.before


def _first_points(values: Values, limits: Limits) -> int:
    """How many first points have the median that a rise is counted from."""
    is_lower = start_level(values, limits.first) < start_level(values, limits.start)
    has_gained = gain(values, limits.first).is_proven or _rose_at_once(values, limits)
    return limits.first if is_lower and has_gained else limits.start


def _rose_at_once(values: Values, limits: Limits) -> bool:
    """Whether the first points lie below what followed by more than that scatters: so steep a rise is no drift."""
    known = values[np.isfinite(values)]
    first, behind = known[: limits.first], known[limits.first :]
    return len(behind) > 1 and finite_median(behind) - finite_median(first) > limits.certain * float(np.std(behind))


def _window(run: Run, series: Series, limits: Limits) -> int:
    """How many of the latest points are judged, of the steps that are planned or, where no plan is known, were run."""
    steps = run.status.total or run.settings.value("max_steps")
    if isinstance(steps, int) and steps > 0:
        planned = steps // steps_between(series.steps)
    elif _writes_no_more(run):
        planned = min(finite_points(series.values), limits.window)
    else:
        return limits.window
    if planned < limits.window:
        return max(planned, limits.shortest_run)
    return min(max(limits.window, round(limits.share_of_plan * planned)), limits.longest_window)
