"""The grader is slow: scoring the answers takes a large part of every step.

What it checks
    The share of a step that is spent on rewards, as the median of five logged points: 0.2 for ten points is a note.
    Where scoring overlaps with training it counts only while the trainer waits for rollouts for as long.

Why it matters
    Devices stand idle while a parser, a sandbox or a remote judge works. A grader that hangs on one answer stops the
    whole run, and looks like a hang of the network.

When it is wrong
    A learned reward model is work for the device as well; its time is not lost.

What to try
    Score in parallel, with a timeout for each sample; start scoring while other answers are still being written.

References
    verl issue 6673: what looked like a hang of NCCL was one call of the grader · open-r1 issues 420, 658, 690.
"""

from dataclasses import replace

import numpy as np

from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import series_of
from diagnostics.rules.run.speed_rule import SpeedRule


class Limits(RuleLimits):
    """Which share of a step scoring may take."""

    share: float = limit(0.2, "of the step time", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")


class GraderSlow(SpeedRule[Limits]):
    """Judges the time of rewards over that of a step."""

    code = "RV918"
    name = "grader-slow"
    grade = "F"
    source = "engineering default; verl issue 6673"
    inputs = ("reward_time", "step_time")
    limits = Limits()
    remedies = ("parallel-grader", "bounded-grader")
    texts = english(
        headline="The grader takes a large part of every step.",
        fired="Scoring takes {percent} % of a step, up to {measured} s (step {peak}; step {first} to {last}).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        scoring, step = at_common_steps(series_of(run, "reward_time"), series_of(run, "step_time"))
        level = Level(Severity.INFO, limits.share, limits.patience)
        return self.judged_share(_lost(scoring, run), step, (level,))


def _lost(scoring: Series, run: Run) -> Series:
    """What scoring costs: where it overlaps with training, no more than what the trainer waits."""
    wait = run.get("rollout_wait_time")
    if wait is None:
        return scoring
    scoring, wait = at_common_steps(scoring, wait)
    return replace(scoring, values=np.minimum(scoring.values, wait.values))
