"""The settings of a training by one name each, however its program calls them, and what counts where none is given."""

from collections.abc import Mapping, Sequence
from typing import Any

NAMES: Mapping[str, tuple[str, ...]] = {
    "learning_rate": ("learning_rate", "actor_learning_rate", "actor_rollout_ref.actor.optim.lr"),
    "max_grad_norm": ("max_grad_norm", "max_norm", "actor_rollout_ref.actor.grad_clip"),
    "adam_epsilon": ("adam_epsilon",),
    "fp16": ("fp16",),
    "bf16": ("bf16",),
    "precision": ("mixed_precision",),
    "weights": ("dtype", "model_init_kwargs.dtype", "model_init_kwargs.torch_dtype"),
    "logging_nan_inf_filter": ("logging_nan_inf_filter",),
    "logging_steps": ("logging_steps",),
    "log_completions": ("log_completions",),
    "num_completions_to_log": ("num_completions_to_log",),
    "temperature": ("generation_kwargs.temperature", "temperature", "actor_rollout_ref.rollout.temperature"),
    "do_sample": ("generation_kwargs.do_sample", "do_sample", "actor_rollout_ref.rollout.do_sample"),
    "top_k": ("generation_kwargs.top_k", "top_k", "actor_rollout_ref.rollout.top_k"),
    "top_p": ("generation_kwargs.top_p", "top_p", "actor_rollout_ref.rollout.top_p"),
    "min_p": ("generation_kwargs.min_p", "min_p"),
    "repetition_penalty": (
        "generation_kwargs.repetition_penalty", "repetition_penalty", "actor_rollout_ref.rollout.repetition_penalty",
    ),
    "min_new_tokens": (
        "generation_kwargs.min_new_tokens", "generation_kwargs.min_tokens", "min_new_tokens", "min_length",
    ),
    "suppress_tokens": ("generation_kwargs.suppress_tokens", "suppress_tokens"),
    "grammar": (
        "vllm_structured_outputs_regex", "vllm_guided_decoding_regex", "generation_kwargs.structured_outputs",
        "generation_kwargs.guided_decoding",
    ),
    "max_tokens": (
        "max_completion_length", "response_length", "max_new_tokens", "generate_max_len", "data.max_response_length",
    ),
    "stop_token": ("stop_token",),
    "stop_token_id": ("stop_token_id",),
    "missing_eos_penalty": ("missing_eos_penalty",),
    "non_eos_penalty": ("non_eos_penalty",),
    "num_generations": ("num_generations", "n_samples_per_prompt", "actor_rollout_ref.rollout.n"),
    "epochs": (
        "num_iterations", "num_ppo_epochs", "ppo_epochs", "max_epochs", "actor_rollout_ref.actor.ppo_epochs",
    ),
    "num_mini_batches": ("num_mini_batches",),
    "prompts_per_batch": ("data.train_batch_size", "rollout_batch_size"),
    "prompts_per_update": ("actor_rollout_ref.actor.ppo_mini_batch_size",),
    "answers_per_update": ("train_batch_size",),
    "steps_per_generation": ("steps_per_generation",),
    "gradient_accumulation_steps": ("gradient_accumulation_steps",),
    "per_device_train_batch_size": ("per_device_train_batch_size",),
    "generation_batch_size": ("generation_batch_size",),
    "num_processes": ("num_processes", "world_size"),
    "auto_find_batch_size": ("auto_find_batch_size",),
    "epsilon": ("epsilon", "cliprange", "eps_clip", "actor_rollout_ref.actor.clip_ratio"),
    "importance_sampling_level": ("importance_sampling_level",),
    "loss_type": ("loss_type",),
    "scale_rewards": ("scale_rewards", "algorithm.norm_adv_by_std_in_grpo"),
    "kl_weight": (
        "beta", "kl_coef", "init_kl_coef", "actor_rollout_ref.actor.kl_loss_coef", "algorithm.kl_ctrl.kl_coef",
    ),
    "use_kl_loss": ("actor_rollout_ref.actor.use_kl_loss",),
    "use_kl_in_reward": ("algorithm.use_kl_in_reward",),
    "disable_dropout": ("disable_dropout",),
    "reward_funcs": ("reward_funcs", "custom_reward_function.path", "reward.custom_reward_function.path"),
    "reward_weights": ("reward_weights",),
    "reward_model": ("reward_model_path", "reward_pretrain", "reward_model.path", "reward_model_name_or_path"),
    "dataset": ("dataset", "dataset_name", "prompt_data", "data.train_files", "task"),
    "model": ("model_name_or_path", "_name_or_path", "pretrain", "actor_rollout_ref.model.path", "model_name"),
    "use_peft": ("use_peft", "peft_config", "lora_rank", "actor_rollout_ref.model.lora_rank"),
    "value_clip_range": ("cliprange_value", "value_clip", "critic.cliprange_value"),
    "use_score_scaling": ("use_score_scaling", "use_score_norm", "normalize_reward"),
    "whiten_rewards": ("whiten_rewards",),
    "use_vllm": ("use_vllm",),
    "is_correction": ("vllm_importance_sampling_correction",),
    "bypass_mode": ("algorithm.rollout_correction.bypass_mode",),
    "logprobs_mode": ("vllm_logprobs_mode", "logprobs_mode", "actor_rollout_ref.rollout.logprobs_mode"),
    "eval_strategy": ("eval_strategy", "evaluation_strategy"),
    "save_strategy": ("save_strategy",),
}  # fmt: skip
"""Every setting that a check reads → the names that programs give it; of several that are given, the first counts.

Sources: TRL's GRPOConfig and PPOConfig (0.7 to 1.16), verl's ppo_trainer.yaml, OpenRLHF's train_ppo_ray arguments.
"""

SWITCHES: Mapping[str, str] = {
    "actor_rollout_ref.actor.kl_loss_coef": "actor_rollout_ref.actor.use_kl_loss",
    "algorithm.kl_ctrl.kl_coef": "algorithm.use_kl_in_reward",
}
"""Settings of verl's that count only while another one is on."""

OWN = "rlvitals"
TRL = "trl"

Version = tuple[int, ...]
_TRL_SHARED = {
    "max_grad_norm": 1.0, "adam_epsilon": 1e-8, "fp16": False, "logging_nan_inf_filter": True, "eval_strategy": "no",
    "save_strategy": "steps", "gradient_accumulation_steps": 1, "per_device_train_batch_size": 8,
    "auto_find_batch_size": False, "log_completions": False, "reward_weights": None,
}  # fmt: skip
_TRL_GROUP = {
    **_TRL_SHARED, "do_sample": True, "num_iterations": 1, "epochs": 1, "num_generations": 8,
    "epsilon": 0.2, "importance_sampling_level": "token", "use_vllm": False, "disable_dropout": False,
}  # fmt: skip
_TRL_PPO = {
    **_TRL_SHARED, "do_sample": True, "top_k": 0, "top_p": 1.0, "temperature": 0.7, "epochs": 4, "num_mini_batches": 1,
    "kl_weight": 0.05, "epsilon": 0.2, "value_clip_range": 0.2, "max_tokens": 53, "stop_token": None,
    "stop_token_id": None, "missing_eos_penalty": None, "whiten_rewards": False, "disable_dropout": True,
    "grammar": None,
}  # fmt: skip
_NEVER = {"top_p": 1.0, "repetition_penalty": 1.0, "min_new_tokens": 0, "suppress_tokens": None, "grammar": None}

DEFAULTS: Mapping[tuple[str, str], tuple[tuple[Version, Mapping[str, object]], ...]] = {
    (TRL, "grpo"): (
        ((0, 14), {
            **_TRL_GROUP, "temperature": 0.9, "kl_weight": 0.04, "max_tokens": 256, "logging_steps": 500,
            "learning_rate": 1e-6, "loss_type": "grpo",
        }),
        ((0, 16), {"top_k": 50, "top_p": 1.0, "min_p": None, "repetition_penalty": 1.0, "grammar": None}),
        ((0, 17), {"loss_type": "bnpo"}),
        ((0, 18), {"temperature": 1.0, "top_k": None}),
        ((0, 19), {"kl_weight": 0.0, "logging_steps": 10}),
        ((0, 22), {"loss_type": "dapo"}),
        ((0, 23), {"is_correction": True}),
        ((0, 27), {"top_k": 0}),
        ((1, 10), {"max_tokens": 512}),
    ),
    (TRL, "rloo"): (
        ((0, 22), {
            **_TRL_GROUP, **_NEVER, "num_generations": 2, "temperature": 1.0, "top_k": None, "min_p": None,
            "kl_weight": 0.05, "max_tokens": 256, "logging_steps": 10, "learning_rate": 1e-6,
        }),
    ),
    (TRL, "ppo"): (
        ((0, 9), {**_TRL_PPO, "learning_rate": 5e-5, "logging_steps": 500}),
        ((0, 19), {"logging_steps": 10}),
        ((0, 29), {"learning_rate": 3e-6}),
    ),
    (TRL, "ppo-legacy"): (
        ((0, 5), {
            "learning_rate": 1e-5, "epochs": 4, "kl_weight": 0.2, "epsilon": 0.2, "value_clip_range": 0.2,
            "max_grad_norm": None, "use_score_scaling": False, "whiten_rewards": False,
        }),
        ((0, 11), {"learning_rate": 1.41e-5}),
    ),
    (OWN, "ppo"): (
        ((), {
            **_NEVER, "learning_rate": 3e-6, "max_grad_norm": 1.0, "adam_epsilon": 1e-8, "temperature": 1.0, "top_k": 0,
            "min_p": 0.0, "do_sample": True, "max_tokens": 53, "stop_token": "eos", "missing_eos_penalty": None,
            "non_eos_penalty": False, "epochs": 4, "num_mini_batches": 1, "gradient_accumulation_steps": 1,
            "per_device_train_batch_size": 64, "num_processes": 1, "epsilon": 0.2, "kl_weight": 0.05,
            "disable_dropout": True, "value_clip_range": 0.2, "use_score_scaling": False, "whiten_rewards": False,
            "eval_strategy": "no", "save_strategy": "steps", "num_completions_to_log": 64, "precision": "no",
        }),
    ),
    (OWN, "grpo"): (
        ((), {
            **_NEVER, "learning_rate": 1e-6, "max_grad_norm": 1.0, "adam_epsilon": 1e-8, "temperature": 1.0, "top_k": 0,
            "min_p": 0.0, "do_sample": True, "max_tokens": 512, "num_generations": 8, "epochs": 1,
            "gradient_accumulation_steps": 1, "per_device_train_batch_size": 64, "num_processes": 1, "epsilon": 0.2,
            "kl_weight": 0.0, "loss_type": "dapo", "disable_dropout": True, "eval_strategy": "no",
            "save_strategy": "steps", "num_completions_to_log": 64, "precision": "no",
        }),
    ),
}  # fmt: skip
"""(program, algorithm) → what counts where a setting is not given: (from this version on, what is new in it), …

Sources: TRL's GRPOConfig and PPOConfig by version, transformers' TrainingArguments, `trainer.config.training`.
"""

HANDED_OVER: Mapping[tuple[str, str], tuple[Version, frozenset[str]]] = {
    (TRL, "grpo"): (
        (0, 16),
        frozenset({"do_sample", "temperature", "top_k", "top_p", "min_p", "repetition_penalty"}),
    ),
    (TRL, "rloo"): (
        (0, 22),
        frozenset({"do_sample", "temperature", "top_k", "top_p", "min_p", "repetition_penalty"}),
    ),
    (TRL, "ppo"): ((0, 9), frozenset({"do_sample", "temperature", "top_k", "top_p"})),
}
"""What TRL hands to `generate` itself, and since when; the rest comes from the model's own generation_config.

Before its version a trainer hands over temperature and do_sample only.
"""
DEMO_REWARDS: Mapping[str, str] = {"remarks": "remark_positivity", "addition": "addition_accuracy"}
"""The reward of each of rlvitals' demo tasks, where none is named."""

GENERATION = frozenset(
    {"do_sample", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "min_new_tokens", "suppress_tokens"}
)
"""The settings that a model's generation_config.json may hold."""
LIBRARY: Mapping[str, object] = {
    "do_sample": False, "temperature": 1.0, "top_k": 50, "top_p": 1.0, "repetition_penalty": 1.0, "min_p": 0.0,
    "min_new_tokens": 0, "suppress_tokens": (),
}  # fmt: skip
"""transformers' own defaults (GenerationConfig), where neither the trainer nor the model says otherwise."""


_ALIASES = {**{name: aliases for aliases in NAMES.values() for name in aliases}, **NAMES}
_NOWHERE = object()
_OFF = frozenset({"", "no", "none", "null", "false"})


def stated(config: Mapping[str, Any], names: Sequence[str]) -> tuple[str, Any] | None:
    """The first of these settings that a configuration states: what it is called there, and its value.

    Where none of the names stands there, those that other programs have for the same settings are looked for, nested
    ones by the names joined with dots. None where the configuration states nothing of the kind.
    """
    others = (alias for name in names for alias in _ALIASES.get(name, ()) if _counts(config, alias))
    found = ((name, _at(config, name)) for name in (*names, *others))
    return next(((name, value) for name, value in found if value is not _NOWHERE), None)


def _counts(config: Mapping[str, Any], name: str) -> bool:
    """Not what is switched off, nor what transformers logs of the model's own file."""
    switch = _at(config, SWITCHES[name]) if name in SWITCHES else _NOWHERE
    return not name.startswith("_") and (switch is _NOWHERE or is_on(switch))


def is_on(value: Any) -> bool:
    """Whether a setting's value switches something on: neither empty, 0, `no` nor false."""
    return value.strip().lower() not in _OFF if isinstance(value, str) else bool(value)


def _at(config: Mapping[str, Any], name: str) -> Any:
    """The value at a name, flat (MLflow joins names with slashes) or nested."""
    for flat in (name, name.replace(".", "/")):
        if flat in config:
            return config[flat]
    found: Any = config
    for part in name.split("."):
        found = found.get(part, _NOWHERE) if isinstance(found, Mapping) else _NOWHERE
    return found


def defaults_of(producer: str, algorithm: str, version: Version | None) -> dict[str, object]:
    """What counts in this version where nothing is given; the newest one's where the version is not known."""
    found: dict[str, object] = {}
    for since, values in DEFAULTS.get((producer, algorithm), ()):
        if version is None or version >= since:
            found |= values
    return found


def handed_over(producer: str, algorithm: str, version: Version | None) -> frozenset[str]:
    """The sampling settings in which the program leaves the model's generation_config no say."""
    if (producer, algorithm) not in HANDED_OVER:
        return GENERATION
    since, names = HANDED_OVER[producer, algorithm]
    return names if version is None or version >= since else frozenset({"do_sample", "temperature"})
