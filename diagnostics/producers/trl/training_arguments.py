"""TRL's arguments: which canonical setting each one is, and its default by trainer and version.

Sources: GRPOConfig, RLOOConfig and PPOConfig of TRL 0.5 to 1.16, and transformers' TrainingArguments.
"""

from pathlib import Path

from diagnostics.producers.producer import SAMPLING, Config, HandedOver

ARGUMENTS = {
    "learning_rate": ("learning_rate",),
    "max_grad_norm": ("max_grad_norm",),
    "adam_epsilon": ("adam_epsilon",),
    "fp16": ("fp16",),
    "bf16": ("bf16",),
    "precision": ("mixed_precision",),
    "weights": ("dtype", "model_init_kwargs.dtype", "model_init_kwargs.torch_dtype"),
    "logging_nan_inf_filter": ("logging_nan_inf_filter",),
    "logging_steps": ("logging_steps",),
    "log_completions": ("log_completions",),
    "num_completions_to_log": ("num_completions_to_log",),
    "temperature": ("generation_kwargs.temperature", "temperature"),
    "do_sample": ("generation_kwargs.do_sample", "do_sample"),
    "top_k": ("generation_kwargs.top_k", "top_k"),
    "top_p": ("generation_kwargs.top_p", "top_p"),
    "min_p": ("generation_kwargs.min_p", "min_p"),
    "repetition_penalty": ("generation_kwargs.repetition_penalty", "repetition_penalty"),
    "min_new_tokens": (
        "generation_kwargs.min_new_tokens", "generation_kwargs.min_tokens", "min_new_tokens", "min_length",
    ),
    "suppress_tokens": ("generation_kwargs.suppress_tokens", "suppress_tokens"),
    "grammar": (
        "vllm_structured_outputs_regex", "vllm_guided_decoding_regex", "generation_kwargs.structured_outputs",
        "generation_kwargs.guided_decoding",
    ),
    "max_tokens": ("max_completion_length", "response_length", "max_new_tokens"),
    "stop_token": ("stop_token",),
    "stop_token_id": ("stop_token_id",),
    "missing_eos_penalty": ("missing_eos_penalty",),
    "non_eos_penalty": ("non_eos_penalty",),
    "num_generations": ("num_generations",),
    "epochs": ("num_iterations", "num_ppo_epochs", "ppo_epochs"),
    "num_mini_batches": ("num_mini_batches",),
    "steps_per_generation": ("steps_per_generation",),
    "gradient_accumulation_steps": ("gradient_accumulation_steps",),
    "per_device_train_batch_size": ("per_device_train_batch_size",),
    "generation_batch_size": ("generation_batch_size",),
    "num_processes": ("num_processes", "world_size"),
    "auto_find_batch_size": ("auto_find_batch_size",),
    "epsilon": ("epsilon", "cliprange"),
    "importance_sampling_level": ("importance_sampling_level",),
    "loss_type": ("loss_type",),
    "scale_rewards": ("scale_rewards",),
    "kl_weight": ("beta", "kl_coef", "init_kl_coef"),
    "disable_dropout": ("disable_dropout",),
    "reward_funcs": ("reward_funcs",),
    "reward_weights": ("reward_weights",),
    "reward_model": ("reward_model_path", "reward_model_name_or_path"),
    "dataset": ("dataset_name",),
    "model": ("model_name_or_path", "_name_or_path", "model_name"),
    "use_peft": ("use_peft", "peft_config"),
    "value_clip_range": ("cliprange_value",),
    "use_score_scaling": ("use_score_scaling", "use_score_norm"),
    "whiten_rewards": ("whiten_rewards",),
    "use_vllm": ("use_vllm",),
    "is_correction": ("vllm_importance_sampling_correction",),
    "logprobs_mode": ("vllm_logprobs_mode", "logprobs_mode"),
    "eval_strategy": ("eval_strategy", "evaluation_strategy"),
    "save_strategy": ("save_strategy",),
    "producer_version": ("trl_version",),
    "adaptive_entropy": ("use_adaptive_entropy",),
    "batch_size": ("batch_size",),
    "end_tokens": ("generation_kwargs",),
    "engine_memory": ("vllm_gpu_memory_utilization",),
    "engine_mode": ("vllm_mode",),
    "engine_server": ("vllm_server_host", "vllm_server_base_url"),
    "engine_sleep": ("vllm_enable_sleep_mode",),
    "environment": ("environment_factory",),
    "eos_token_id": ("eos_token_id",),
    "epsilon_high": ("epsilon_high",),
    "experts": ("num_experts", "num_local_experts", "n_routed_experts"),
    "fp32_head": ("cast_lm_head_to_fp32",),
    "gradient_checkpointing": ("gradient_checkpointing",),
    "is_mode": ("vllm_importance_sampling_mode",),
    "kl_horizon": ("horizon",),
    "local_batch_size": ("local_batch_size",),
    "log_first_step": ("logging_first_step",),
    "logged_passes": ("num_iterations",),
    "lr_schedule": ("lr_scheduler_type",),
    "mask_truncated": ("mask_truncated_completions",),
    "max_steps": ("max_steps",),
    "mini_batch_size": ("mini_batch_size",),
    "num_eval_prompts": ("num_eval_prompts",),
    "pad_token_id": ("pad_token_id",),
    "process_timeout": ("ddp_timeout",),
    "reference_model": ("sft_model_path",),
    "report_to": ("report_to",),
    "resumed_from": ("resume_from_checkpoint",),
    "reward_aggregation": ("multi_objective_aggregation",),
    "rollout_forward_batch_size": ("local_rollout_forward_batch_size",),
    "rollout_temperature": ("rollout_temperature",),
    "sample_generations": ("num_sample_generations",),
    "staleness_bound": ("max_staleness",),
    "sync_interval": ("weight_sync_steps",),
    "sync_reference": ("sync_ref_model",),
    "tools": ("tools",),
    "requests_in_flight": ("max_inflight_tasks",),
    "token_budget": ("token_budget",),
    "weight_sync_steps": ("weight_sync_steps",),
    "use_cpu": ("use_cpu",),
}  # fmt: skip

FIRST_ARGUMENTS = {setting: setting for setting in SAMPLING}

_OF_TRANSFORMERS = frozenset({
    "adam_epsilon", "auto_find_batch_size", "bf16", "ddp_timeout", "eval_strategy", "fp16",
    "gradient_accumulation_steps", "gradient_checkpointing", "learning_rate", "logging_first_step",
    "logging_nan_inf_filter", "logging_steps", "lr_scheduler_type", "max_grad_norm", "max_steps",
    "per_device_train_batch_size", "report_to",
    "resume_from_checkpoint", "save_strategy", "temperature", "use_cpu",
})  # fmt: skip
OF_SCRIPTS = frozenset({"dataset_name", "model_name_or_path", "use_peft"})
"""Arguments of TRL's own scripts, which its trainers take as objects."""
_OF_GROUPS = frozenset({
    *_OF_TRANSFORMERS, *OF_SCRIPTS, "beta", "disable_dropout", "epsilon", "epsilon_high", "generation_batch_size",
    "generation_kwargs", "generation_kwargs.min_new_tokens", "generation_kwargs.suppress_tokens", "log_completions",
    "mask_truncated_completions", "max_completion_length", "min_p", "num_generations", "num_iterations",
    "repetition_penalty", "reward_funcs", "reward_weights", "steps_per_generation", "sync_ref_model", "top_k", "top_p",
    "use_vllm", "vllm_enable_sleep_mode", "vllm_gpu_memory_utilization", "vllm_mode", "vllm_server_base_url",
    "vllm_server_host", "vllm_structured_outputs_regex",
})  # fmt: skip
OF_TRAINERS = {
    "grpo": _OF_GROUPS | {
        "cast_lm_head_to_fp32", "environment_factory", "importance_sampling_level", "loss_type",
        "multi_objective_aggregation", "scale_rewards", "tools", "use_adaptive_entropy",
        "vllm_importance_sampling_correction", "vllm_importance_sampling_mode",
    },
    "rloo": _OF_GROUPS,
    "ppo": _OF_TRANSFORMERS | OF_SCRIPTS | {
        "batch_size", "cliprange", "cliprange_value", "kl_coef", "local_rollout_forward_batch_size",
        "missing_eos_penalty", "num_mini_batches", "num_ppo_epochs", "num_sample_generations", "response_length",
        "reward_model_path", "sft_model_path", "stop_token", "stop_token_id", "whiten_rewards",
    },
    "ppo-legacy": frozenset({
        "batch_size", "cliprange", "cliprange_value", "do_sample", "gradient_accumulation_steps", "horizon",
        "init_kl_coef", "learning_rate", "max_grad_norm", "max_new_tokens", "min_length", "mini_batch_size",
        "model_name", "ppo_epochs", "repetition_penalty", "temperature", "top_k", "top_p", "use_score_norm",
        "use_score_scaling", "whiten_rewards",
    }),
    "online-dpo": _OF_TRANSFORMERS | OF_SCRIPTS | {
        "beta", "disable_dropout", "generation_kwargs", "generation_kwargs.min_new_tokens", "loss_type",
        "max_new_tokens", "min_p", "missing_eos_penalty", "repetition_penalty", "reward_model_path", "reward_weights",
        "top_k", "top_p", "use_vllm", "vllm_gpu_memory_utilization",
    },
}  # fmt: skip
"""By algorithm, the arguments in the table that its trainer has: GRPO, RLOO and online DPO of 1.16, PPO of 1.12 and,
legacy, of 0.11 with what its scripts hand to `generate`."""

_SHARED = {
    "max_grad_norm": 1.0, "adam_epsilon": 1e-8, "fp16": False, "logging_nan_inf_filter": True, "eval_strategy": "no",
    "save_strategy": "steps", "gradient_accumulation_steps": 1, "per_device_train_batch_size": 8,
    "auto_find_batch_size": False, "reward_weights": None,
}  # fmt: skip
_GROUP = {
    **_SHARED, "do_sample": True, "num_iterations": 1, "epochs": 1, "num_generations": 8,
    "epsilon": 0.2, "importance_sampling_level": "token", "use_vllm": False, "disable_dropout": False,
    "log_completions": False,
}  # fmt: skip
_PPO = {
    **_SHARED, "do_sample": True, "top_k": 0, "top_p": 1.0, "temperature": 0.7, "epochs": 4, "num_mini_batches": 1,
    "kl_weight": 0.05, "epsilon": 0.2, "value_clip_range": 0.2, "max_tokens": 53, "stop_token": None,
    "stop_token_id": None, "missing_eos_penalty": None, "whiten_rewards": False, "disable_dropout": True,
    "grammar": None,
}  # fmt: skip
_NEVER = {"top_p": 1.0, "repetition_penalty": 1.0, "min_new_tokens": 0, "suppress_tokens": None, "grammar": None}

DEFAULTS = {
    "grpo": (
        ((0, 14), {
            **_GROUP, "temperature": 0.9, "kl_weight": 0.04, "max_tokens": 256, "logging_steps": 500,
            "learning_rate": 1e-6, "loss_type": "grpo",
        }),
        ((0, 16), {"top_k": 50, "top_p": 1.0, "min_p": None, "repetition_penalty": 1.0, "grammar": None}),
        ((0, 17), {"loss_type": "bnpo"}),
        ((0, 18), {"temperature": 1.0, "top_k": None}),
        ((0, 19), {"kl_weight": 0.0, "logging_steps": 10}),
        ((0, 22), {"loss_type": "dapo"}),
        ((0, 23), {"is_correction": True}),
        ((0, 26), {"is_mode": "sequence_mask"}),
        ((0, 27), {"top_k": 0}),
        ((1, 10), {"max_tokens": 512}),
    ),
    "rloo": (
        ((0, 22), {
            **_GROUP, **_NEVER, "num_generations": 2, "temperature": 1.0, "top_k": None, "min_p": None,
            "kl_weight": 0.05, "max_tokens": 256, "logging_steps": 10, "learning_rate": 1e-6,
        }),
    ),
    "ppo": (
        ((0, 9), {**_PPO, "learning_rate": 5e-5, "logging_steps": 500}),
        ((0, 19), {"logging_steps": 10}),
        ((0, 29), {"learning_rate": 3e-6}),
    ),
    "ppo-legacy": (
        ((0, 5), {
            "learning_rate": 1e-5, "epochs": 4, "kl_weight": 0.2, "epsilon": 0.2, "value_clip_range": 0.2,
            "max_grad_norm": None, "use_score_scaling": False, "whiten_rewards": False,
        }),
        ((0, 11), {"learning_rate": 1.41e-5}),
    ),
}  # fmt: skip

_GROUP_SAMPLING = frozenset({"do_sample", "temperature", "top_k", "top_p", "min_p", "repetition_penalty"})

HANDED_OVER = {
    "grpo": HandedOver((0, 16), _GROUP_SAMPLING),
    "rloo": HandedOver((0, 22), _GROUP_SAMPLING),
    "ppo": HandedOver(
        (0, 9),
        frozenset({"do_sample", "temperature", "top_k", "top_p"}),
        fixed=frozenset({"do_sample", "top_k", "top_p"}),
    ),
    "ppo-legacy": HandedOver(fixed=SAMPLING),  # the script passes them with each call of `generate`
}

ALGORITHM_MARKS = {
    "grpo": frozenset({"num_generations", "max_completion_length", "scale_rewards", "num_iterations"}),
    "rloo": frozenset(
        {"num_generations", "max_completion_length", "num_iterations", "normalize_advantages", "reward_clip_range"}
    ),
    "ppo": frozenset({"num_ppo_epochs", "response_length", "num_sample_generations", "cliprange_value"}),
    "ppo-legacy": frozenset({"ppo_epochs", "init_kl_coef", "adap_kl_ctrl", "use_score_scaling"}),
}
_MARKS = frozenset({"output_dir", "logging_nan_inf_filter", "per_device_eval_batch_size", "num_train_epochs"})


def recognise_config(config: Config, path: Path) -> float:
    """All but sure of TrainingArguments and of the old PPOConfig; else the likeliest, since others use TRL's names."""
    return 0.9 if (_MARKS | ALGORITHM_MARKS["ppo-legacy"]) & config.keys() else 0.1
