"""The policy is where it began: the updates are too small to change what it says.

What it checks
    Four signs, after at least 20 steps. A learning rate that has never exceeded 1e-8 is critical: no weight can have
    moved by more than all learning rates together. A learning rate that has not reached a hundredth of what is set, in
    more than half of the planned steps, is a warning: the warm-up is longer than the run. Where no setting says what is
    set, so is one that rises at every point to the last, under a KL of 0.0001 nats per token or less; where no KL is
    logged either, once the run has ended and its reward has not risen. So is a run in
    which nothing moves: the entropy and the length are, with their errors, within a tenth of where they began, a rise
    of the reward by a fifth of the spread from answer to answer is ruled out, and the KL to the reference is below
    0.005 nats per token and does not grow beyond 0.0001 (that of a sequence of unknown length as if it had 64 tokens).
    A KL of exactly 0 at every step makes it critical. Where the entropy wavers too much to tell, a mean KL within
    0.0025 nats per token (per sequence where no length is known) of 0, by three of its standard errors, tells it. Where
    the KL of an answer is below 0.02 nats, by as much, it rules out such a rise, however noisy all else is. After 100
    points a KL below 0.125 nats per answer is enough, though it grows: it allows a rise by half of the spread, and the
    reward is not above its start by two standard errors. Neither tells it of a reward that is one number at most
    points. Points of a warm-up count here by their share of the highest learning rate so far. Where the reward is at
    full marks, or answers are not told apart, standing still is right, and this is not judged; where most groups tell
    them apart, gradients flow and no KL ever exceeds 0.0001, it is not right at full marks either.

Why it matters
    The run costs as much as any other and nothing is learned. All numbers look sound, because they are those of the
    model before the training.

When it is wrong
    A large model may need more than some 20 steps at a small learning rate to show anything. A KL penalty that
    outweighs the reward holds the policy in place as well.

What to try
    Raise the learning rate. Keep the trained weights in float32: in bfloat16 an update below a 256th of a weight is
    rounded away. Make the warm-up a small part of the run.

References
    Adam moves a weight by about the learning rate at most (arXiv 1412.6980) · bfloat16 has eight bits of precision ·
    TRL logging page: this metric should keep going up · a shift by d nats changes the mean of a reward whose tails are
    normal by √(2 d) deviations at most (Boucheron, Lugosi and Massart 2013, section 4.9).
"""

import numpy as np

from diagnostics.detectors.averages import finite_median, finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import finite_range
from diagnostics.detectors.rolling import rolling_median
from diagnostics.detectors.stillness import Change, change_of_level
from diagnostics.model.alignment import last_known
from diagnostics.model.distances import kl_of_answers
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.lengths import kl_lengths
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import (
    SCORES,
    has_likely_risen,
    has_never_moved,
    has_risen,
    is_solved,
    spread_of_answers,
    spread_of_marks,
)
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, too_few

MOSTLY = 0.5  # of the points
DISTANCES = ("kl_per_sequence", "kl_per_token")


class Limits(RuleLimits):
    """What counts as standing still, and for how long."""

    patience: int = limit(20, "logged points", "engineering default")
    tiny: float = limit(
        1e-8, "learning rate", "a tenth of the smallest in use; 100 steps move a weight by 1e-6 at most"
    )
    warmed_up: float = limit(0.01, "of the learning rate that is set", "engineering default")
    share_of_plan: float = limit(0.5, "of the planned steps", "engineering default")
    still: float = limit(
        0.1, "of the level at the start", "measured on trainings of TRL: healthy ones moved their entropy by more"
    )
    near: float = limit(
        0.005, "nats/token", "measured on trainings of TRL: healthy ones were farther away after 20 steps"
    )
    nearest: float = limit(
        0.0025, "nats/token", "half of the above: it stands for the entropy where that wavers by more than a tenth"
    )
    grown: float = limit(1e-4, "nats/token", "measured on trainings of TRL in bfloat16: their rounding stays below")
    short_answer: float = limit(
        64.0, "tokens", "TRL training FAQ: its own examples generate up to 32, PPO's default is 53"
    )
    small: float = limit(0.2, "of the spread from answer to answer", "Cohen 1988: a small effect")
    medium: float = limit(0.5, "of the spread from answer to answer", "Cohen 1988: a medium effect")
    long: int = limit(100, "logged points", "measured on public logs: healthy ones rose by then, or were farther away")
    standard_errors: float = limit(
        3.0, "standard errors of the gain", "measured on healthy runs, which are judged anew at each step"
    )
    full_marks: float = limit(0.95, "of the highest reward", "engineering default: a solved task has nothing to gain")
    few_silent: float = limit(
        0.5, "of the groups", "engineering default: most tell answers apart, so that updates push"
    )


class PolicyHardlyMoves(RunRule[Limits]):
    """Judges the learning rate, and the entropy, the length, the reward and the KL together."""

    code = "RV110"
    name = "policy-hardly-moves"
    grade = "M"
    source = "measured on trainings of TRL with tiny learning rates and weights in bfloat16"
    inputs = (("learning_rate", "entropy_per_token", *DISTANCES),)
    says_nothing_happens = True
    is_of_policies = True
    limits = Limits()
    remedies = ("raised-learning-rate", "checked-parameters")
    texts = english(
        headline="The policy is where it began: the updates are too small to change it.",
        tiny="The learning rate never exceeded {measured} from step {first} to {last}: in a step, no weight can have "
        "moved by more than that.",
        warm_up="The learning rate reached {measured} from step {first} to {last}, where {stated} is set: the warm-up "
        "is longer than the run.",
        warming="The learning rate rose from step {first} to {last} without a break, to {measured}, and the KL to the "
        "reference is still {kl} nats/token: the warm-up is longer than the run.",
        never_warm="The learning rate rose from step {first} to {last} without a break, to {measured}: the warm-up is "
        "longer than the run, and its reward has not risen.",
        still="Nothing has moved from step {first} to {last}: the entropy was {before} nats/token and is {measured}, "
        "and the {reward} was {reward_before} and is {reward_after}.",
        near="Nothing has moved from step {first} to {last}: the KL to the reference is {measured} {unit}, too little "
        "for a gain of the {reward}, which was {reward_before} and is {reward_after}.",
        slow="The policy has hardly moved from step {first} to {last}: the KL to the reference is {measured} {unit}, "
        "and the {reward} has not risen: it was {reward_before} and is {reward_after}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        rate, entropy, distance = run.get("learning_rate"), run.get("entropy_per_token"), run.get(*DISTANCES)
        judged = [series for series in (rate, entropy or distance) if series is not None]
        limits = paced(limits, run, judged[0], patience=5)
        if max(finite_points(series.values) for series in judged) < limits.patience:
            return too_few(limits.patience, max(finite_points(series.values) for series in judged))
        found = self._of_rate(run, rate, limits) if rate is not None else None
        if found is None and judged[-1] is not rate and _points_at_full_rate(judged[-1], rate) >= limits.patience:
            found = self._of_metrics(run, entropy, limits)
        return found or Quiet(metric=judged[-1].name, tag=judged[-1].tag)

    def _of_rate(self, run: Run, rate: Series, limits: Limits) -> Fired | None:
        """The finding that the learning rate itself is too small to move anything."""
        highest, stated = finite_range(rate.values)[1], run.settings.number("learning_rate")
        episode = Episode(0, len(rate) - 1, still=True)
        if len(rate) < limits.patience or not highest > 0:
            return None
        if highest <= limits.tiny:
            return self.fired(rate, episode, Severity.CRITICAL, measured=highest, limit=limits.tiny, key="tiny")
        total = run.status.total or run.settings.number("max_steps") or 0
        is_late = int(rate.steps[-1]) > limits.share_of_plan * total > 0
        if not is_late:
            return None
        if stated is None:
            return self._of_rising_rate(run, rate, limits)
        if highest > limits.warmed_up * stated:
            return None
        bar = limits.warmed_up * stated
        return self.fired(rate, episode, Severity.WARNING, measured=highest, limit=bar, key="warm_up", stated=stated)

    def _of_rising_rate(self, run: Run, rate: Series, limits: Limits) -> Fired | None:
        """The finding that the learning rate still rises at the last point, and nothing has come of it."""
        if not rate.finite.all() or not bool((np.diff(rate.values) > 0).all()):
            return None
        episode, highest = Episode(0, len(rate) - 1, still=True), float(rate.values[-1])
        kl = run.get("kl_per_token")
        if kl is None:
            if not run.status.has_ended or run.get(*SCORES) is None or has_risen(run.get(*SCORES)):
                return None
            return self.fired(rate, episode, Severity.WARNING, measured=highest, limit=None, key="never_warm")
        latest = finite_median(kl.values[-limits.patience :])
        if abs(latest) > limits.grown:
            return None
        return self.fired(rate, episode, Severity.WARNING, measured=highest, limit=None, key="warming", kl=latest)

    def _of_metrics(self, run: Run, entropy: Series | None, limits: Limits) -> Fired | None:
        """The finding that nothing has moved."""
        reward, length = run.get(*SCORES), run.get("length_mean")
        if reward is None or not _had_reason_to_move(run, reward, limits):
            return None
        gained = change_of_level(reward.values)
        if gained is None or gained.is_proven:
            return None
        if _has_left(run, limits):
            return self._of_long_stay(run, reward, gained, limits)
        if found := self._of_distance(run, reward, gained, limits) or self._of_long_stay(run, reward, gained, limits):
            return found
        change = None if entropy is None else change_of_level(entropy.values)
        if entropy is None or change is None or change.is_proven or _may_have_risen(run, gained, limits):
            return None
        if not _is_still(change, limits) and not _stays_at_the_reference(run, limits):
            return None
        grown = change_of_level(length.values) if length is not None else None
        if grown is not None and not _is_still(grown, limits):
            return None
        return self.fired(
            entropy,
            Episode(0, len(entropy) - 1, still=True),
            Severity.CRITICAL if _is_the_reference(run) else Severity.WARNING,
            measured=change.after,
            limit=None,
            key="still",
            before=change.before,
            reward=reward.name,
            reward_before=gained.before,
            reward_after=gained.after,
        )

    def _of_distance(self, run: Run, reward: Series, gained: Change, limits: Limits) -> Fired | None:
        """The finding that the KL rules out a small gain, however noisy all else is."""
        return self._of_kl(run, reward, gained, limits, limits.small, "near")

    def _of_long_stay(self, run: Run, reward: Series, gained: Change, limits: Limits) -> Fired | None:
        """The finding that a long run is still so near that its KL rules out a medium gain, and has not risen."""
        if finite_points(reward.values) < limits.long or has_likely_risen(reward):
            return None
        return self._of_kl(run, reward, gained, limits, limits.medium, "slow")

    def _of_kl(
        self, run: Run, reward: Series, gained: Change, limits: Limits, deviations: float, key: str
    ) -> Fired | None:
        """The finding that the KL rules out a gain of so many deviations: d nats allow √(2 d) of them."""
        logged, of_answers = run.get(*DISTANCES), kl_of_answers(run)
        if logged is None or of_answers is None or _is_mostly_the_same(reward):
            return None
        level, change = change_of_level(logged.values), change_of_level(of_answers.values)
        if level is None or change is None:
            return None
        if 2 * (abs(change.after) + limits.standard_errors * change.error) > deviations**2:
            return None
        return self.fired(
            logged,
            Episode(0, len(logged) - 1, still=True),
            Severity.CRITICAL if _is_the_reference(run) else Severity.WARNING,
            measured=level.after,
            limit=None,
            key=key,
            unit=logged.unit,
            reward=reward.name,
            reward_before=gained.before,
            reward_after=gained.after,
        )


def _is_mostly_the_same(reward: Series) -> bool:
    """Whether most rewards are one number: then little is told apart, and nothing pushes the policy."""
    known = reward.values[reward.finite]
    return bool(np.mean(known == np.median(known)) >= MOSTLY)


def _points_at_full_rate(judged: Series, rate: Series | None) -> float:
    """How many points were logged at the highest learning rate so far; those before count by their share of it."""
    if rate is None or not (highest := finite_range(rate.values)[1]) > 0:
        return len(judged)
    peak = int(np.nanargmax(rate.values))
    warming = last_known(rate, judged.steps[judged.steps < rate.steps[peak]])
    return len(judged) - len(warming) + float(np.nansum(warming) / highest)


def _is_the_reference(run: Run) -> bool:
    """Whether a KL of exactly 0 at every step, not merely in the digits that are logged, says that no weight moved."""
    kl = run.get(*DISTANCES)
    return kl is not None and not run.data_health.rounded_to and bool((kl.values == 0).all())


def _stays_at_the_reference(run: Run, limits: Limits) -> bool:
    """Whether the mean KL is so small that the policy cannot have gone anywhere, however short its answers."""
    kl = _kl_per_token(run, 1.0)
    change = None if kl is None else change_of_level(kl)
    if change is None or change.is_proven:
        return False
    return abs(change.after) + limits.standard_errors * change.error <= limits.nearest


def _may_have_risen(run: Run, gained: Change, limits: Limits) -> bool:
    """Whether a small gain is not ruled out; False where the spread of the answers is unknown."""
    spread = spread_of_answers(run) or spread_of_marks(run)
    return spread is not None and gained.may_be_gain(limits.small * spread, limits.standard_errors)


def _is_still(change: Change, limits: Limits) -> bool:
    return change.most <= limits.still * abs(change.before) and not change.is_proven


def _had_reason_to_move(run: Run, reward: Series, limits: Limits) -> bool:
    """Whether answers were told apart, and better ones could be given."""
    norm = run.get("grad_norm")
    if has_never_moved(reward.values):
        return False
    if is_solved(run, reward.steps, limits.full_marks) and not _is_pushed_in_vain(run, limits):
        return False
    return norm is None or finite_median(norm.values) > 0


def _is_pushed_in_vain(run: Run, limits: Limits) -> bool:
    """Whether most groups tell answers apart and gradients flow, and yet the KL stays where rounding keeps it."""
    norm, silent, kl = run.get("grad_norm"), run.get("zero_std_fraction"), run.get("kl_per_token")
    if norm is None or silent is None or kl is None:
        return False
    lowest, highest = finite_range(kl.values)
    is_pushed = finite_median(norm.values) > 0 and finite_median(silent.values) < limits.few_silent
    return is_pushed and max(-lowest, highest) < limits.grown


def _has_left(run: Run, limits: Limits) -> bool:
    """Whether the KL shows that the policy has left the reference; False where none is logged."""
    kl = _kl_per_token(run, limits.short_answer)
    if kl is None:
        return False
    change = change_of_level(kl)
    far = np.abs(rolling_median(kl))
    has_grown = change is None or (change.is_proven and change.after > max(change.before, limits.grown))
    return has_grown or bool((far >= limits.near).any())


def _kl_per_token(run: Run, tokens: float) -> Values | None:
    """(N,) The KL to the reference; that of answers of unknown length as if they had so many tokens."""
    logged, whole = kl_lengths(run), run.get("kl_per_sequence")
    if logged is not None:
        return logged[0].values / logged[1]
    return None if whole is None else whole.values / tokens
