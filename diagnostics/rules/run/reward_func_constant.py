"""A reward function gives every completion the same reward, so it contributes nothing.

What it checks
    The spread of each reward function (`rewards/{name}/std`): 0 for 20 steps in a row, up to the first step at which it
    told answers apart. Where it is not logged, a mean (`rewards/{name}/mean`) that is exactly the same for as long
    proves it. It is a warning; critical when no function of the run varies, because then there is no gradient at all;
    and info when the constant is the full 1.0 or the highest that the function has given, after less, or when the
    function has begun to tell answers apart. It stays a warning where no function varies any more because those that
    ever did have come to their highest, after 20 steps and more. Where every function gives the full 1.0 from the first
    point on, it is a warning: nothing was learned, so either there is nothing to learn or the functions ask for too
    little.

Why it matters
    Advantages are differences. A function that never varies is dead weight, and usually a pattern that never matches.

When it is wrong
    A sparse reward may stay at 0 for a while before the first success. A function that applies to few samples of a
    batch may look constant in small batches.

What to try
    Call the function on an answer that must score and on one that must not. Fix its pattern, or drop it.

References
    TRL logging page: rewards/{reward_func_name}/mean · TRL issue 3857 (four of five functions with a spread of 0).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from diagnostics.detectors.averages import finite_deviation, finite_median
from diagnostics.detectors.episodes import Episode
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.alignment import values_between
from diagnostics.model.messages import Value
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.breaches import Breach, Level
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Reading, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import FULL_MARKS
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule

MEAN, SPREAD = "reward_func_mean", "reward_func_std"
NEVER_VARIED = ("checked-reward",)  # no weight makes an advantage of what never differs
SAME = 1e-3  # of what it gave, or of 1: printed numbers are rounded


class Limits(RuleLimits):
    """When a function counts as constant."""

    spread: float = limit(1e-6, "reward", "float noise of equal rewards")
    patience: int = limit(20, "logged points", "engineering default")


class RewardFuncConstant(RunRule[Limits]):
    """Judges the spread of every reward function; names the one that is constant the longest."""

    code = "RV404"
    name = "reward-func-constant"
    grade = "C"
    source = "TRL logging page: rewards/{reward_func_name}/mean; TRL issue 3857"
    algorithms = GROUP_FAMILY | {"ppo"}
    inputs = (("reward_func_std", "reward_func_mean"),)
    limits = Limits()
    remedies = ("checked-reward", "reweighted-rewards")
    telling_samples = "equal-groups"
    texts = english(
        headline="The reward function {function} gives every completion the same reward.",
        fired="Reward function {function} gave every completion {mean} from step {first} to {last}.",
        fired_others="Reward function {function} gave every completion {mean} from step {first} to {last}. "
        "Also constant: {others}.",
        fired_later="Reward function {function} gave every completion {mean} from step {first} to {last}. "
        "Also constant from step {since}: {others}.",
        fired_learned="Reward function {function} gave every completion {mean} from step {first} to {last}. "
        "Learned by step {since}, and constant from there: {others}.",
        headline_full="Every answer gets full marks from the start.",
        full="Every reward function gave every completion the full {mean} from step {first} to {last}: nothing had to "
        "be learned for it.",
        unmeasured="Reward function {function} gave all completions of a step the same reward, from step {first} to "
        "{last}.",
    )

    def applies(self, run: Run) -> bool:
        """TRL's PPO has a single reward model, and logs no function of its own."""
        return super().applies(run) and (run.algorithm != "ppo" or self.has(run, SPREAD) or self.has(run, MEAN))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        readings = _readings(run, limits)
        constant = {name: item for name, item in readings.items() if isinstance(item, Reading) and item.breach}
        if not constant:
            return self.judged(_nearest_to_constant(tuple(readings.values())))
        still = [item for item in constant.values() if item.breach is not None and item.breach.episode.still]
        none_varies = len(still) == len(readings) and not _ended_by_learning(run, constant, limits)
        fired = [self._fired(run, name, constant, none_varies=none_varies) for name in constant]
        return max(fired, key=lambda item: (item.severity.rank, (item.last_step or 0) - (item.first_step or 0)))

    def _fired(self, run: Run, name: str, constant: Mapping[str, Reading], none_varies: bool) -> Fired:
        means, reading = run.series.get(f"{MEAN}/{name}"), constant[name]
        mean, beside = _mean(means, reading), _beside(run, name, constant)
        key = "unmeasured" if math.isnan(mean) else beside.key
        values: dict[str, Any] = {"function": name, "mean": mean, **beside.values}
        if means is not None and reading.series.name == means.name:
            finding: RuleResult = self.fired_by(means, reading, measured=mean, limit=None, key=key, **values)
        else:
            finding = self.judged(reading, key=key, **values)
        assert isinstance(finding, Fired)  # `constant` holds breaches only
        if none_varies and all(_is_full_throughout(run, *item) for item in constant.items()):
            return self._full_from_the_start(finding)
        if finding.still and finding.first_step == int(reading.series.steps[0]):
            finding = replace(finding, remedies=NEVER_VARIED)
        if mean == FULL_MARKS or not finding.still or _is_at_its_best(run, name, reading):
            return replace(finding, severity=Severity.INFO)
        return replace(finding, severity=Severity.CRITICAL) if none_varies else finding

    def _full_from_the_start(self, finding: Fired) -> Fired:
        """The finding that nothing had to be learned for the reward."""
        values = finding.message.values
        message, headline = self.message("full", **values), self.message("headline_full", **values)
        remedies = ("checked-reward", "harder-prompts")
        return replace(finding, severity=Severity.WARNING, message=message, headline=headline, remedies=remedies)


@dataclass(frozen=True, slots=True)
class _Beside:
    """Which other functions were constant as well: the key of the text that says so, and its values."""

    key: str
    values: Mapping[str, Value]


def _beside(run: Run, name: str, constant: Mapping[str, Reading]) -> _Beside:
    """What to say of the others beside a function: what was so throughout its stretch, else what came to it later."""
    first, last = _ends(constant[name])
    ends = {other: _ends(reading) for other, reading in constant.items() if other != name}
    throughout = [other for other, (begun, ended) in ends.items() if begun <= first and ended >= last]
    later = [other for other, (begun, ended) in ends.items() if first < begun <= last <= ended]
    learned = [other for other in later if _is_at_its_best(run, other, constant[other])]
    for key, others in (("fired_others", throughout), ("fired_learned", learned), ("fired_later", later)):
        if others:
            return _Beside(key, {"others": ", ".join(others), "since": max(ends[other][0] for other in others)})
    return _Beside("fired", {})


def _ends(reading: Reading) -> tuple[int, int]:
    """The first and the last step of the stretch to tell."""
    assert reading.breach is not None  # of a constant function
    first, last = reading.series.steps[[reading.breach.episode.first, reading.breach.episode.last]].tolist()
    return first, last


def _ended_by_learning(run: Run, constant: Mapping[str, Reading], limits: Limits) -> bool:
    """Whether each function that ever told answers apart did so for long, and came to the most it gives."""
    told = {name: _points_told_apart(reading, limits) for name, reading in constant.items()}
    return any(told.values()) and all(
        points >= paced(limits, run, constant[name].series, patience=5).patience
        and _is_at_its_best(run, name, constant[name])
        for name, points in told.items()
        if points
    )


def _points_told_apart(reading: Reading, limits: Limits) -> int:
    """At how many points before its stretch a function told answers apart, by its spread or as its mean moved."""
    assert reading.breach is not None  # of a constant function
    before = reading.series.values[: reading.breach.episode.first]
    before = np.abs(np.diff(before)) if reading.series.name.startswith(MEAN) else before
    return int(np.count_nonzero(before > limits.spread))


def _is_at_its_best(run: Run, name: str, reading: Reading) -> bool:
    """Whether a function came to what it gives from below: it is satisfied, not dead."""
    means = run.series.get(f"{MEAN}/{name}")
    mean = _mean(means, reading)
    if means is None or math.isnan(mean):
        return False
    before, tolerance = means.values[means.steps < _ends(reading)[0]], SAME * max(1.0, abs(mean))
    return bool((before < mean - tolerance).any()) and not bool((means.values > mean + tolerance).any())


def _readings(run: Run, limits: Limits) -> dict[str, Reading | TooFew]:
    """The reading of each function's spread; where none is logged, that of its mean."""
    spreads, means = run.by_reward_function(SPREAD), run.by_reward_function(MEAN)
    alone = {name: _read_mean(run, series, limits) for name, series in means.items() if name not in spreads}
    return {**{name: _read_spread(run, series, limits) for name, series in spreads.items()}, **alone}


def _read_spread(run: Run, spread: Series, limits: Limits) -> Reading | TooFew:
    limits = paced(limits, run, spread, patience=5)
    level = Level(Severity.WARNING, limits.spread, limits.patience)
    reading = read_levels(spread, (level,), above=False, smooth=False)
    if not isinstance(reading, Reading) or not reading.breaches:
        return reading
    constant = _unbroken(spread.values, limits.spread, limits.patience)
    return replace(reading, breaches=tuple(Breach(level, episode, episode.first, share=1.0) for episode in constant))


def _unbroken(values: Values, limit: float, patience: int) -> tuple[Episode, ...]:
    """The stretches of enough known points without one above the limit: a single one shows that answers can differ."""
    known = np.flatnonzero(~np.isnan(values))
    breaks = np.flatnonzero(values[known] > limit)
    edges = (-1, *breaks.tolist(), len(known))
    return tuple(
        Episode(int(known[before + 1]), int(known[after - 1]), still=after == len(known))
        for before, after in pairwise(edges)
        if after - before > patience
    )


def _read_mean(run: Run, mean: Series, limits: Limits) -> Reading | TooFew:
    """The reading of a mean that has been exactly the same for long and until now."""
    limits = paced(limits, run, mean, patience=5)
    if len(mean) < limits.patience:
        return TooFew(limits.patience, len(mean))
    with np.errstate(invalid="ignore"):  # infinite ones
        others = np.flatnonzero(~(np.abs(mean.values - mean.values[-1]) <= limits.spread))
    first = int(others[-1]) + 1 if len(others) else 0
    level, episode = Level(Severity.WARNING, limits.spread, limits.patience), Episode(first, len(mean) - 1, still=True)
    is_constant = len(mean) - first >= limits.patience
    breaches = (Breach(level, episode, first),) if is_constant else ()
    return Reading(mean, breaches, 0.0 if is_constant else finite_deviation(mean.values), limits.spread, above=False)


def _nearest_to_constant(readings: Sequence[Reading | TooFew]) -> Reading | TooFew:
    """The reading of the function closest to being constant; where none could be judged, any."""
    judged = [reading for reading in readings if isinstance(reading, Reading)]
    return min(judged, key=lambda reading: reading.worst) if judged else readings[0]


def _is_full_throughout(run: Run, name: str, reading: Reading) -> bool:
    """Whether a constant function has given full marks from the first point until now."""
    breach = reading.breach
    is_throughout = breach is not None and breach.episode.first == 0 and breach.episode.still
    return is_throughout and _mean(run.series.get(f"{MEAN}/{name}"), reading) == FULL_MARKS


def _mean(means: Series | None, reading: Reading) -> float:
    """What the function gave during the episode; NaN where that is not logged, or not the same in all steps."""
    if means is None or reading.breach is None:
        return math.nan
    first, last = reading.series.steps[[reading.breach.episode.first, reading.breach.episode.last]].tolist()
    given = values_between(means, first, last)
    mean = finite_median(given)
    return mean if np.nanmax(np.abs(given - mean), initial=0.0) <= SAME * max(1.0, abs(mean)) else math.nan
