"""Tool calls keep failing: the environment is broken, or the model calls what does not exist.

What it checks
    The share of failed tool calls (`tools/failure_frequency`), above 0.3 for ten logged points: a warning.

Why it matters
    A reward earned through tools is then the reward of the luck that they worked.

When it is wrong
    A model that has to learn the tools fails often at first; the share then falls.

What to try
    Call the tools by hand with what the samples send them. Reward a call that is well formed.

References
    TRL GRPO page: tools/failure_frequency.
"""

from dataclasses import dataclass

from diagnostics.diagnosis import Severity
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.rule import Finding, Rule, english, limit, series_of
from diagnostics.run import Run


@dataclass(frozen=True, slots=True)
class Limits:
    """Which share of failures is too much."""

    warning: float = limit(0.3, "fraction", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")


class ToolFailureHigh(Rule[Limits]):
    """Judges `tools/failure_frequency`."""

    code = "RV805"
    name = "tool-failure-high"
    grade = "F"
    source = "engineering default; TRL GRPO page: tools/failure_frequency"
    inputs = ("tool_failure_frequency",)
    limits = Limits()
    remedies = ("checked-tools",)
    exhibits = "lowest-scored"
    texts = english(
        headline="Tool calls keep failing.",
        fired="Up to {percent} % of the tool calls failed (step {peak}); from step {first} to {last}.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: a run without tools has none to fail."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> Finding:
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        reading = read_levels(series_of(run, "tool_failure_frequency"), (level,))
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        return self.judged(reading, percent=100 * float(reading.series.values[reading.breach.peak]))
