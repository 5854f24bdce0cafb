"""The logged entropy is below 0: padding was counted, and the number means nothing.

What it checks
    The entropy per response (`objective/entropy`): any value below 0 is reported as info.

Why it matters
    TRL's PPO up to 1.9 fills the log-probabilities of padding with 1, which adds −1 for each padding token. With short
    answers the sum is far below 0 and says nothing about the policy.

When it is wrong
    An entropy below 0 is always an artefact: log-probabilities of sampled tokens are never above 0.

What to try
    Look at `policy/entropy_avg` instead, or use TRL 1.10 and later.

References
    TRL issue 2022 · TRL pull request 6121 · reproduced: −22 logged, +23 true.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.extremes import finite_range
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

SMALLEST = 1e-9  # nats/sequence; float noise around 0


class Limits(RuleLimits):
    """When an entropy is an artefact."""

    lowest: float = limit(0.0, "nats/sequence", "a negative log-probability is never below 0")
    points: int = limit(1, "logged points", "any is one too many")


class EntropyMetricArtefact(RunRule[Limits]):
    """Judges the sign of `objective/entropy`."""

    code = "RV503"
    name = "entropy-metric-artefact"
    grade = "C"
    source = "TRL issue 2022, pull request 6121: padding counts −1 each"
    algorithms = frozenset({"ppo", "rloo", "online-dpo"})
    inputs = ("entropy_per_sequence",)
    limits = Limits()
    remedies = ("later-release",)
    texts = english(
        headline="The logged entropy counts padding and means nothing.",
        fired="{tag} was below 0 from step {first} to {last} (lowest {measured} at step {peak}), which no entropy "
        "can be.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "entropy_per_sequence")
        below = replace(series, values=np.where(series.values < limits.lowest, -series.values, 0.0))
        level = Level(Severity.INFO, SMALLEST, limits.points)
        reading = read_levels(below, (level,), smooth=False)
        if isinstance(reading, Reading) and reading.breach:
            peak = reading.breach.peak
            return self.fired_by(
                series,
                reading,
                measured=float(series.values[peak]),
                limit=limits.lowest,
                peak=int(series.steps[peak]),
            )
        return Quiet(
            float(np.fmin(finite_range(series.values)[0], 0.0)), limits.lowest, series.unit, series.name, series.tag
        )
