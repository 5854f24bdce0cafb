"""The optimizer of a training and its learning-rate schedule."""

from collections.abc import Iterable

from torch.nn import Parameter
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR
from transformers import get_scheduler

from diagnostics.told import told
from trainer.config.lr_schedulers import scheduler_settings
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig


def make_optimizer(config: TrainConfig, *groups: tuple[Iterable[Parameter], float]) -> AdamW:
    """AdamW over the trainable parameters of these groups, each with its base learning rate."""
    return AdamW(
        [{"params": [p for p in parameters if p.requires_grad], "lr": rate} for parameters, rate in groups],
        lr=config.learning_rate,
        betas=(config.adam_beta1, config.adam_beta2),
        eps=config.adam_epsilon,
        weight_decay=config.weight_decay,
        fused=True,  # one pass over each weight without copying all of them, also on the CPU
    )


def make_scheduler(config: TrainConfig, optimizer: AdamW) -> LambdaLR:
    """transformers' schedule, advanced once per training step.

    Raises:
        ConfigError: lr_scheduler_kwargs has a setting that the schedule does not know, or lacks one that it needs.
    """
    steps, settings = config.total_steps, scheduler_settings(config.lr_scheduler_kwargs)
    try:
        scheduler: LambdaLR = get_scheduler(
            config.lr_scheduler_type, optimizer, config.warmup_of(steps), steps, scheduler_specific_kwargs=settings
        )
    except (TypeError, ValueError) as error:
        raise ConfigError(
            told(
                "lr_scheduler_type = {lr_scheduler_type} with lr_scheduler_kwargs = {lr_scheduler_kwargs}: {error}",
                lr_scheduler_type=config.lr_scheduler_type,
                lr_scheduler_kwargs=config.lr_scheduler_kwargs,
                error=error,
            )
        ) from error
    return scheduler
