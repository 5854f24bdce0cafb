"""What weights, gradients and optimizer take is more than one accelerator has.

What it checks
    Whether weights, gradients and optimizer state need more than one accelerator has: 16 bytes for each trained
    parameter (weight, gradient and Adam's two moments in float32) and 2 for each frozen one. PPO adds a value model
    and a reward model, a KL penalty adds the reference.

Why it matters
    A training that does not fit fails in its first step, or much later, when a long batch comes along.

When it is wrong
    Activations come on top, so a quiet check promises nothing. ZeRO and FSDP shard what is counted here over all
    processes, and 8-bit optimizers need less. An adapter trains next to nothing, so only frozen weights count for it.

What to try
    Lower the batch per device and raise gradient accumulation; shard with ZeRO stage 3.

References
    TRL PPO page, memory tips · ZeRO (arXiv 1910.02054).
"""

from diagnostics.language import N_
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """How many bytes a parameter takes."""

    trained: float = limit(16.0, "bytes", "ZeRO (arXiv 1910.02054): weight, gradient, two moments")
    frozen: float = limit(2.0, "bytes", "half precision")


class PfMemory(ConfigRule[Limits]):
    """Estimates memory from the model's size."""

    code = "PF105"
    name = "pf-memory"
    grade = "S"
    source = "TRL PPO page, memory tips"
    inputs = ("per_device_train_batch_size",)
    limits = Limits()
    texts = english(
        fired="Weights, gradients and optimizer take about {needed} GiB, and one accelerator has {device}.",
        unread="How much memory is needed is not known: {missing}.",
        unread_enable="Name the model's folder and give --device-memory GIB.",
        why="Smaller passes and more of them need less memory for the same batch; ZeRO stage 3 shares the weights.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        parameters, device = setup.model.parameters, setup.device_gib
        if parameters is None or device is None:
            missing = N_("the model's size") if parameters is None else N_("the accelerator's memory")
            return self.skipped("unread", missing=missing)
        has_critic, has_reference = setup.algorithm in PPO_FAMILY, bool(setup.kl_weight)
        trained = 0 if setup.trains_an_adapter else 1 + has_critic
        frozen = int(has_reference and not setup.trains_an_adapter) + has_critic + setup.trains_an_adapter
        needed = parameters * (trained * limits.trained + frozen * limits.frozen) / 2**30
        if needed <= device:
            return Quiet(needed, device, "GiB")
        setting = setup.require("per_device_train_batch_size")
        return self.fired(
            Severity.WARNING, setting, suggested=1, measured=needed, limit=device, unit="GiB", needed=f"{needed:.3g}",
            device=f"{device:g}",
        )  # fmt: skip
