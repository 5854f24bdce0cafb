"""vLLM writes the answers, and nothing corrects for its probabilities being others than the trainer's.

What it checks
    Whether vLLM generates without the importance sampling correction, or returns log-probabilities that are not
    processed.

Why it matters
    vLLM's probabilities differ from the trainer's, and nothing corrects for it. Raw log-probabilities leave out
    temperature and cut-offs, so the correction compares two different distributions.

When it is wrong
    Where the two engines agree closely, which `sampling/sampling_logp_difference` shows, little is lost.

What to try
    Set `vllm_importance_sampling_correction` to True; run the server with `processed_logprobs`.

References
    TRL GRPOConfig: vllm_importance_sampling_correction.
"""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfIsCorrection(ConfigRule[NoLimits]):
    """Judges vLLM's importance sampling correction."""

    code = "PF801"
    name = "pf-is-correction"
    grade = "D"
    source = "TRL GRPOConfig: vllm_importance_sampling_correction"
    inputs = ("use_vllm", "is_correction")
    algorithms = GROUP_FAMILY
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin} with vLLM: the two engines' probabilities differ, and nothing corrects "
        "it.",
        raw="{parameter} is {value}: the correction compares log-probabilities before temperature and cut-offs with "
        "those after them.",
        why="Importance sampling corrects for what the two engines disagree about.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        correction, mode = setup.require("is_correction"), setup.get("logprobs_mode")
        if setup.is_on("use_vllm") and mode is not None and not str(mode.value).startswith("processed"):
            return self.fired(Severity.WARNING, mode, key="raw", suggested="processed_logprobs")
        if not setup.is_on("use_vllm") or correction.is_on:
            return Quiet()
        return self.fired(Severity.WARNING, correction, suggested=True)
