"""Samples are too old for the policy that trains on them: they are thrown away, or as old as they may be.

What it checks
    The share of finished samples that is thrown away as too old, as the mean of ten logged points: 0.05 is a note, 0.2
    a warning. And the age of the oldest sample of a step: at the bound that the settings state, and at least 3, for ten
    points in a row, is a note; a warning where the settings allow less, or switch the correction for it off.

Why it matters
    What is thrown away was generated for nothing, and it is not a random part: long answers take longest. Samples at
    the bound are as far off-policy as was thought bearable, all the time.

When it is wrong
    A trainer that drops samples on purpose, to keep the pace, needs no change. An age of 1 or 2 is that of every sound
    asynchronous run, so only ages from 3 on are judged.

What to try
    Let fewer samples be generated ahead, send weights more often, or raise the bound together with importance sampling.
    If generation is the faster side, move devices from it to training.

References
    marin issue 8955 (a fifth of the samples thrown away) · TRL, AsyncGRPO: max_staleness · prime-rl: off_policy.
"""

from dataclasses import replace

from diagnostics.detectors.rolling import rolling_mean
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few


class Limits(RuleLimits):
    """How much may be thrown away, and how long samples may be as old as allowed."""

    note: float = limit(0.05, "fraction", "engineering default")
    warning: float = limit(0.2, "fraction", "marin issue 8955: a fifth was thrown away")
    window: int = limit(10, "logged points", "engineering default: drops come in bursts")
    bound: int = limit(3, "updates", "engineering default: every asynchronous run has samples of the last two")
    patience: int = limit(10, "logged points", "engineering default")


class SamplesStale(RunRule[Limits]):
    """Judges the dropped share, and the greatest age of samples against its bound."""

    code = "RV809"
    name = "samples-stale"
    grade = "F"
    source = "engineering default; marin issue 8955"
    inputs = (("dropped_fraction", "staleness_max", "staleness_mean"),)
    limits = Limits()
    remedies = ("less-ahead", "sync-every-step", "importance-correction")
    texts = english(
        headline="Samples are too old for the policy that trains on them.",
        fired="Of {window} logged points together up to {percent} % of the samples were thrown away as too old (step "
        "{peak}); {limit_percent} % or more from step {first} to {last}.",
        bound="The oldest sample of a step was up to {measured} updates old from step {first} to {last}; {parameter} "
        "allows {allowed}.",
        unbounded="No share of dropped samples is logged, and no bound of their age is stated.",
        unbounded_enable="Log how many samples are thrown away, or the configuration with the run.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: a trainer that waits for its samples drops none."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        dropped, bounded = self._dropped(run, limits), self._at_bound(run, limits)
        found = [result for result in (dropped, bounded) if result is not None]
        fired = (result for result in found if isinstance(result, Fired))
        told = next(fired, found[0] if found else None)
        return told or Skipped(self.message("unbounded"), self.message("unbounded_enable"))

    def _dropped(self, run: Run, limits: Limits) -> RuleResult | None:
        """The finding about the dropped share; None where it is not known."""
        series = run.get("dropped_fraction")
        if series is None:
            return None
        pooled = replace(series, values=rolling_mean(series.values, limits.window))
        levels = (Level(Severity.INFO, limits.note, 1), Level(Severity.WARNING, limits.warning, 1))
        reading = read_levels(pooled, levels, smooth=False)
        if isinstance(reading, TooFew):
            return too_few(limits.window, int(series.finite.sum()))
        if reading.breach is None:
            return self.judged(reading)
        percent, most = 100 * float(pooled.values[reading.breach.peak]), 100 * reading.breach.level.limit
        return self.judged(reading, window=limits.window, percent=percent, limit_percent=most)

    def _at_bound(self, run: Run, limits: Limits) -> RuleResult | None:
        """The finding about the greatest age; None where the age or its bound is not known."""
        series, bound = run.get("staleness_max", "staleness_mean"), run.settings.number("staleness_bound")
        if series is None or bound is None:
            return None
        most = max(bound, limits.bound)
        reading = read_levels(series, (Level(_severity(run, bound, limits), most, limits.patience),), smooth=False)
        return self.judged(reading, key="bound", parameter=run.settings.named("staleness_bound"), allowed=bound)


def _severity(run: Run, bound: float, limits: Limits) -> Severity:
    """A note; a warning where the settings switch the correction for it off, or allow less than is judged."""
    correction = run.settings.get("is_correction")
    is_uncorrected = correction is not None and not correction.is_on
    return Severity.WARNING if is_uncorrected or bound < limits.bound else Severity.INFO
