"""A group method gets one answer per prompt: there is nothing to compare it with.

What it checks
    The stated number of answers per prompt (`num_generations`, verl's `rollout.n`) of GRPO or RLOO: one is info where
    the reward has risen all the same, else a warning from step 20 on.

Why it matters
    The advantage of an answer is its reward less that of the others of its group. Without others it is 0, or, in verl,
    the reward itself: then every answer with a reward above 0 is pushed up, right or wrong, and the gradient is as
    noisy as that of plain REINFORCE without a baseline.

When it is wrong
    A method that takes its baseline from elsewhere, such as REINFORCE++ under the name of GRPO.

What to try
    Draw eight answers to each prompt, of fewer prompts if need be.

References
    GRPO (arXiv 2402.03300): the group's mean is the baseline · verl, compute_grpo_outcome_advantage: a group of one has
    a mean of 0 · TRL GRPOConfig: at least two, 8 by default.
"""

from diagnostics.detectors.averages import finite_points
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.cadence import paced
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import REWARDS, has_risen, main_reward
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few


class Limits(RuleLimits):
    """How many answers make a group."""

    answers: float = limit(2.0, "answers", "one has no other to be compared with")
    patience: int = limit(20, "logged points", "engineering default")


class SingleAnswerGroups(RunRule[Limits]):
    """Judges the number of answers per prompt and whether the reward rises."""

    code = "RV419"
    name = "single-answer-groups"
    grade = "C"
    source = "GRPO (arXiv 2402.03300): the group's mean is the baseline"
    algorithms = GROUP_FAMILY
    inputs = (REWARDS,)
    limits = Limits()
    remedies = ("more-generations",)
    texts = english(
        headline="Each prompt gets a single answer: the method has nothing to compare it with.",
        fired="{parameter} is {measured}: from step {first} to {last} no answer was compared with another to its "
        "prompt, and the reward has not risen.",
        rises="{parameter} is {measured}: from step {first} to {last} no answer was compared with another to its "
        "prompt; the reward has risen all the same.",
        unknown="The configuration does not say how many answers a prompt gets.",
        enable="Log the number of answers per prompt.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        stated, reward = run.settings.get("num_generations"), main_reward(run)
        answers = stated.number if stated is not None and stated.is_given else None
        if stated is None or answers is None:
            return Skipped(self.message("unknown"), self.message("enable"))
        limits = paced(limits, run, reward, patience=5)
        if answers >= limits.answers:
            return Quiet(answers, limits.answers, "answers")
        if finite_points(reward.values) < limits.patience:
            return too_few(limits.patience, finite_points(reward.values))
        severity, key = (Severity.INFO, "rises") if has_risen(reward) else (Severity.WARNING, "fired")
        first, last = int(reward.steps[0]), int(reward.steps[-1])
        return Fired(
            severity=severity,
            message=self.message(key, parameter=stated.parameter, measured=answers, first=first, last=last),
            headline=self.message("headline"),
            first_step=first,
            last_step=last,
            still=True,
            measured=answers,
            limit=limits.answers,
            unit="answers",
        )
