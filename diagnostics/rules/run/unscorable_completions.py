"""Many completions got no reward at all: the reward functions gave up on them.

What it checks
    The share of the sampled completions of the last five steps with samples, at least 16, that have no finite reward
    from any function. A twentieth is a warning, half is critical.

Why it matters
    TRL gives a completion without a reward an advantage of 0, and rlvitals' PPO leaves it out of its updates: it trains
    nothing, and the logged means, which leave it out, do not show it.

When it is wrong
    A function that applies only to some prompts returns nothing for the others on purpose; one reward from any function
    is enough. Samples may be selected (best, worst), and then their share is not that of the batch.

What to try
    Call the reward on the completions named here. Look for exceptions that are caught, and for patterns that do not
    match.

References
    TRL, grpo_trainer.py: all reward functions returned None.
"""

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import samples_setting
from diagnostics.rules.rewards import is_unscored
from diagnostics.rules.rule import Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule


class Limits(RuleLimits):
    """Which share of completions may stay without a reward."""

    warning: float = limit(0.05, "fraction", "engineering default")
    critical: float = limit(0.5, "fraction", "engineering default")
    steps: int = limit(5, "steps with samples", "engineering default")
    fewest: int = limit(16, "samples", "fewer make no share")


class UnscorableCompletions(RunRule[Limits]):
    """Judges the sampled completions' rewards."""

    code = "RV416"
    name = "unscorable-completions"
    grade = "C"
    source = "TRL, grpo_trainer.py: all reward functions returned None"
    algorithms = GROUP_FAMILY | {"ppo"}
    inputs = ()
    limits = Limits()
    told_at_once = True
    remedies = ("checked-reward",)
    telling_samples = "unscored"
    texts = english(
        headline="Many completions got no reward at all.",
        fired="{count} of {samples} sampled completions of the steps {first} to {last} have no reward from any "
        "function.",
        fired_once="{count} of {samples} sampled completions of step {first} have no reward from any function.",
        few="The run has {found} sampled completions of the last steps; {needed} are needed.",
        enable="Log completions with their rewards{setting}.",
        unrewarded="The samples are logged without rewards.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        steps = run.samples.steps[-limits.steps :]
        rows = {step: run.samples.at(step) for step in steps}
        samples = [sample for step in steps for sample in rows[step]]
        if len(samples) < limits.fewest:
            few = self.message("few", found=len(samples), needed=limits.fewest)
            return Skipped(few, self.message("enable", setting=samples_setting(run.settings)))
        count = sum(map(is_unscored, samples))
        if count == len(samples) and not run.by_reward_function("reward_func_mean"):
            return Skipped(self.message("unrewarded"), self.message("enable", setting=samples_setting(run.settings)))
        share = count / len(samples)
        if share < limits.warning:
            return Quiet(share, limits.warning, "fraction")
        shares = np.array([sum(map(is_unscored, rows[step])) / max(1, len(rows[step])) for step in steps])
        series = Series("", "samples", np.array(steps, dtype=np.int64), shares)
        worst = limits.critical if share >= limits.critical else limits.warning
        severity = Severity.CRITICAL if share >= limits.critical else Severity.WARNING
        return self.fired(
            series,
            Episode(0, len(steps) - 1, still=True),
            severity,
            measured=share,
            limit=worst,
            unit="fraction",
            count=count,
            samples=len(samples),
        )
