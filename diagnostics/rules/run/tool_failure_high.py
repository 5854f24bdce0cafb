"""Tool calls keep failing: the environment is broken, or the model calls what does not exist.

What it checks
    The share of failed tool calls (`tools/failure_frequency`), above 0.3 for ten logged points and by more than
    chance explains: a warning. So is a rising trend over the last 50 points (Mann–Kendall, corrected for
    autocorrelation, p < 0.01) that gains 0.1 over them.

Why it matters
    A reward earned through tools then depends on whether they happened to work.

When it is wrong
    A model that still has to learn the tools fails often at first; the share then falls.

What to try
    Call the tools by hand with the arguments in the samples. Reward well-formed calls.

References
    TRL GRPO page: tools/failure_frequency.
"""

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.trend import trend
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, Reading, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which share of failures is too much."""

    warning: float = limit(0.3, "fraction", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")
    window: int = limit(50, "logged points", "engineering default")
    growth: float = limit(0.1, "fraction over the window", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default; 2 false trends in 1000 steps of plain noise")


class ToolFailureHigh(RunRule[Limits]):
    """Judges `tools/failure_frequency`."""

    code = "RV805"
    name = "tool-failure-high"
    grade = "F"
    source = "engineering default; TRL GRPO page: tools/failure_frequency"
    inputs = ("tool_failure_frequency",)
    limits = Limits()
    remedies = ("checked-tools",)
    telling_samples = "lowest-scored"
    texts = english(
        headline="Tool calls keep failing.",
        fired="Up to {percent} % of the tool calls failed (step {peak}); {limit_percent} % or more{mostly} from step "
        "{first} to {last}.",
        rising="Ever more tool calls fail: {growth} % more of them from step {first} to {last}, now {percent} %.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: a run without tools has no calls to fail."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        series = series_of(run, "tool_failure_frequency")
        reading = read_proven_levels(series, (level,))
        if not isinstance(reading, Reading) or reading.breach is None:
            return self._rising_failures(series, limits) or self.judged(reading)
        percent = 100 * float(reading.series.values[reading.breach.peak])
        return self.judged(reading, percent=percent, limit_percent=100 * reading.breach.level.limit)

    def _rising_failures(self, series: Series, limits: Limits) -> Fired | None:
        """The finding that a growing share of calls fails, though it is not high yet."""
        steps, values = series.steps[-limits.window :], series.values[-limits.window :]
        found = trend(steps, values) if len(values) >= limits.window else None
        if found is None or found.p >= limits.significance:
            return None
        growth = found.slope * float(steps[-1] - steps[0])
        if growth < limits.growth:
            return None
        now = float(np.nanmedian(values[-limits.patience :]))
        episode = Episode(len(series) - limits.window, len(series) - 1, still=True)
        return self.fired(
            series,
            episode,
            Severity.WARNING,
            measured=now,
            limit=None,
            key="rising",
            growth=100 * growth,
            percent=100 * now,
        )
