"""The untrained policy's answers to most prompts earn the same, so most groups will have no signal at the start.

What it checks
    The share of probed prompts whose answers all earned the same reward, where groups of answers were drawn. An answer
    is scored as far as a training would keep it, by the weighted sum of the reward functions. Half or more of the
    prompts is a warning.

Why it matters
    GRPO and RLOO learn from differences within a group. A group without one is generated and scored for nothing.

When it is wrong
    A few dozen prompts are a small sample. Training moves pass rates: what is solved every time teaches nothing any
    more, what is never solved may become solvable. Rewards that differ by a trifle count as different.

What to try
    Train on the prompts that are solved in 20 to 80 % of cases (`--keep-list`), draw more answers per prompt, or give
    partial credit.

References
    DAPO (arXiv 2503.14476), dynamic sampling · TRL GRPO page: frac_reward_zero_std.
"""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.pass_rates import is_alike
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which share of silent groups is too much."""

    share: float = limit(0.5, "of the prompts", "engineering default: half of the batch is lost")


class PfGroupsAlike(ConfigRule[Limits]):
    """Counts the groups that teach nothing."""

    code = "PF408"
    name = "pf-groups-alike"
    grade = "F"
    source = "DAPO (arXiv 2503.14476), dynamic sampling; the share is an engineering default"
    inputs = ()
    algorithms = GROUP_FAMILY
    limits = Limits()
    texts = english(
        fired="To {alike} of {prompts} prompts the untrained policy's {generations} answers all earn the same: such a "
        "group teaches nothing. {best} of them earn the highest reward that was seen, {worst} the lowest.",
    )

    def applies(self, setup: Setup) -> bool:
        return super().applies(setup) and setup.probe is not None and bool(setup.probe.prompts)

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        probe = setup.probe
        prompts = probe.prompts if probe else ()
        alike = [prompt.rewards for prompt in prompts if is_alike(prompt.rewards)]
        share = len(alike) / len(prompts)
        if probe is None or share < limits.share:
            return Quiet(share, limits.share, "of the prompts")
        seen = [reward for prompt in prompts for reward in prompt.rewards if reward is not None]
        words = {
            "alike": len(alike),
            "prompts": len(prompts),
            "generations": probe.generations,
            "best": sum(bool(seen) and max(seen) in rewards for rewards in alike),
            "worst": sum(bool(seen) and min(seen) in rewards for rewards in alike),
        }
        return Fired(
            Severity.WARNING,
            self.message("fired", **words),
            measured=share,
            limit=limits.share,
            unit="of the prompts",
            parameters=(setup.parameter("num_generations"),),
        )
