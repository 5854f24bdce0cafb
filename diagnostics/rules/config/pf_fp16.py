"""Half precision: float16 overflows without a loss scaler, and bfloat16 rounds differently in training and rollout.

What it checks
    Whether training runs in float16 (`fp16`, or a precision or dtype of that name), or in bfloat16 while vLLM
    generates. Both are notes.

Why it matters
    float16 holds at most 65,504 and needs a loss scaler; Adam's epsilon of 1e-8 is 0 in it. bfloat16 keeps eight bits
    of each number, so the rollout engine and the trainer disagree about log-probabilities.

When it is wrong
    Trainers that offer fp16 mostly bring the loss scaler along. With engines that disagree, float16 may be the better
    choice: its rounding is finer, which is what the paper below recommends it for.

What to try
    Keep the loss scaler on with float16. With bfloat16 and vLLM, keep the importance sampling correction on and watch
    the log-probability difference of the two engines.

References
    Defeating the training-inference mismatch via FP16 (arXiv 2510.26788).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.settings import Setting
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english

HALF = frozenset({"fp16", "float16"})
BRAIN = frozenset({"bf16", "bfloat16"})


class PfFp16(ConfigRule[NoLimits]):
    """Judges `fp16`, `bf16` and the names of number formats."""

    code = "PF101"
    name = "pf-fp16"
    grade = "P"
    source = "Defeating the training-inference mismatch via FP16 (arXiv 2510.26788)"
    inputs = ()
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin}: float16 overflows at 65,504 and needs a loss scaler.",
        engine="{parameter} is {value}{origin} with vLLM: bfloat16 rounds differently in the two engines; look at "
        "what they disagree by.",
    )

    def applies(self, setup: Setup) -> bool:
        return True

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        half = _chosen_by(setup, "fp16", HALF)
        if half is not None:
            return self.fired(Severity.INFO, half)
        brain = _chosen_by(setup, "bf16", BRAIN)
        if brain is not None and setup.is_on("use_vllm"):
            return self.fired(Severity.INFO, brain, key="engine")
        return Quiet()


def _chosen_by(setup: Setup, switch: str, kinds: frozenset[str]) -> Setting | None:
    """The setting that chooses one of these number formats, by a switch of its own or by name."""
    found = setup.get(switch)
    if found is not None and found.is_on:
        return found
    named = (setup.get("precision"), setup.get("weights"))
    return next((item for item in named if item and str(item.value).removeprefix("torch.") in kinds), None)
