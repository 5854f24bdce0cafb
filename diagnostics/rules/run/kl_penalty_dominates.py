"""The KL penalty costs more than the score has gained: the policy is optimising the penalty.

What it checks
    The KL penalty of a response (`objective/non_score_reward`) against the smoothed score's gain since the start, and
    against half the spread of the score: larger than both for 20 logged points is a warning; where the score has risen,
    four times as large. The first 50 points are not judged, except for a penalty of twice the score's deviation (four
    times that bar) for ten points: it decides which answers are better, whatever they score. Where the deviation is not
    logged, it is estimated from the noise between batches, and a short run is not judged. A penalty of ten times the
    largest score, for five points, is a warning anywhere in the run.

    With a weight of ten times the deviation of the reward or more, nothing can be gained: the best trade-off earns the
    variance over the weight, a tenth of a deviation. Where the score has not risen in 20 points, that is a warning.

    RLOO logs no penalty: it is the stated weight times the KL per token and the mean length. The old PPOTrainer logs
    that of a token: the penalty is its KL coefficient times the KL of a sequence.

    GRPO logs none either. Its loss pulls each token back in proportion to beta times its log-probability ratio, against
    an advantage of 1: they balance at a ratio of 1 / beta. Where that allows less than 0.1 nats per token (ratio² / 2),
    the KL stays below it, and the reward has not risen in 20 points, it is a warning. So is a weight of 1 or more
    (times the spread of rewards that are not scaled) under which the reward has not risen, unless it began within a
    tenth of its maximum; a weight that no setting
    states is the slope of the loss over the KL, where the two go together (a correlation of 0.95). So is a KL (median
    of five points) that has fallen to a quarter of its peak for ten points, and is there, while the reward is no higher
    than at the peak, has not kept half of what it had gained there, and is below its maximum: only the penalty leads
    back to the reference.

Why it matters
    The reward is the score plus the penalty. Where the gain grows with the distance, the penalty at the best trade-off
    is half of the gain; where it exceeds the gain, standing still would have earned more.

When it is wrong
    A policy that has run away and is being pulled back looks the same for a while; then the KL is high. A reward that
    cannot be learned does not rise under any KL penalty. A reference that is updated during the run lowers the KL as
    well; where the configuration says so (`sync_ref_model`), this is not judged.

What to try
    Divide the KL coefficient by three, or scale the scores up.

References
    TRL training FAQ: the actual reward can be very small compared to the penalty · Gao et al. 2022 (arXiv
    2210.10760): reward against the root of the KL · GRPO's loss (arXiv 2402.03300): its gradient vanishes where
    advantage and beta · log ratio are equal.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from diagnostics.detectors.averages import ewma, finite_median, finite_points, start_level
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import extreme_so_far, finite_range, index_of_extreme
from diagnostics.detectors.rolling import MEDIAN_WINDOW, rolling_median
from diagnostics.model.alignment import at_common_steps, finite_only
from diagnostics.model.loss_weight import kl_weight_in_loss
from diagnostics.model.outcome import Evidence, Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.model.settings import UNSCALED_REWARDS
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Breach, Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import (
    SCORES,
    START,
    has_risen,
    is_at_full_marks,
    noise_of_batches,
    spread_by_batches,
    spread_of_answers,
    spread_of_marks,
)
from diagnostics.rules.rule import Fired, Input, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

_INPUTS = {
    "grpo": ("kl_per_token", "reward"),
    "rloo": ("kl_per_token", "length_mean", "reward"),
    "ppo-legacy": ("kl_per_sequence", "kl_coef", "score"),
}


class Limits(RuleLimits):
    """Which penalty is too large."""

    times: float = limit(1.0, "× the gain of the score", "above it the reward is lower than at the start")
    spread: float = limit(0.5, "× the spread of the score", "engineering default")
    patience: int = limit(20, "logged points", "engineering default")
    warm_up: int = limit(50, "logged points", "engineering default: the score needs time to gain anything")
    start: int = limit(20, "logged points", "engineering default")
    far: float = limit(4.0, "× the bar", "twice the deviation of the score: it decides which answers are better")
    far_patience: int = limit(10, "logged points", "engineering default")
    outweighed: float = limit(10.0, "× the largest score", "beside it, what the score says of an answer is rounding")
    outweighed_patience: int = limit(5, "logged points", "engineering default")
    smallest: float = limit(1e-6, "reward", "float noise")
    back: float = limit(0.25, "of its highest", "half of the way back: the KL grows with the square of the distance")
    back_patience: int = limit(10, "logged points", "engineering default")
    kept: float = limit(0.5, "of the gain at the peak of the KL", "engineering default")
    moved: float = limit(1e-3, "nats/token", "ratio² / 2: log-probabilities are 4 % off; from there is no way back")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default: a solved task has nothing to gain")
    little: float = limit(0.9, "of the highest reward", "as reward-func-stagnant: a tenth is little to gain")
    room: float = limit(0.1, "nats/token", "healthy public runs end at 0.12 to 0.31")
    heavy: float = limit(1.0, "of the advantage's unit", "25 times the weight in GRPO's paper, 0.04")
    allows: float = limit(0.1, "of the deviation of the reward", "half of a small effect (Cohen 1988)")
    correlation: float = limit(0.95, "correlation", "the KL then explains nine tenths of the loss's variance")


class KlPenaltyDominates(RunRule[Limits]):
    """Judges `objective/non_score_reward` against `objective/scores`, and GRPO's `kl` against what beta allows."""

    code = "RV307"
    name = "kl-penalty-dominates"
    grade = "F"
    source = "TRL training FAQ: the actual reward can be very small compared to the KL penalty"
    algorithms = frozenset({"ppo", "ppo-legacy", "grpo", "rloo"})
    inputs = ("non_score_reward", "score")
    limits = Limits()
    remedies = ("weaker-kl", "score-scaling")
    texts = english(
        headline="The KL penalty costs more than the score has gained.",
        fired="The KL penalty was {measured} at step {peak}, where the score had gained {gain}; it cost more than the "
        "gain{mostly} from step {first} to {last}.",
        outweighed="The KL penalty was {measured} at step {peak}, where no mean score is larger than {score}: it "
        "was more than {times} times as large{mostly} from step {first} to {last}.",
        bound="A KL weight of {beta} allows {limit} nats per token at most; the KL stayed within that ({measured} at "
        "step {last}), and the reward has not risen since step {first}.",
        heavy="The KL has a weight of {beta} in the loss, and the reward has not risen from step {first} to {last}, "
        "while the KL stayed at {measured} nats per token.",
        by_kl="The KL of {measured} {unit} cost {cost} of reward at step {peak}, where the score had gained {gain}; it "
        "cost more than the gain{mostly} from step {first} to {last}.",
        outweighed_by_kl="The KL of {measured} {unit} cost {cost} of reward at step {peak}, where no mean score is "
        "larger than {score}: it cost more than {times} times as much{mostly} from step {first} to {last}.",
        allows="The KL has a weight of {beta} in the reward, of which answers differ by {spread}: it leaves a gain of "
        "{gain} at most. The reward has not risen from step {first} to {last}, while the KL stayed at {measured} "
        "{unit}.",
        unstated="The weight of the KL penalty is not stated, and the penalty is not logged.",
        unstated_enable="Log the configuration with the run.",
        back="The KL went back from {highest} to {measured} nats per token between steps {first} and {last}, and the "
        "reward is no higher for it: the penalty leads the policy back to where it started.",
    )

    def missing(self, run: Run) -> tuple[Input, ...]:
        """The inputs that the run does not log; GRPO has its own."""
        needed = _INPUTS.get(run.algorithm)
        return super().missing(run) if needed is None else tuple(name for name in needed if run.get(name) is None)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        if run.algorithm == "grpo":
            return self._of_loss(run, limits)
        if run.algorithm == "rloo":
            return self._of_weight(run, limits)
        if run.algorithm == "ppo-legacy":
            return self._of_kl(series_of(run, "kl_per_sequence"), series_of(run, "kl_coef"), run, limits)
        return self._of_reward(series_of(run, "non_score_reward"), run, limits)

    def _of_loss(self, run: Run, limits: Limits) -> RuleResult:
        """The finding about a penalty in the loss, which is not logged: what its weight leaves room for."""
        kl = series_of(run, "kl_per_token")
        limits = paced(limits, run, kl, patience=10)
        points = finite_points(kl.values)
        stated = run.settings.kl_weight
        beta = kl_weight_in_loss(run, limits.patience, limits.correlation) if stated is None else stated
        if points < limits.patience:
            return too_few(limits.patience, points)
        if beta is None:
            return Skipped(self.message("unstated"), self.message("unstated_enable"))
        is_scaled = run.settings.value("scale_rewards") not in UNSCALED_REWARDS
        push = 1.0 if is_scaled else spread_of_answers(run) or spread_of_marks(run) or None  # 0 of a sparse reward
        room = math.inf if push is None or beta <= 0 else (push / beta) ** 2 / 2
        reached = start_level(kl.values[::-1], MEDIAN_WINDOW)
        is_held = room < limits.room and reached <= room
        is_heavy = push is not None and beta >= limits.heavy * push and _has_room_to_rise(run, limits)
        if has_risen(run.get("reward")) or not (is_held or is_heavy):
            is_pulled = beta > 0 and not run.settings.is_on("sync_reference")
            found = self._led_back(run, kl, limits) if is_pulled else None
            return found or Quiet(reached, limits.room, kl.unit, kl.name, kl.tag)
        episode = Episode(0, len(kl) - 1, still=True)
        key = "bound" if is_held else "heavy"
        limit = room if is_held else None
        return self.fired(kl, episode, Severity.WARNING, measured=reached, limit=limit, key=key, beta=beta)

    def _led_back(self, run: Run, kl: Series, limits: Limits) -> Fired | None:
        """The finding that the policy returns to the reference without a gain in reward."""
        kl, reward = at_common_steps(kl, series_of(run, "reward"))
        smooth, means = rolling_median(kl.values), ewma(reward.values)
        share = replace(kl, values=_share_of_highest(smooth, extreme_so_far(smooth)))
        level = Level(Severity.WARNING, limits.back, limits.back_patience)
        reading = read_levels(share, (level,), above=False, smooth=False, warm_up=limits.patience)
        if not isinstance(reading, Reading) or reading.breach is None or not reading.breach.episode.still:
            return None
        peak, last = index_of_extreme(smooth), len(kl) - 1
        episode, highest = Episode(peak, last, still=True), float(smooth[peak])
        if highest < limits.moved or is_at_full_marks(reward.values[peak:], limits.full_marks):
            return None
        measured, limit = float(smooth[last]), limits.back * highest
        start = start_level(reward.values, START)
        is_kept = has_risen(reward) and means[last] - start >= limits.kept * (means[peak] - start)
        if not means[last] <= means[peak] or measured > limit or is_kept:
            return None
        return self.fired(kl, episode, Severity.WARNING, measured=measured, limit=limit, key="back", highest=highest)

    def _of_weight(self, run: Run, limits: Limits) -> RuleResult:
        """The finding about a penalty that is part of the reward and not logged, but follows from its weight."""
        beta = run.settings.kl_weight
        if beta is None:
            return Skipped(self.message("unstated"), self.message("unstated_enable"))
        length = series_of(run, "length_mean")
        return self._of_kl(series_of(run, "kl_per_token"), replace(length, values=beta * length.values), run, limits)

    def _of_kl(self, kl: Series, cost: Series, run: Run, limits: Limits) -> RuleResult:
        """The finding about a penalty that follows from the KL, a nat of which costs `cost` (N,) of reward."""
        kl, cost = at_common_steps(finite_only(kl), finite_only(cost))
        found = self._of_reward(replace(kl, values=-cost.values * kl.values), run, limits)
        if not isinstance(found, Fired) or found.message.template.endswith("allows"):
            return found
        values, peak = found.message.values, found.message.values["peak"]
        assert isinstance(peak, int)
        at = int(np.searchsorted(kl.steps, peak))
        measured, rate = float(kl.values[at]), float(cost.values[at])
        key = "outweighed_by_kl" if found.message.template.endswith("outweighed") else "by_kl"
        shown = found.evidence.steps
        return replace(
            found,
            message=self.message(key, **{**values, "measured": measured, "unit": kl.unit, "cost": rate * measured}),
            measured=measured,
            limit=None if found.limit is None else -found.limit / rate,
            unit=kl.unit,
            evidence=Evidence(shown, kl.values[np.searchsorted(kl.steps, shown)]),
        )

    def _of_reward(self, penalty: Series, run: Run, limits: Limits) -> RuleResult:
        """The finding about a penalty that is part of the reward."""
        penalty, score = at_common_steps(finite_only(penalty), series_of(run, *SCORES))
        if found := self._outweighed(penalty, score, limits):
            return found
        gain = np.maximum(ewma(score.values) - start_level(score.values, limits.start), 0.0)
        bar = np.maximum(
            gain, max(limits.spread * (spread_by_batches(run, score) or noise_of_batches(score)), limits.smallest)
        )
        times = replace(penalty, values=np.maximum(-penalty.values, 0.0) / bar)
        most = limits.far if has_risen(score) else limits.times
        level = Level(Severity.WARNING, most, limits.patience)
        reading = read_levels(times, (level,), smooth=False, warm_up=limits.warm_up)
        if (not isinstance(reading, Reading) or reading.breach is None) and spread_of_answers(run):
            far = Level(Severity.WARNING, limits.far, limits.far_patience)
            beyond = read_levels(times, (far,), smooth=False)
            reading = beyond if isinstance(beyond, Reading) and beyond.breach else reading
        if not isinstance(reading, Reading):
            return self._too_heavy(score, run, limits) or too_few(reading.needed, finite_points(penalty.values))
        if reading.breach is None:
            return self._too_heavy(score, run, limits) or self.judged(reading, unit="× the gain of the score")
        allowed = reading.breach.level.limit * float(bar[reading.breach.peak])
        return self._costs(penalty, reading, reading.breach, allowed, gain=float(gain[reading.breach.peak]))

    def _too_heavy(self, score: Series, run: Run, limits: Limits) -> Fired | None:
        """The finding that the weight of the penalty leaves nothing to gain, and that nothing was gained."""
        kl, used = run.get("kl_per_sequence", "kl_per_token"), run.get("kl_coef")
        spread = spread_by_batches(run, score) or spread_of_marks(run)
        beta = finite_median(used.values) if used is not None else run.settings.kl_weight
        limits = paced(limits, run, score, patience=10)
        if not spread or not beta or kl is None or finite_points(score.values) < limits.patience:
            return None
        if spread / beta > limits.allows or has_risen(score) or not _has_room_to_rise(run, limits):
            return None
        episode = Episode(0, len(kl) - 1, still=True)
        measured = start_level(kl.values[::-1], MEDIAN_WINDOW)
        values: dict[str, Any] = {"beta": beta, "spread": spread, "gain": spread**2 / beta, "unit": kl.unit}
        return self.fired(kl, episode, Severity.WARNING, measured=measured, limit=None, key="allows", **values)

    def _outweighed(self, penalty: Series, score: Series, limits: Limits) -> Fired | None:
        """The finding that the penalty is an order of magnitude larger than any score."""
        largest = max(map(abs, finite_range(score.values)))
        if not largest > limits.smallest:
            return None
        times = replace(penalty, values=-penalty.values / largest)
        level = Level(Severity.WARNING, limits.outweighed, limits.outweighed_patience)
        reading = read_levels(times, (level,), smooth=False)
        if not isinstance(reading, Reading) or reading.breach is None:
            return None
        allowed, times_as_large = limits.outweighed * largest, limits.outweighed
        return self._costs(
            penalty, reading, reading.breach, allowed, key="outweighed", score=largest, times=times_as_large
        )

    def _costs(
        self, penalty: Series, reading: Reading, breach: Breach, allowed: float, *, key: str = "fired", **values: Any
    ) -> Fired:
        """The finding that the penalty costs more than is allowed."""
        measured, step = float(penalty.values[breach.peak]), int(penalty.steps[breach.peak])
        return self.fired_by(penalty, reading, measured=measured, limit=-allowed, key=key, peak=step, **values)


def _share_of_highest(values: Values, highest: Values) -> Values:
    """(N,) Each value over the highest so far; 1 where that is 0 or less."""
    return np.asarray(np.where(highest > 0, values / np.where(highest > 0, highest, 1.0), 1.0))


def _has_room_to_rise(run: Run, limits: Limits) -> bool:
    """Whether better answers could be given than those of the whole run, and than those at its start."""
    reward = run.get("reward", "score")
    if reward is None or is_at_full_marks(reward.values, limits.full_marks):
        return False
    stays_within_marks = is_at_full_marks(reward.values, 0.0)
    return not (stays_within_marks and start_level(reward.values, START) >= limits.little)
