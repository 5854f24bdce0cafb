"""Weight syncs are expensive: sending the weights to the rollout engine takes a large part of the time.

What it checks
    The seconds of a sync over the time of the steps from one sync to the next, as the median of five syncs, for three
    syncs: 0.1 is a note, 0.25 a warning.

Why it matters
    Neither side works during a sync. The faster the steps become, the larger its part: in a published run the same
    sync grew from 8 % of the time to 25 %.

When it is wrong
    A sync that sends while generation goes on costs less than its length.

What to try
    Sync after more steps, as far as staleness allows; send an adapter or only what changed; shorten the retries of a
    slow path.

References
    Hugging Face 2026, Async GRPO with LoRA across HF Jobs: 7.6 s every four steps.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.ratios import ratios
from diagnostics.model.alignment import values_between
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import series_of, too_few
from diagnostics.rules.run.speed_rule import SpeedRule, too_short


class Limits(RuleLimits):
    """Which part of the time syncs may take."""

    info: float = limit(0.1, "of the steps' time", "Hugging Face 2026: 0.08 was no concern; engineering default")
    warning: float = limit(0.25, "of the steps' time", "Hugging Face 2026")
    patience: int = limit(3, "syncs", "engineering default")


class SyncDear(SpeedRule[Limits]):
    """Judges the time of weight syncs over that of the steps between them."""

    code = "RV914"
    name = "sync-dear"
    grade = "I"
    source = "Hugging Face 2026, Async GRPO with LoRA across HF Jobs"
    inputs = ("weight_sync_time", "step_time")
    marks = ("weight_sync_time",)
    limits = Limits()
    remedies = ("rarer-syncs", "lighter-syncs")
    texts = english(
        headline="Sending the weights to the rollout engine takes a large part of the time.",
        fired="A sync took {measured} s (step {peak}), {percent} % of the time of the {every} steps to the next "
        "(step {first} to {last}).",
        fired_once="The sync of step {peak} took {measured} s, {percent} % of the time of {every} steps.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        sync, step = series_of(run, "weight_sync_time"), series_of(run, "step_time")
        if len(sync) < limits.patience:
            return too_few(limits.patience, len(sync))
        if short := too_short(step):
            return short
        every, seconds = _steps_of_a_sync(sync), _seconds_until_next(sync, step)
        share = replace(sync, values=ratios(sync.values, seconds))
        levels = (
            Level(Severity.INFO, limits.info, limits.patience),
            Level(Severity.WARNING, limits.warning, limits.patience),
        )
        return self.judged_in_unit(
            sync,
            seconds,
            read_levels(share, levels),
            unit="of the steps' time",
            percent=100 * finite_median(share.values),
            every=every,
        )


def _steps_of_a_sync(sync: Series) -> int:
    return round(float(np.median(np.diff(sync.steps))))


def _seconds_until_next(sync: Series, step: Series) -> Values:
    """(N,) The time of the steps from each sync to the next, at the median time of a step since the sync before."""
    every = _steps_of_a_sync(sync)
    usual = np.array([finite_median(values_between(step, at - every + 1, at)) for at in sync.steps.tolist()])
    return every * usual
