"""The reward goes with the length of the answers, and the length goes where that pays.

What it checks
    How the mean score and the mean length change from one logged point to the next, over the latest thousand points:
    changes leave out whatever both do in the long run. A correlation of which the lower 95 % bound is 0.8 or more, on
    either side, is a warning if the mean length has changed by a fifth from the first third of them to the last, by
    more than chance explains, in the direction that pays. Short answers that pay are not judged where one in twenty was
    cut off at the start: to end in time is then what is learned.

Why it matters
    Length is the easiest thing to optimise: a policy that is paid for it learns length, and nothing else. In published
    PPO runs most of the gain in reward came from longer answers.

When it is wrong
    A task may ask for answers of many lengths, and pay each by how much of it there is. Then the samples show whether
    a longer answer to the same prompt earns more.

What to try
    Score answers of the same content and different lengths. Penalise length, or subtract what length alone explains
    from the reward.

References
    Singhal et al. 2023, A Long Way to Go (arXiv 2310.03716) · Fisher 1921: the bound of a correlation.
"""

import math
from dataclasses import replace

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.stillness import change_of_level
from diagnostics.model.alignment import at_common_steps, latest
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import NO_VALUES, Series, Values
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

UNIT = "correlation"
CERTAIN = 0.9999  # a correlation of 1 has no finite Fisher transform
PARTS = 3  # of the points, of which the first shows how answers ended before


class Limits(RuleLimits):
    """When a reward is little but the length, and the length has moved."""

    correlation: float = limit(
        0.8, "correlation, lower bound", "measured: where a task asks for long answers, and in public logs, it is less"
    )
    moved: float = limit(0.2, "of the length before", "engineering default: what someone reading the answers would see")
    fewest: int = limit(20, "logged points", "they know a correlation of 0.9 to within 0.15")
    latest: int = limit(1000, "logged points", "engineering default: so far back a reward is no news")
    cut_off: float = limit(0.05, "of the answers", "so many make the mean score follow how many end in time")


class RewardFollowsLength(RunRule[Limits]):
    """Judges the changes of `objective/scores`, GRPO's `reward`, against those of the mean length."""

    code = "RV420"
    name = "reward-follows-length"
    grade = "P"
    source = "A Long Way to Go (arXiv 2310.03716): most of the gain in reward was length"
    inputs = (SCORES, "length_mean")
    sees_derived = False
    limits = Limits()
    remedies = ("length-neutral-reward", "checked-reward")
    telling_samples = "longest"
    texts = english(
        headline="The reward goes with the length of the answers, and so does the policy.",
        longer="{title} and the mean length rose and fell together from step {first} to {last} (correlation "
        "{correlation}), and the answers grew from {before} to {after} tokens: it is length that pays.",
        shorter="{title} rose where the mean length fell from step {first} to {last} (correlation {correlation}), and "
        "the answers shrank from {before} to {after} tokens: it is brevity that pays.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        reward, length = (latest(item, limits.latest) for item in _both(run))
        if len(reward) <= limits.fewest:
            return too_few(limits.fewest + 1, len(reward))
        found, least = _correlation(np.diff(reward.values), np.diff(length.values))
        moved = change_of_level(length.values)
        if moved is None or abs(least) < limits.correlation:
            return Quiet(abs(least), limits.correlation, UNIT, reward.name, reward.tag)
        far = (moved.after - moved.before) * math.copysign(1, least) / moved.before if moved.before > 0 else 0.0
        if far < limits.moved:
            return Quiet(max(0.0, far), limits.moved, "of the length before", length.name, length.tag)
        if not moved.is_proven or (least < 0 and _were_cut_off(run, limits)):
            return Quiet(metric=length.name, tag=length.tag)
        return self.fired(
            reward,
            Episode(0, len(reward) - 1, still=True),
            Severity.WARNING,
            measured=least,
            limit=math.copysign(limits.correlation, least),
            correlation=found,
            key="longer" if least > 0 else "shorter",
            before=moved.before,
            after=moved.after,
        )


def _both(run: Run) -> tuple[Series, ...]:
    """The score and the mean length at the steps at which both are known and finite."""
    reward, length = (
        replace(series, steps=series.steps[series.finite], values=series.values[series.finite], times=NO_VALUES)
        for series in (series_of(run, *SCORES), series_of(run, "length_mean"))
    )
    return at_common_steps(reward, length)


def _correlation(first: Values, second: Values) -> tuple[float, float]:
    """The correlation of (N,) and (N,), and its bound nearer to 0 at 95 %: 0 where its sign is not certain."""
    if not first.std() or not second.std():
        return 0.0, 0.0
    found = float(np.corrcoef(first, second)[0, 1])
    away = math.atanh(min(abs(found), CERTAIN)) - 2 / math.sqrt(len(first) - 3)
    return found, math.copysign(math.tanh(max(0.0, away)), found)


def _were_cut_off(run: Run, limits: Limits) -> bool:
    cut = run.get("truncated_fraction")
    known = np.zeros(0) if cut is None else cut.values[cut.finite]
    return len(known) > 0 and float(np.mean(known[: max(1, len(known) // PARTS)])) > limits.cut_off
