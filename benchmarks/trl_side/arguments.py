"""The options that both trainers share by name, and those that make TRL run here as ours does."""

from collections.abc import Mapping
from typing import Any

_BOTH = (
    "learning_rate",
    "lr_scheduler_type",
    "warmup_steps",
    "weight_decay",
    "max_grad_norm",
    "per_device_train_batch_size",
    "gradient_accumulation_steps",
    "temperature",
    "seed",
)
_GROUPS = (
    *_BOTH,
    "num_generations",
    "max_completion_length",
    "num_iterations",
    "beta",
    "epsilon",
    "epsilon_high",
)
GRPO = (*_GROUPS, "scale_rewards", "loss_type", "importance_sampling_level", "use_bias_correction_kl")
RLOO = (*_GROUPS, "normalize_advantages", "reward_clip_range")
PPO = (
    *_BOTH,
    "response_length",
    "stop_token",
    "missing_eos_penalty",
    "num_ppo_epochs",
    "num_mini_batches",
    "kl_coef",
    "kl_estimator",
    "cliprange",
    "cliprange_value",
    "vf_coef",
    "gamma",
    "lam",
    "whiten_rewards",
)
_HERE: Mapping[str, Any] = {
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "report_to": "none",
    "save_strategy": "no",
    "logging_steps": 1,
    "logging_nan_inf_filter": False,
    "disable_tqdm": True,
}


def arguments(config: Mapping[str, Any], names: tuple[str, ...], **others: Any) -> dict[str, Any]:
    """Keyword arguments of TRL's configuration: the options of our run that TRL has, plus overrides."""
    return {**_HERE, **{name: config[name] for name in names}, **others}
