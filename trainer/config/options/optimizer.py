"""Options of the optimizer and its learning-rate schedule."""

import math
from dataclasses import dataclass

from trainer.config.lr_schedulers import SCHEDULERS, check_schedule
from trainer.config.options import Section, options_under

option = options_under(Section.OPTIMIZER)


@dataclass(frozen=True, kw_only=True)
class OptimizerOptions:
    """AdamW and its schedule."""

    learning_rate: float = option(1e-6, "Step size of the optimizer (AdamW).", minimum=0, main=True)
    lr_scheduler_type: str = option(
        "linear",
        "Learning-rate schedule after the warm-up: one of transformers' that need no metric.",
        choices=SCHEDULERS,
    )
    lr_scheduler_kwargs: str | None = option(None, "Further settings of the schedule, as a JSON object.")
    warmup_steps: float = option(
        0.0, "Steps over which the learning rate rises from 0; below 1, their share of all.", minimum=0, maximum=1e9
    )
    warmup_ratio: float = option(
        0.0, "The same share by its older name; used only if warmup_steps is 0.", minimum=0, maximum=1
    )
    weight_decay: float = option(0.0, "Weight decay of AdamW.", minimum=0)
    adam_beta1: float = option(0.9, "AdamW's decay of the mean of gradients.", minimum=0, maximum=1)
    adam_beta2: float = option(0.999, "AdamW's decay of the mean of squared gradients.", minimum=0, maximum=1)
    adam_epsilon: float = option(1e-8, "AdamW's term that prevents division by 0.", minimum=0)
    max_grad_norm: float = option(1.0, "Gradients are scaled down to this norm.", above=0)

    def check_optimizer(self) -> None:
        """Raise ConfigError if the schedule lacks a required setting."""
        check_schedule(self.lr_scheduler_type, self.lr_scheduler_kwargs)

    def warmup_of(self, total_steps: int) -> int:
        """Warm-up steps of a training of `total_steps`, counted as in transformers."""
        if self.warmup_steps >= 1:
            return int(self.warmup_steps)
        return math.ceil(total_steps * (self.warmup_steps or self.warmup_ratio))
