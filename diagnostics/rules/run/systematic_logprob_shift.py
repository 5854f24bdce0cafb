"""The mean ratio is off 1 by more than the update explains: the rollout's log-probabilities are of another policy.

What it checks
    PPO's mean ratio and size of the update together: for ten logged points the ratio lies at least 0.01 off 1, always
    on the same side, and more than five times the size of the update, which itself stays below 0.03.

Why it matters
    Under the policy that made the samples the ratio is 1 on average, whatever the update did; symmetric noise moves it
    by about the size of the update. A ratio that stays off 1 while updates are small shows that the samples came from a
    truncated or re-tempered distribution.

When it is wrong
    This rule has seen few real runs. Few tokens per batch make the mean ratio noisy, but not on one side for ten
    points: of 60 simulated healthy runs of 1000 points none fires up to an autocorrelation of 0.7; one does at 0.9.

What to try
    Force neutral sampling: no top-k, no top-p, no repetition penalty, whatever the model's own generation_config
    says.

References
    Simulated: top_k 20 gives a ratio of 0.943 at an update of 0.0022 · a public TRL log with 0.971 at 0.0024 ·
    transformers issue 42762 (a model's generation_config overrides).
"""

from dataclasses import replace

import numpy as np

from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """Which distance from 1 the update does not explain."""

    distance: float = limit(0.01, "ratio", "simulated: half of what top_k 50 does")
    times: float = limit(5.0, "× the size of the update", "simulated: symmetric noise moves the ratio by once its size")
    largest_update: float = limit(0.03, "nats/token", "above it update-too-large speaks")
    patience: int = limit(10, "logged points", "simulated: noise does not stay on one side for ten points")


class SystematicLogprobShift(RunRule[Limits]):
    """Judges `val/ratio` against `policy/approxkl_avg`."""

    code = "RV206"
    name = "systematic-logprob-shift"
    grade = "M"
    source = "simulated; a public TRL PPO log; transformers issue 42762"
    algorithms = frozenset({"ppo"})
    inputs = ("ratio_mean", "approx_kl")
    limits = Limits()
    remedies = ("no-top-k", "no-top-p", "no-min-p", "no-repetition-penalty", "scored-temperature", "true-sampling")
    texts = english(
        headline="The samples come from another distribution than the one whose probabilities are used.",
        fired="The probability ratio was off 1.0 on one side{mostly} from step {first} to {last} ({measured} at step "
        "{peak}), although the updates were as small as {update} nats/token.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        ratio, update = at_common_steps(series_of(run, "ratio_mean"), series_of(run, "approx_kl"))
        shifted = _unexplained(ratio.values, update.values, limits.times, limits.largest_update)
        level = Level(Severity.WARNING, limits.distance, limits.patience)
        sides = [read_levels(replace(ratio, values=shifted * side), (level,), smooth=False) for side in (1.0, -1.0)]
        readings = [reading for reading in sides if isinstance(reading, Reading)]
        if not readings:
            return too_few(limits.patience, len(ratio))
        worst = max(readings, key=lambda reading: (reading.breach is not None, reading.worst))
        if worst.breach is None:
            return self.judged(worst)
        peak, episode = worst.breach.peak, worst.breach.episode
        inside = update.values[episode.first : episode.last + 1]
        return self.fired_by(
            ratio,
            worst,
            measured=float(ratio.values[peak]),
            limit=1 + float(np.sign(shifted[peak])) * limits.distance,
            peak=int(ratio.steps[peak]),
            update=float(np.nanmedian(inside)),
        )


def _unexplained(ratio: Values, update: Values, times: float, largest_update: float) -> Values:
    """(N,) How far the ratio is off 1 where an update of that size does not explain it, else 0; NaN where unknown."""
    off = ratio - 1
    is_explained = (np.abs(off) <= times * update) | (update >= largest_update)
    return np.where(np.isnan(ratio) | np.isnan(update), np.nan, np.where(is_explained, 0.0, off))
