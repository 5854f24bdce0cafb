"""The groups in which differing settings are told, by what they act upon."""

from collections.abc import Mapping

from diagnostics.language import N_
from diagnostics.producers.table import PRODUCERS

SEEDS = frozenset({"seed", "data_seed", "env_seed"})
"""The arguments, by the last part of their name, that only choose the random numbers."""
PLACES = frozenset(
    {"output_dir", "run_dir", "run_name", "logging_dir", "experiment_name", "default_local_dir", "hub_model_id"}
)
"""The arguments, by the last part of their name, that only say where a run is written and what it is called."""

OF_THE_SEED, OF_PLACES, OTHER = N_("seed"), N_("names and places"), N_("other arguments")
_GROUPS: Mapping[str, tuple[str, ...]] = {
    N_("policy update"): (
        "learning_rate", "lr_schedule", "max_grad_norm", "adam_epsilon", "epochs", "num_mini_batches", "epsilon",
        "epsilon_high", "importance_sampling_level", "loss_type", "scale_rewards", "advantage_estimator",
        "adaptive_entropy", "mask_truncated", "value_clip_range", "value_learning_rate",
    ),
    N_("KL and reference"): (
        "kl_weight", "use_kl_loss", "use_kl_in_reward", "kl_horizon", "reference_model", "sync_reference",
    ),
    N_("rewards and data"): (
        "reward_funcs", "reward_weights", "reward_model", "reward_aggregation", "missing_eos_penalty",
        "non_eos_penalty", "use_score_scaling", "whiten_rewards", "dataset", "chat_template", "multi_turn", "tools",
        "environment",
    ),
    N_("sampling"): (
        "temperature", "rollout_temperature", "do_sample", "top_k", "top_p", "min_p", "repetition_penalty",
        "min_new_tokens", "max_tokens", "suppress_tokens", "grammar", "stop_token", "stop_token_id", "end_tokens",
        "eos_token_id", "pad_token_id", "num_generations",
    ),
    N_("batch"): (
        "batch_size", "local_batch_size", "mini_batch_size", "prompts_per_batch", "prompts_per_update",
        "answers_per_update", "steps_per_generation", "gradient_accumulation_steps", "per_device_train_batch_size",
        "generation_batch_size", "rollout_forward_batch_size", "token_budget", "auto_find_batch_size", "max_steps",
    ),
    N_("model and numbers"): (
        "model", "use_peft", "weights", "precision", "fp16", "bf16", "fp32_head", "disable_dropout", "experts",
        "routing_replay", "gradient_checkpointing",
    ),
    N_("rollout engine"): (
        "use_vllm", "is_correction", "is_mode", "bypass_mode", "logprobs_mode", "engine_dtype", "engine_memory",
        "engine_mode", "engine_server", "engine_sleep", "engine_sync", "requests_in_flight", "staleness_bound",
        "sync_interval", "weight_sync_steps", "process_timeout",
    ),
    N_("machines"): (
        "num_processes", "num_nodes", "gpus_per_node", "rollout_nodes", "rollout_gpus_per_node", "device", "use_cpu",
    ),
    N_("logging and checkpoints"): (
        "logging_steps", "log_first_step", "logged_passes", "logging_nan_inf_filter", "log_completions",
        "num_completions_to_log", "sample_generations", "eval_strategy", "num_eval_prompts", "save_strategy",
        "report_to", "resumed_from", "producer_version",
    ),
}  # fmt: skip
_GROUP_OF = {setting: group for group, settings in _GROUPS.items() for setting in settings}
_NAMESAKES = {
    argument: setting
    for producer in reversed(PRODUCERS)
    for setting, arguments in producer.settings.items()
    for argument in arguments
}
"""What an argument stands for where another one has already said it."""
_ORDER = (*_GROUPS, OTHER, OF_THE_SEED, OF_PLACES)


def group_of(argument: str, setting: str | None) -> str:
    """The group of an argument that stands for this canonical setting; for none: for that of a namesake, if any."""
    last = argument.replace("/", ".").rpartition(".")[2]
    if last in SEEDS:
        return OF_THE_SEED
    if last in PLACES:
        return OF_PLACES
    return _GROUP_OF.get(setting or _NAMESAKES.get(argument, ""), OTHER)


def rank(group: str) -> int:
    """The place of a group: what acts upon the training first, what only names a run last."""
    return _ORDER.index(group)
