"""KL to the reference stays below zero, which a true KL cannot: the policy is paid for a flaw in how it samples.

What it checks
    The KL summed over a response (`objective/kl`, the k1 estimator; RLOO's per token, times the length), as the median
    of five logged points. Reaching −1 nats for three points is a warning; −5 nats, or −0.1 nats for each token, is
    critical. Otherwise it is info when the median over all logged points (at least ten) is below zero by more than two
    standard errors, and by more than the rounding error of a KL of 0 (0.001 nats).

Why it matters
    The reward is r − β·KL. Where the KL can be driven negative, the policy earns reward by doing so, and that is
    often easier than the task. The score then no longer says what is being optimised.

When it is wrong
    The estimate is noisy: single values between −1 and 0 mean nothing. GRPO logs the k3 estimator, which is never
    negative, so the same flaw does not show there.

What to try
    Sample from the distribution that is scored: no top-k, top-p or min-p, no minimum length, no repetition penalty, the
    same temperature. Then look for a wrong reference model or an adapter that stays on. The k3 estimator hides the
    problem without solving it.

References
    TRL training FAQ, "What Is the Concern with Negative KL Divergence?" · TRL's own warning below −1 · TRL issue
    925.
"""

import numpy as np

from diagnostics.detectors.averages import finite_median, finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.lengths import longest_length
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Where a negative KL starts to count."""

    warning: float = limit(-1.0, "nats/sequence", "TRL warns when the KL falls below −1")
    critical: float = limit(-5.0, "nats/sequence", "engineering default")
    critical_per_token: float = limit(-0.1, "nats/token", "engineering default")
    patience: int = limit(3, "logged points", "engineering default")
    median_points: int = limit(10, "logged points", "engineering default")
    standard_errors: float = limit(2.0, "standard errors of the median", "engineering default")
    rounding: float = limit(-0.001, "nats/sequence", "float32: some 1e-7 for each token of a policy that stays put")


class KlNegative(RunRule[Limits]):
    """Judges `objective/kl` of PPO and its kin, and RLOO's `kl`."""

    code = "RV301"
    name = "kl-negative"
    grade = "S"
    source = "TRL training FAQ: negative KL divergence"
    algorithms = frozenset({"ppo", "ppo-legacy", "rloo", "online-dpo"})
    inputs = (("kl_per_sequence", "kl_per_token"),)
    limits = Limits()
    remedies = (
        "scored-temperature",
        "free-end",
        "no-top-k",
        "no-top-p",
        "no-min-p",
        "no-repetition-penalty",
        "true-sampling",
    )
    telling_samples = "below-zero"
    texts = english(
        headline="KL to the reference is negative: the model is paid for a flaw in how its answers are sampled.",
        fired="KL to the reference {stayed} {limit} {unit}{mostly} from step {first} to {last} "
        "(lowest {measured} at {peak}).",
        median="The median KL to the reference over steps {first} to {last} is {measured} {unit}, below 0 by "
        "more than {errors} standard errors; it should stay positive.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "kl_per_sequence", "kl_per_token")
        reading = read_levels(series, _levels(series, longest_length(run), limits), above=False)
        if isinstance(reading, Reading) and reading.breach is None:
            return self._median(series, longest_length(run), limits) or self.judged(reading)
        return self.judged(reading)

    def _median(self, series: Series, length: float | None, limits: Limits) -> Fired | None:
        points, median = finite_points(series.values), finite_median(series.values)
        if points < limits.median_points or not median < limits.rounding / _tokens(series, length):
            return None
        error = _error_of_median(series.values[series.finite])
        if median + limits.standard_errors * error >= 0:
            return None
        return self.fired(
            series,
            Episode(0, len(series) - 1, still=True),
            Severity.INFO,
            measured=median,
            limit=0.0,
            key="median",
            errors=limits.standard_errors,
        )


def _levels(series: Series, length: float | None, limits: Limits) -> tuple[Level, ...]:
    """The levels in the unit of the series; the milder of the two critical limits counts, but not above the warning."""
    critical = limits.critical
    if length is not None:
        critical = max(critical, min(limits.critical_per_token * length, limits.warning))
    tokens = _tokens(series, length)
    return (
        Level(Severity.WARNING, limits.warning / tokens, limits.patience),
        Level(Severity.CRITICAL, critical / tokens, limits.patience),
    )


def _tokens(series: Series, length: float | None) -> float:
    """The tokens that a limit per sequence is divided among: those of an answer where the series is per token, else
    one."""
    return (length or 1.0) if series.name == "kl_per_token" else 1.0


def _error_of_median(values: Values) -> float:
    """Standard error of the median of independent normal values: √(π/2)·σ/√n."""
    return float(np.sqrt(np.pi / 2) * np.std(values, ddof=1) / np.sqrt(len(values)))
