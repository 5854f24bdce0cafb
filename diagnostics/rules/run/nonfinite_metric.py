"""A metric is NaN or infinite: the policy is, or is about to be, corrupted.

What it checks
    Losses, gradient norm, KL, ratio, entropy, values and rewards, point by point: one NaN or ±Inf is critical. Metrics
    that are NaN by construction are excluded: the ratio's variance over a single micro-batch, spreads of a single
    sample, reward functions that do not apply to any sample of a batch. With fp16 the gradient norm alone is a note, if
    it has been finite since and was never otherwise at ten points in a row: its loss scaler skips such steps by design.

Why it matters
    A NaN in the loss reaches the weights with the next update, and they do not recover. The value loss is often the
    first to go.

When it is wrong
    Hardly ever. The opposite is common: transformers replaces a NaN loss by the running mean
    (`logging_nan_inf_filter`), and averaging over `logging_steps` hides single ones.

What to try
    Go back to a checkpoint before the first NaN. Look at the reward of that step (a reward function may return NaN),
    then lower the learning rate, clip the gradient, use bf16 instead of fp16.

References
    TRL logging page: loss/value_avg "will spike / NaN when not going well" · TRL issues 3015, 6637 (overflow of
    k3).
"""

from collections.abc import Sequence

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule

JUDGED = (
    "reward",
    "score",
    "rlhf_reward",
    "value_loss",
    "policy_loss",
    "total_loss",
    "loss",
    "grad_norm",
    "kl_per_sequence",
    "kl_per_token",
    "non_score_reward",
    "non_score_reward_per_token",
    "approx_kl",
    "policy_kl",
    "ratio_mean",
    "ratio_max",
    "entropy_per_token",
    "entropy_per_sequence",
    "value_mean",
    "value_error",
    "returns_mean",
    "advantages_mean",
    "kl_coef",
    "length_mean",
)
"""The order of precedence if several become non-finite at the same step: inputs before what they affect."""

NAMED = 3  # further metrics that a sentence may list


class Limits(RuleLimits):
    """How many non-finite points are too many."""

    points: int = limit(1, "logged points", "any NaN is one too many")
    patience_scaled: int = limit(10, "logged points", "a loss scaler halves its scale with each skipped step")


class NonfiniteMetric(RunRule[Limits]):
    """Judges every metric that must be finite; names the first that was not."""

    code = "RV101"
    name = "nonfinite-metric"
    grade = "S"
    source = "TRL logging page: loss/value_avg will spike / NaN when not going well"
    inputs = (JUDGED,)
    sees_derived = False
    limits = Limits()
    told_at_once = True
    remedies = ("checked-reward", "earlier-checkpoint", "bf16", "clipped-gradient", "lower-learning-rate")
    telling_samples = "not-finite"
    texts = english(
        headline="{title} is {value}: the training is numerically broken.",
        fired="{title} ({tag}) was {value} at step {first} for the first time; {count} of its {points} logged "
        "points are not finite, the last at step {last}.",
        fired_others="{title} ({tag}) was {value} at step {first} for the first time; {count} of its {points} logged "
        "points are not finite, the last at step {last}. Also not finite: {others}.",
        fired_scaled="{title} ({tag}) was {value} at step {first} for the first time; {count} of its {points} logged "
        "points are not finite, the last at step {last}. The loss scaler of fp16 skips such updates, and nothing else "
        "is broken.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = [series for name in JUDGED if (series := run.get(name)) is not None]
        holes = [len(series) - finite_points(series.values) for series in logged]
        bad = [series for series, count in zip(logged, holes, strict=True) if count >= limits.points]
        if not bad:
            worst = max(holes)
            return Quiet(float(worst), float(limits.points), "points")
        first = min(bad, key=lambda series: int(series.steps[~series.finite][0]))
        if bad == [run.get("grad_norm")] and _was_skipped(run, first, limits):
            return self._fired(first, bad, Severity.INFO, "fired_scaled")
        return self._fired(first, bad, Severity.CRITICAL, "fired_others" if len(bad) > 1 else "fired")

    def _fired(self, series: Series, bad: Sequence[Series], severity: Severity, key: str) -> Fired:
        where = np.flatnonzero(~series.finite)
        episode = Episode(int(where[0]), int(where[-1]), still=bool(where[-1] == len(series) - 1))
        value = float(series.values[episode.first])
        others = [other.tag for other in bad if other is not series]
        return self.fired(
            series,
            episode,
            severity,
            measured=value,
            limit=None,
            key=key,
            value=value,
            count=len(where),
            points=len(series),
            others=", ".join(others[:NAMED]) + (", …" if len(others) > NAMED else ""),
        )


def _was_skipped(run: Run, norm: Series, limits: Limits) -> bool:
    """Whether a loss scaler kept each gradient that is not finite from the weights: later ones are finite."""
    if not run.settings.is_on("fp16"):
        return False
    ends = np.flatnonzero(np.diff(~norm.finite, prepend=False, append=False))
    longest = int(np.max(ends[1::2] - ends[::2], initial=0))
    return bool(norm.finite[-1]) and longest < limits.patience_scaled
