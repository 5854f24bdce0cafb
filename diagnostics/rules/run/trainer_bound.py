"""The trainer holds the run up: generation has samples ready and waits for room.

What it checks
    Where training and generation overlap: forward, backward and optimizer take 0.9 of a step, the trainer waits for
    rollouts for less than 0.01 of it, and the rollout workers wait for room in the queue (backpressure), or, where
    that is not logged, samples wait in it. As the median of five logged points, for ten points: a note. It is a warning
    where the trainer's MFU is below 0.1 as well: its devices are then far from busy.

Why it matters
    More or faster rollout engines change nothing; one that waits half of its time could be given back. In a published
    run the trainer took 96 % of a step at an MFU of 3.9 %, and the same recipe later took a quarter of the time.

When it is wrong
    A trainer that is well used is the best that a run can have: then the note says where the next device belongs.

What to try
    Pack more samples into a row of a micro-batch, switch gradient checkpointing off where memory is free, use fewer
    rollout engines, give the trainer more devices.

References
    Hugging Face 2026, Async GRPO with LoRA across HF Jobs: run 1, 22.9 s a step, of which 21.9 s are forward and
    backward, 0.02 s waiting, 476 of 512 places of the queue taken, MFU 3.9 %.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_median
from diagnostics.model.alignment import at_common_steps, last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import series_of
from diagnostics.rules.run.speed_rule import SpeedRule

UPDATE = ("forward_backward_time", "update_time")
QUEUED = ("backpressure_time", "queue_size")


class Limits(RuleLimits):
    """When the trainer is what a run waits for."""

    share: float = limit(0.9, "of the step time", "Hugging Face 2026: 0.96; engineering default")
    wait: float = limit(0.01, "of the step time", "Hugging Face 2026: 0.001; engineering default")
    utilization: float = limit(0.1, "MFU", "Hugging Face 2026: 0.039, then 0.19 to 0.235; engineering default")
    patience: int = limit(10, "logged points", "engineering default")


class TrainerBound(SpeedRule[Limits]):
    """Judges the update's share of steps in which nobody waits for rollouts."""

    code = "RV910"
    name = "trainer-bound"
    grade = "I"
    source = "Hugging Face 2026, Async GRPO with LoRA across HF Jobs"
    inputs = ("step_time", "rollout_wait_time", UPDATE, QUEUED)
    marks = ("rollout_wait_time",)
    limits = Limits()
    remedies = ("packed-rows", "no-checkpointing", "fewer-engines")
    texts = english(
        headline="The trainer holds the run up.",
        fired="Forward and backward take {percent} % of a step, and the rollout workers wait for the trainer (step "
        "{first} to {last}).",
        idle="Forward and backward take {percent} % of a step at an MFU of {utilization} %, and the rollout workers "
        "wait for the trainer (step {first} to {last}).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        update, step, wait = at_common_steps(
            *(series_of(run, *names) for names in (UPDATE, ("step_time",), ("rollout_wait_time",)))
        )
        holds_up = (wait.values < limits.wait * step.values) & (_held_back(run, update) > 0)
        judged = replace(update, values=np.where(holds_up, update.values, 0.0))
        utilization = run.get("model_flops_utilization")
        if utilization is None:
            return self.judged_share(judged, step, (Level(Severity.INFO, limits.share, limits.patience),))
        mfu = finite_median(utilization.values)
        is_idle = mfu < limits.utilization
        level = Level(Severity.WARNING if is_idle else Severity.INFO, limits.share, limits.patience)
        return self.judged_share(judged, step, (level,), key="idle" if is_idle else "fired", utilization=100 * mfu)


def _held_back(run: Run, update: Series) -> Values:
    """(N,) What shows that the rollout workers are ahead: the seconds they waited, else the samples that wait."""
    return last_known(series_of(run, *QUEUED), update.steps)
