"""The policy was carried away by its first updates and has not moved since: it says one thing, and learns nothing.

What it checks
    What is logged of the policy (KL to the reference, entropy, length, reward) after the first steps, ten at most: from
    then on, for at least 20 steps and until now, nine tenths of the values of each, and the median of the first five,
    lie within a hundredth of its level (a twentieth for the KL, and an entropy may waver at a tenth of the first one or
    less), while a jump came before: a KL of 1 nat per token or 25 per sequence, an update of 1 nat per token, or such a
    fall of the entropy. Where the entropy keeps a hundredth of the first one or less, the reward may waver, if it lies
    below its first value and does not rise, and so may the KL, by a quarter of its level, if the medians of its halves
    lie within a twentieth: one and the same answer earns more with one prompt than with another, and is likelier for
    the reference. It is critical, except at full marks, and begins where nothing moves any more, not before the jump.

Why it matters
    A policy that has collapsed onto one answer gives no differences to learn from, so nothing brings it back, and
    everything looks calm. Rules that compare a run with its own first points take the wreck for its usual state.

When it is wrong
    A log that repeats its last row looks the same. A task that is solved within three steps does so with a small KL.

What to try
    Start anew with a learning rate ten times lower and a clipped gradient. Read the samples of the first steps.

References
    A public PPO log: a KL of 177 and an update of 9 nats at step 2, everything constant afterwards · openai/baselines
    issue 456 (a policy that has become deterministic is no longer clipped).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.averages import finite_median, finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import finite_range
from diagnostics.detectors.stillness import change_of_level
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.cadence import paced
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, is_at_full_marks
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few
from diagnostics.rules.update_sizes import UPDATE_SIZES

KLS = ("kl_per_sequence", "kl_per_token")
MOVING = (KLS, ("entropy_per_token",), ("length_mean",), SCORES)
OUTSIDE = 0.05  # of the values, at either end: a single answer may differ
FIRST = 5  # points from which on nothing moves: of a long run they are fewer than those that may lie outside
FEWEST = 2  # metrics: one alone may be constant for a reason of its own


@dataclass(frozen=True, slots=True)
class _Jump:
    """What carried the policy away: the text that tells it, the series, how far it went, past which limit, and where.

    `first` is the index of the first point that had got there.
    """

    key: str
    series: Series
    measured: float
    limit: float
    first: int


class Limits(RuleLimits):
    """Which jump carries a policy away, and how still it lies afterwards."""

    early: int = limit(3, "logged points", "the first updates are the largest")
    latest: int = limit(10, "logged points", "what happens later shows against the points before it")
    patience: int = limit(20, "logged points", "engineering default")
    still: float = limit(0.01, "of the level", "engineering default: batches of different answers differ by more")
    kl_still: float = limit(0.05, "of the level", "the KL of one and the same answer differs from prompt to prompt")
    kl_wavers: float = limit(
        0.25, "of the level", "where all answers are alike, small batches of prompts differ by so much"
    )
    full_marks: float = limit(0.95, "of the highest reward", "engineering default: a solved task has nothing to gain")
    kl_per_token: float = limit(1.0, "nats/token", "where kl-too-high has its graver limit")
    kl_per_sequence: float = limit(25.0, "nats/sequence", "where kl-too-high has its graver limit")
    update: float = limit(1.0, "nats/token", "a hundred times the classic target KL of 0.01")
    entropy: float = limit(0.1, "of the first", "healthy runs keep more over their first steps")
    certain: float = limit(0.01, "of the first", "engineering default: the policy then says one thing to each prompt")


class PolicyFrozen(RunRule[Limits]):
    """Judges KL, entropy, length and reward together, after the first steps."""

    code = "RV111"
    name = "policy-frozen"
    grade = "I"
    source = "a public PPO log: KL 177 at step 2, everything constant afterwards"
    inputs = ((*KLS, "entropy_per_token"),)
    is_of_policies = True
    limits = Limits()
    remedies = ("much-lower-learning-rate", "clipped-gradient", "restored-clip-range")
    telling_samples = "any"
    texts = english(
        headline="The policy was carried away by its first updates and has not moved since.",
        kl="The KL to the reference jumped to {measured} {unit} by step {jumped}, and nothing has moved from step "
        "{first} to {last}.",
        update="An update of {measured} nats/token moved the policy in the first steps, and nothing has moved since "
        "(from step {first} to {last}).",
        entropy="The entropy fell from {before} to {measured} nats/token by step {jumped}, and nothing has moved from "
        "step {first} to {last}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = series_of(run, *KLS, "entropy_per_token")
        limits = paced(limits, run, logged, early=1, latest=3, patience=5)
        needed = limits.early + limits.patience
        if finite_points(logged.values) < needed:
            return too_few(needed, finite_points(logged.values))
        start = _stillness_begins(run, limits)
        jump = None if start is None else next(_jumps(run, start, limits), None)
        if start is None or jump is None or _is_solved(run, limits):
            return Quiet(metric=logged.name, tag=logged.tag)
        series, last = jump.series, len(jump.series) - 1
        return self.fired(
            series,
            Episode(min(max(start, jump.first), last), last, still=True),
            Severity.CRITICAL,
            measured=jump.measured,
            limit=jump.limit,
            key=jump.key,
            before=float(series.values[0]),
            jumped=int(series.steps[jump.first]),
        )


def _is_solved(run: Run, limits: Limits) -> bool:
    reward = run.get(*SCORES)
    return reward is not None and is_at_full_marks(reward.values[limits.latest :], limits.full_marks)


def _stillness_begins(run: Run, limits: Limits) -> int | None:
    """The point, one of the first, from which nothing moves; None where something does, or too little is logged."""
    for start in range(limits.early, limits.latest + 1):
        needed = start + limits.patience
        is_certain = _answers_are_certain(run, start, limits)
        telling = MOVING[:-1] if is_certain else MOVING
        moving = [series for names in telling if (series := run.get(*names)) is not None and len(series) >= needed]
        judge = _wavers_at_most if is_certain else _is_still
        if len(moving) >= FEWEST and all(judge(series, start, limits) for series in moving):
            return start
    return None


def _answers_are_certain(run: Run, start: int, limits: Limits) -> bool:
    """Whether from this point on nothing of the entropy is left, and the reward is below its first value for good."""
    entropy, reward = run.get("entropy_per_token"), run.get(*SCORES)
    if entropy is None or reward is None or min(len(entropy), len(reward)) <= start:
        return False
    left, first = finite_median(entropy.values[start:]), float(entropy.values[0])
    later, change = reward.values[start:], change_of_level(reward.values[limits.early :])
    if change is None or (change.is_proven and change.after > change.before):
        return False
    return 0 <= left <= limits.certain * first and finite_median(later) < float(reward.values[0])


def _wavers_at_most(series: Series, start: int, limits: Limits) -> bool:
    """Whether the values stay near their level; a KL may waver about one that does not change."""
    earlier, later = (finite_median(half) for half in np.array_split(series.values[start:], 2))
    has_moved = not abs(later - earlier) <= limits.kl_still * abs(earlier)
    if series.name not in KLS or has_moved:
        return _is_still(series, start, limits)
    return _is_still(series, start, limits.replaced(kl_still=limits.kl_wavers))


def _is_still(series: Series, start: int, limits: Limits) -> bool:
    """Whether the values lie near their level from this point on; an entropy of nearly 0 may waver there."""
    later = series.values[start:]
    if not np.isfinite(later).all():
        return False
    level, at_first = abs(float(np.median(later))), abs(float(np.median(later[:FIRST])))
    share = limits.kl_still if series.name in KLS else limits.still
    is_entropy, spent = series.name == "entropy_per_token", limits.entropy * float(series.values[0])
    if is_entropy and max(level, at_first) <= spent:
        return True
    low, high = np.quantile(later, (OUTSIDE, 1 - OUTSIDE))
    return float(high - low) <= share * level and abs(at_first - level) <= share * level


def _jumps(run: Run, start: int, limits: Limits) -> Iterator[_Jump]:
    """What carried the policy away by `start` or, as a few values may lie outside, just after it."""
    for name, far in (("kl_per_token", limits.kl_per_token), ("kl_per_sequence", limits.kl_per_sequence)):
        kl = run.get(name)
        if kl is not None and (reached := finite_median(kl.values[start:])) >= far:
            is_there = np.abs(kl.values - reached) <= limits.kl_wavers * reached
            yield _Jump("kl", kl, reached, far, int(np.argmax(is_there)))
    size, entropy = run.get(*UPDATE_SIZES), run.get("entropy_per_token")
    if size is not None and (largest := finite_range(size.values[:start])[1]) >= limits.update:
        yield _Jump("update", size, largest, limits.update, int(np.argmax(size.values[:start] == largest)))
    if entropy is not None and len(entropy) > start:
        first, left = float(entropy.values[0]), finite_median(entropy.values[start:])
        spent = limits.entropy * first
        if first > 0 and left <= spent:
            yield _Jump("entropy", entropy, left, spent, int(np.argmax(entropy.values <= spent)))
