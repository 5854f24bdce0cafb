"""Nothing is kept out of training: that the policy learns the reward and not the task cannot be seen.

What it checks
    Whether no checkpoint is saved (a warning), or nothing is evaluated: a warning with a learned reward and no KL
    penalty, else a note.

Why it matters
    That the policy learns the reward and not the task cannot be seen on the prompts that it is trained on. Without a
    checkpoint there is nothing to go back to.

When it is wrong
    Where a KL penalty bounds the drift, or answers are checked for being right, there is less to find. Evaluation may
    happen outside of the training.

What to try
    Hold out prompts and evaluate every few hundred steps; save checkpoints.

References
    Gao et al. 2022 (arXiv 2210.10760).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english

NEVER = frozenset({"no", "none", "never"})


class PfEvalMissing(ConfigRule[NoLimits]):
    """Judges `eval_strategy` and `save_strategy`."""

    code = "PF903"
    name = "pf-eval-missing"
    grade = "P"
    source = "Gao et al. 2022 (arXiv 2210.10760)"
    inputs = ("eval_strategy",)
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin}: over-optimisation of the reward cannot be seen on prompts that are "
        "trained on.",
        checkpoints="{parameter} is {value}: there will be no checkpoint from before things go wrong.",
        why="What is held out, or kept, shows what the training reward cannot.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        evaluation, saving = setup.require("eval_strategy"), setup.get("save_strategy")
        if saving is not None and _is_never(saving.value):
            return self.fired(Severity.WARNING, saving, key="checkpoints", suggested="steps")
        if not _is_never(evaluation.value):
            return Quiet()
        is_loose = setup.learns_from_a_model is True and not setup.kl_weight
        return self.fired(Severity.WARNING if is_loose else Severity.INFO, evaluation, suggested="steps")


def _is_never(strategy: object) -> bool:
    """Whether a strategy is `no`, also as the text of transformers' enumeration, `IntervalStrategy.NO`."""
    return str(strategy).rpartition(".")[2].lower() in NEVER
