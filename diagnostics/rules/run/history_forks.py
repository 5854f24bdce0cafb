"""Histories fork: what a later turn is rendered to does not continue the tokens that were sampled.

What it checks
    The share of rollouts whose next prompt, rendered and tokenised again, does not go on from the tokens so far, as the
    median of five logged points, for five points: above 0.2 is a warning.

Why it matters
    A fork ends what is trained on, or makes the trainer score tokens that the model never saw. With a template that
    removes the thinking of earlier turns every long rollout forks.

When it is wrong
    Environments that rewrite the history on purpose, such as by summing it up, fork by design.

What to try
    Hand token ids from turn to turn, not text. Use a chat template that only appends: the rendering of the first turns
    must be the beginning of that of all turns.

References
    TRL issues 5224, 6250 · verl issue 6719.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which share of forks is too much."""

    warning: float = limit(0.2, "fraction", "engineering default")
    patience: int = limit(5, "logged points", "engineering default")


class HistoryForks(RunRule[Limits]):
    """Judges the share of rollouts whose history does not continue."""

    code = "RV811"
    name = "history-forks"
    grade = "F"
    source = "engineering default; TRL issues 5224, 6250"
    inputs = ("history_fork_fraction",)
    limits = Limits()
    told_at_once = True
    remedies = ("tokens-between-turns", "appending-template")
    telling_samples = "any"
    texts = english(
        headline="Later turns do not continue the tokens that were sampled.",
        fired="The histories of up to {percent} % of the rollouts forked (step {peak}); {limit_percent} % or "
        "more{mostly} from step {first} to {last}.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: an answer of one turn has no history."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        reading = read_levels(series_of(run, "history_fork_fraction"), (level,))
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        percent = 100 * float(reading.series.values[reading.breach.peak])
        return self.judged(reading, percent=percent, limit_percent=100 * reading.breach.level.limit)
