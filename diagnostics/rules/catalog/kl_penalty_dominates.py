"""The KL penalty costs more than the score has gained: the policy is optimising its leash.

What it checks
    The KL penalty of a response (`objective/non_score_reward`) against the smoothed score's gain since the start, and
    against half the spread of the score: larger than both for 20 logged points is a warning. The first 50 points are
    not judged, but for a penalty of twice the score's deviation (four times that bar) for ten points: it decides which
    answers are better, whatever they score. Where the deviation is not logged, it is estimated from the noise between
    batches, and a short run is not judged.

Why it matters
    The reward is the score plus the penalty. At the best trade-off of a gain that is proportional to the distance the
    penalty is half of the gain; where it is more than all of it, standing still would have earned more.

When it is wrong
    A policy that has run away and is being pulled back shows the same for a while; then the KL is high.

What to try
    A third of the KL coefficient; or bring the scores to a larger scale.

References
    TRL training FAQ: the actual reward can be very small compared to the penalty · Gao et al. 2022 (arXiv
    2210.10760): reward against the root of the KL.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.diagnosis import Severity
from diagnostics.rules.alignment import at_common_steps, finite_only
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.noise import noise
from diagnostics.rules.rewards import reward_weights
from diagnostics.rules.rule import Finding, Rule, english, limit, series_of
from diagnostics.rules.running import ewma
from diagnostics.rules.windows import start_level
from diagnostics.run import Run, Series


@dataclass(frozen=True, slots=True)
class Limits:
    """Which penalty is too much."""

    times: float = limit(1.0, "× the gain of the score", "above it the reward is lower than at the start")
    spread: float = limit(0.5, "× the spread of the score", "engineering default")
    patience: int = limit(20, "logged points", "engineering default")
    warm_up: int = limit(50, "logged points", "engineering default: the score needs time to gain anything")
    start: int = limit(20, "logged points", "engineering default")
    far: float = limit(4.0, "× the bar", "twice the deviation of the score: it decides which answers are better")
    far_patience: int = limit(10, "logged points", "engineering default")
    smallest: float = limit(1e-6, "reward", "float noise")


class KlPenaltyDominates(Rule[Limits]):
    """Judges `objective/non_score_reward` against `objective/scores`."""

    code = "RV307"
    name = "kl-penalty-dominates"
    grade = "F"
    source = "TRL training FAQ: the actual reward can be very small compared to the KL penalty"
    algorithms = frozenset({"ppo"})
    inputs = ("non_score_reward", "score")
    limits = Limits()
    remedies = ("weaker-kl", "score-scaling")
    texts = english(
        headline="The KL penalty costs more than the score has gained.",
        fired="The KL penalty was {measured} at step {peak}, where the score had gained {gain}; it cost more than the "
        "gain from step {first} to {last}.",
    )

    def check(self, run: Run, limits: Limits) -> Finding:
        penalty, score = at_common_steps(finite_only(series_of(run, "non_score_reward")), series_of(run, "score"))
        gain = np.maximum(ewma(score.values) - start_level(score.values, limits.start), 0.0)
        bar = np.maximum(gain, max(limits.spread * _spread(run, score), limits.smallest))
        times = replace(penalty, values=np.maximum(-penalty.values, 0.0) / bar)
        level = Level(Severity.WARNING, limits.times, limits.patience)
        reading = read_levels(times, (level,), smooth=False, warm_up=limits.warm_up)
        if (not isinstance(reading, Reading) or reading.breach is None) and _logged_spread(run):
            far = Level(Severity.WARNING, limits.far, limits.far_patience)
            beyond = read_levels(times, (far,), smooth=False)
            reading = beyond if isinstance(beyond, Reading) and beyond.breach else reading
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading, unit="× the gain of the score")
        peak, severity = reading.breach.peak, reading.breach.level.severity
        return self.fired(
            penalty,
            reading.breach.episode,
            severity,
            measured=float(penalty.values[peak]),
            limit=-limits.times * float(bar[peak]),
            peak=int(penalty.steps[peak]),
            gain=float(gain[peak]),
        )


def _spread(run: Run, score: Series) -> float:
    """The deviation of the score within a batch: logged, or what the noise between batches of that size implies."""
    logged = _logged_spread(run)
    if logged is not None:
        return logged
    batch = run.config.get("batch_size") or run.config.get("per_device_train_batch_size")
    return noise(score.values) * math.sqrt(batch if isinstance(batch, int) and batch > 0 else 1)


def _logged_spread(run: Run) -> float | None:
    """The median of the logged deviation: the score's, or that of its only reward function with a weight of 1."""
    functions = run.functions("reward_func_std")
    alone = next(iter(functions.values())) if len(functions) == 1 and reward_weights(run) in ((), (1.0,)) else None
    logged = run.get("score_std") or alone
    return None if logged is None or not logged.finite.any() else float(np.median(logged.values[logged.finite]))
