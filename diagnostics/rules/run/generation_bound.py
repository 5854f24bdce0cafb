"""Generation holds the run up: most of a step is generating, or waiting for samples.

What it checks
    Where training and generation overlap, the share of a step in which the trainer waits for rollouts: 0.2 is a note,
    0.5 a warning. Where they take turns, the share of generation: 0.7 is a note. Each as the median of five logged
    points, for ten points.

Why it matters
    The trainer's devices stand idle meanwhile. Where they take turns, most time of most trainings goes this way; what
    can be gained depends on the longest answers, for which a whole batch waits.

When it is wrong
    On one device, or with answers that are long by nature, generation simply is the larger part of the work.

What to try
    A lower length limit where few answers need the present one, more memory for the engine's cache, more requests at a
    time, more rollout engines, or generating while training.

References
    verl issue 6747: 72 % of a step is generation · prime-rl, training documentation: a trainer that waits for batches ·
    Hugging Face 2026, Async GRPO with LoRA across HF Jobs: run 3.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import series_of
from diagnostics.rules.run.speed_rule import SpeedRule
from diagnostics.time_budget.waiting import seconds_waited


class Limits(RuleLimits):
    """Which share of a step is too much."""

    waiting_note: float = limit(0.2, "of the step time", "engineering default")
    waiting_warning: float = limit(0.5, "of the step time", "engineering default; prime-rl documentation")
    generating_note: float = limit(0.7, "of the step time", "engineering default; verl issue 6747 reports 0.72")
    patience: int = limit(10, "logged points", "engineering default")


class GenerationBound(SpeedRule[Limits]):
    """Judges the time that a step waits for completions."""

    code = "RV911"
    name = "generation-bound"
    grade = "F"
    source = "engineering default; verl issue 6747; prime-rl, training documentation"
    inputs = ("step_time", ("rollout_wait_time", "idle_fraction", "generation_time"))
    limits = Limits()
    remedies = ("shorter-limit", "larger-engine-share", "more-requests", "more-engines")
    texts = english(
        headline="Most of a step is spent on generation.",
        fired="{percent} % of a step is generation (step {first} to {last}).",
        waiting="The trainer waits for rollouts for {percent} % of a step (step {first} to {last}).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        step = series_of(run, "step_time")
        waited = seconds_waited(run, step)
        if waited is None:
            level = Level(Severity.INFO, limits.generating_note, limits.patience)
            return self.judged_share(series_of(run, "generation_time"), step, (level,))
        levels = (
            Level(Severity.INFO, limits.waiting_note, limits.patience),
            Level(Severity.WARNING, limits.waiting_warning, limits.patience),
        )
        return self.judged_share(waited, step, levels, key="waiting")
