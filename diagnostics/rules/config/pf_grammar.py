"""Answers are forced into a form, while KL or importance sampling compare them with free ones.

What it checks
    Whether decoding is constrained to a grammar or schema while a KL penalty or vLLM's importance sampling correction
    is on.

Why it matters
    A forced token may have next to no probability under the policy itself, so that it dominates both: a public GRPO
    log with a grammar begins at a KL of 10,833 nats.

When it is wrong
    Without a KL penalty and a correction the constraint does no such harm. A policy that already follows the form is
    hardly forced.

What to try
    Drop the constraint and reward the form, or switch KL penalty and correction off.

References
    A public GRPO log with grammar-constrained decoding: KL 10,833 at step 1, reward 0.
"""

from diagnostics.language import N_
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english

_COMPARED = {
    (True, True): N_("the KL penalty and importance sampling"),
    (True, False): N_("the KL penalty"),
    (False, True): N_("importance sampling"),
    (False, False): "",
}
"""What compares probabilities, by whether there is a KL penalty and a correction between engines."""


class PfGrammar(ConfigRule[NoLimits]):
    """Judges constrained decoding beside KL and importance sampling."""

    code = "PF305"
    name = "pf-grammar"
    grade = "I"
    source = "a public GRPO log with grammar-constrained decoding: KL 10,833 at step 1, reward 0"
    inputs = ("grammar",)
    limits = NoLimits()
    texts = english(
        fired="{parameter} forces the form of answers while {compared} compares them with free ones.",
        why="Without a forced form the policy learns it by itself, from the reward.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        setting = setup.require("grammar")
        has_correction = setup.is_on("use_vllm") and setup.is_on("is_correction")
        compared = _COMPARED[bool(setup.kl_weight), has_correction]
        if not setting.is_on or not compared:
            return Quiet()
        return self.fired(Severity.WARNING, setting, compared=compared)
