"""NVIDIA's NeMo-RL: `nemo_rl/algorithms/`, above all `grpo.py`, `utils.py` and `loss/`; `experience/rollouts.py`."""

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

UPDATE = {
    "kl_penalty": "kl_per_token",
    "approx_entropy": "entropy_per_token",
    "loss": "loss",
    "probs_ratio": "ratio_mean",
    "probs_ratio_min": "ratio_min",
    "probs_ratio_max": "ratio_max",
    "probs_ratio_clamped": "clipped_ratio_mean",
    "probs_ratio_clamped_min": "clipped_ratio_min",
    "probs_ratio_clamped_max": "clipped_ratio_max",
    "positive_nll_loss": "right_nll",
    "critic/vf_clipfrac": "value_clip_fraction",
    "critic/explained_var": "explained_variance",
    "critic/values_mean": "value_mean",
    "critic/values_min": "value_min",
    "critic/values_max": "value_max",
    "critic/returns_mean": "returns_mean",
    "critic/grad_norm": "value_grad_norm",
    "critic/lr": "value_learning_rate",
    "advantages/mean": "advantages_mean",
    "advantages/min": "advantages_min",
    "advantages/max": "advantages_max",
    "baseline_reward/pct_0": "failed_group_fraction",
    "baseline_reward/pct_1": "solved_group_fraction",
    "baseline_reward/pct_mixed": "mixed_group_fraction",
    "min_total_reward": "score_min",
    "max_total_reward": "score_max",
    "grad_norm": "grad_norm",
    "lr": "learning_rate",
    "global_valid_seqs": "trained_samples",
    "num_valid_samples": "trained_samples",
    "num_mask_sample_filtered": "excluded_samples",
    "global_valid_toks": "step_tokens",
    "total_num_tokens": "forwarded_tokens",
}
ROLLOUTS = {
    "mean_gen_tokens_per_sample": "length_mean",
    "max_gen_tokens_per_sample": "length_max",
    "mean_prompt_length": "query_length_mean",
    "mean_total_tokens_per_sample": "total_length_mean",
    "mean_env_tokens_per_sample": "environment_tokens_mean",
    "truncation_rate": "truncated_fraction",
    "natural_termination_rate": "completed_fraction",
    "max_turns_reached_rate": "tool_loop_exhausted_fraction",
    "avg_turns_per_sample": "turns_mean",
    "max_turns_per_sample": "turns_max",
    "total_turns": "turns_total",
    "turns_per_sample/p95": "turns_p95",
    "turns_per_sample/p99": "turns_p99",
    "max_gen_tokens_per_turn/mean": "turn_length_mean",
    "max_gen_tokens_per_turn/max": "turn_length_max",
    "max_gen_tokens_per_turn/p95": "turn_length_p95",
    "invalid_tool_call_rate": "invalid_tool_call_fraction",
    "malformed_thinking_rate": "malformed_thinking_fraction",
    "avg_trajectory_age": "staleness_mean",
    "buffer_size": "queue_size",
}
ENGINE = {
    "token_mult_prob_error": "engine_probability_ratio_error",
    "gen_kl_error": "engine_kl",
    "policy_kl_error": "engine_kl_reverse",
    "js_divergence_error": "engine_js_divergence",
    "mean_seq_mult_prob_error": "engine_sequence_ratio_error_mean",
    "min_seq_mult_prob_error": "engine_sequence_ratio_error_min",
    "max_seq_mult_prob_error": "engine_sequence_ratio_error_max",
    "num_masked_seqs_by_logprob_error": "correction_masked_sequences",
    "sampling_importance_ratio": "importance_ratio_mean",
    "is_oob_ratio": "correction_capped_fraction",
    "is_filter_drop_frac": "correction_masked_fraction",
}
_TIMES = {
    "total_step_time": "step_time",
    "generation": "generation_time",
    "exposed_generation": "rollout_wait_time",
    "reward_calculation": "reward_time",
    "policy_and_reference_logprobs": "logprobs_time",
    "advantage_calculation": "advantages_time",
    "policy_training": "update_time",
    "weight_sync": "weight_sync_time",
    "prepare_for_generation/total": "weight_sync_time",
    "prepare_for_generation/transfer_and_update_weights": "weight_sync_transfer_time",
    "data_processing": "data_time",
    "training_prep": "onload_time",
    "logprob_inference_prep": "onload_time",
    "offload_before_refit": "offload_time",
    "checkpointing": "checkpoint_time",
    "idle/validation": "evaluation_time",
    "valid_tokens_per_sec_per_gpu": "trained_tokens_per_second_per_gpu",
}
_PERFORMANCE = {
    "samples_per_sec": "samples_per_second",
    "samples_per_sec_per_gpu": "samples_per_second_per_gpu",
    "tokens_per_sec": "tokens_per_second",
    "tokens_per_sec_per_gpu": "tokens_per_second_per_gpu",
    "policy_training_tokens_per_sec_per_gpu": "update_tokens_per_second_per_gpu",
    "policy_and_reference_logprobs_tokens_per_sec_per_gpu": "logprobs_tokens_per_second_per_gpu",
    "training_worker_group_tokens_per_sec": "training_tokens_per_second",
    "training_worker_group_tokens_per_sec_per_gpu": "training_tokens_per_second_per_gpu",
    "generation_tokens_per_sec": "generation_tokens_per_second",
    "generation_tokens_per_sec_per_gpu": "generation_tokens_per_second_per_gpu",
    "train_flops_per_gpu": "update_tflops_per_gpu",
    "train_fp_utilization": "model_flops_utilization",
    "average_token_imbalance": "generation_load_imbalance",
}
TAGS = {
    **UPDATE,
    **ROLLOUTS,
    **ENGINE,
    **{f"timing/train/{tag}": metric for tag, metric in _TIMES.items()},
    "timing/validation/total_validation_time": "evaluation_time",
    **{f"performance/{tag}": metric for tag, metric in _PERFORMANCE.items()},
    "validation/accuracy": "eval/reward",
    "validation/avg_length": "eval/length_mean",
}
_GROUPS = ("baseline_reward/pct_0", "baseline_reward/pct_1", "baseline_reward/pct_mixed")
SCALES = dict.fromkeys(_GROUPS, 0.01)  # percent
CAVEATS = (
    Caveat(("kl_penalty",), "Divided by the weight of the penalty; the literal 0 where there is no reference model."),
    Caveat(("probs_ratio_min", "probs_ratio_max"), "−1 stands for no valid value."),
    Caveat(
        ("gen_kl_error", "policy_kl_error"),
        "By the estimator of the KL to the reference, which is k3 unless it is set.",
    ),
    Caveat(_GROUPS, "Right where an answer gets either 0 or 1."),
    Caveat(("buffer_size",), "Groups of answers."),
    Caveat(("is_oob_ratio",), "Cut to the cap or, with icepop and seq-mask-tis, left out of the loss."),
    Caveat(
        tuple(f"max_gen_tokens_per_turn/{end}" for end in ("mean", "max", "p95")), "Of each rollout's longest turn."
    ),
)


def _read_traits(log: Log, algorithm: str) -> LogTraits:
    """Ignores a penalty that is always 0: it was never computed."""
    penalty = log.series.get("kl_penalty")
    is_absent = penalty is not None and not penalty.values.any()
    return LogTraits(algorithm, scales=SCALES, ignored=frozenset({"kl_penalty"}) if is_absent else frozenset())


TRAINERS = with_and_without_critic(
    "nemo-rl",
    TAGS,
    reward="reward",
    critic="critic/loss",
    recognise=recognised_by("train/token_mult_prob_error", "token_mult_prob_error"),
    caveats=CAVEATS,
    read_traits=_read_traits,
)
_LOSS, _GENERATION = "loss_fn", "policy.generation"
SETTINGS = {
    "learning_rate": ("policy.optimizer.kwargs.lr", "policy.megatron_cfg.optimizer.lr"),
    "max_grad_norm": ("policy.max_grad_norm",),
    "precision": ("policy.precision",),
    "temperature": (f"{_GENERATION}.temperature",),
    "top_k": (f"{_GENERATION}.top_k",),
    "top_p": (f"{_GENERATION}.top_p",),
    "max_tokens": (f"{_GENERATION}.max_new_tokens",),
    "num_generations": ("grpo.num_generations_per_prompt",),
    "prompts_per_batch": ("grpo.num_prompts_per_step",),
    "answers_per_update": ("policy.train_global_batch_size",),
    "epsilon": (f"{_LOSS}.ratio_clip_min",),
    "epsilon_high": (f"{_LOSS}.ratio_clip_max",),
    "kl_weight": (f"{_LOSS}.reference_policy_kl_penalty",),
    "is_correction": (f"{_LOSS}.use_importance_sampling_correction",),
    "mask_truncated": ("grpo.overlong_filtering",),
    "dataset": ("data.dataset_name",),
    "model": ("policy.model_name",),
    "chat_template": ("policy.tokenizer.chat_template",),
    "max_steps": ("grpo.max_num_steps",),
    "num_nodes": ("cluster.num_nodes",),
    "gpus_per_node": ("cluster.gpus_per_node",),
    "routing_replay": ("policy.router_replay.enabled",),
    "staleness_bound": ("grpo.async_grpo.max_trajectory_age_steps",),
    "engine_memory": (f"{_GENERATION}.vllm_cfg.gpu_memory_utilization",),
}
PRODUCER = Producer("nemo-rl", TRAINERS, settings=SETTINGS, notation="override")
