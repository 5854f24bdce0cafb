"""verl's metric tags: of its trainer, its agent loop, its rollout correction and its asynchronous trainers.

`verl/trainer/ppo/metric_utils.py`, `ray_trainer.py`, `v1/`, `core_algos.py`, `rollout_corr_helper.py`;
`workers/engine_workers.py`; `experimental/agent_loop/` and `experimental/fully_async_policy/`.
"""

from collections.abc import Iterable, Mapping
from itertools import product

Tags = Mapping[str, str]

_ENDS = ("mean", "min", "max")


def of_statistics(prefix: str, stem: str, ends: Iterable[str] = _ENDS) -> dict[str, str]:
    """`prefix/mean` → `stem_mean`, and so on."""
    return {f"{prefix}/{end}": f"{stem}_{end}" for end in ends}


UPDATE: Tags = {
    "critic/score/min": "score_min",
    "critic/score/max": "score_max",
    "critic/rewards/mean": "rlhf_reward",
    **of_statistics("critic/rewards", "rlhf_reward", ("min", "max")),
    "actor/kl_loss": "kl_per_token",
    "actor/reward_kl_penalty": "kl_per_token",
    "critic/kl": "kl_per_token",
    "actor/reward_kl_penalty_coeff": "kl_coef",
    "actor/kl_coef": "kl_coef",
    "critic/kl_coeff": "kl_coef",
    "actor/ppo_kl": "policy_kl",
    "actor/entropy": "entropy_per_token",
    "actor/entropy_loss": "entropy_per_token",
    "actor/loss": "loss",
    "actor/pg_loss": "policy_loss",
    "actor/pg_clipfrac": "clip_fraction",
    "actor/pg_clipfrac_lower": "dual_clip_fraction",
    "critic/loss": "value_loss",
    "critic/vf_clipfrac": "value_clip_fraction",
    "critic/vf_explained_var": "explained_variance",
    **of_statistics("critic/values", "value"),
    "critic/vpred_mean": "value_prediction",
    **of_statistics("critic/advantages", "advantages"),
    **of_statistics("critic/returns", "returns"),
    "actor/grad_norm": "grad_norm",
    "actor/lr": "learning_rate",
    "actor/lr(1e-4)": "learning_rate",
    "critic/grad_norm": "value_grad_norm",
    "critic/lr": "value_learning_rate",
    "critic/lr(1e-4)": "value_learning_rate",
    "reward/all_correct_ratio": "reward_func_mean/correct",
    "reward/format_error_ratio": "reward_func_mean/format",
    "training/epoch": "epoch",
}
RESPONSES: Tags = {
    **of_statistics("response_length", "length"),
    "response_length/clip_ratio": "truncated_fraction",
    **{f"response_length_non_aborted/{end}": f"part/non-aborted/length_{end}" for end in _ENDS},
    "response_length_non_aborted/clip_ratio": "part/non-aborted/truncated_fraction",
    **of_statistics("prompt_length", "query_length"),
    "prompt_length/clip_ratio": "query_truncated_fraction",
    "response/aborted_ratio": "aborted_fraction",
    **of_statistics("num_turns", "turns"),
    **of_statistics("training/num_turns", "turns"),
    **{f"val-aux/num_turns/{end}": f"eval/turns_{end}" for end in _ENDS},
    "tool_call_counts/mean": "tool_call_frequency",
    **of_statistics("tool_call_counts", "tool_calls", ("min", "max")),
}
CORRECTION: Tags = {
    "training/rollout_probs_diff_mean": "engine_probability_difference",
    "training/rollout_probs_diff_max": "engine_probability_difference_max",
    "training/rollout_probs_diff_std": "engine_probability_difference_std",
    "training/rollout_actor_probs_pearson_corr": "engine_probability_correlation",
    **{
        f"{prefix}/{tag}": metric
        for prefix, (tag, metric) in product(
            ("rollout_corr", "mismatch", "actor/rollout_corr"),
            {
                "kl": "engine_kl_k1",
                "k3_kl": "engine_kl",
                "log_ppl_abs_diff": "engine_log_perplexity_difference",
                "rollout_ppl": "engine_perplexity",
                "training_ppl": "trainer_perplexity",
                "chi2_token": "engine_chi2",
                "rollout_is_mean": "importance_ratio_mean",
                "rollout_is_min": "importance_ratio_min",
                "rollout_is_max": "importance_ratio_max",
                "rollout_is_std": "importance_ratio_std",
                "rollout_is_eff_sample_size": "effective_sample_size",
                "rollout_is_oob_ratio": "correction_capped_fraction",
                "rollout_rs_masked_fraction": "correction_masked_fraction",
                "rollout_rs_seq_masked_fraction": "correction_masked_sequences_fraction",
            }.items(),
        )
    },
    "rollout/moe/max_vio/max": "moe_load_imbalance",
}
TIMES: Tags = {
    "timing_s/step": "step_time",
    "perf/time_per_step": "step_time",
    "timing_s/gen": "generation_time",
    "timing_s/generate_sequences": "generation_time",
    "timing_s/reward": "reward_time",
    "timing_s/ref": "reference_time",
    "timing_s/old_log_prob": "old_logprobs_time",
    "timing_s/values": "values_time",
    "timing_s/adv": "advantages_time",
    "timing_s/update_actor": "update_time",
    "timing_s/update_critic": "value_update_time",
    "timing_s/update_weights": "weight_sync_time",
    "timing_s/sync_rollout_weights": "weight_sync_time",
    "timing_s/param_sync": "weight_sync_time",
    "timing_s/timing_s/param_sync": "weight_sync_time",
    "timing_s/wait_for_enough_samples": "rollout_wait_time",
    "timing_s/wait_prev_gen": "rollout_wait_time",
    "timing_s/save_checkpoint": "checkpoint_time",
    "timing_s/testing": "evaluation_time",
    "timing_s/rollouter/validate_time": "evaluation_time",
    "timing_s/dump_rollout_generations": "logging_time",
    "timing_s/switch_wait": "policy_wait_time",
    "timing_s/start_profile": "profiling_time",
    "timing_s/stop_profile": "profiling_time",
}
_LOOP: Tags = {
    **of_statistics("agent_loop/generate_sequences", "rollout_seconds"),
    **of_statistics("agent_loop/tool_calls", "rollout_tool_seconds"),
    **of_statistics("agent_loop/compute_score", "rollout_reward_seconds"),
    "agent_loop/num_preempted/mean": "preemptions",
    **of_statistics("agent_loop/num_preempted", "preemptions", ("min", "max")),
    "agent_loop/slowest/generate_sequences": "slowest_generation_seconds",
    "agent_loop/slowest/tool_calls": "slowest_tool_seconds",
    "agent_loop/slowest/compute_score": "slowest_reward_seconds",
    "agent_loop/slowest/prompt_length": "slowest_prompt_length",
    "agent_loop/slowest/response_length": "slowest_length",
    "agent_loop/slowest/num_preempted": "slowest_preemptions",
}
AGENT_LOOP: Tags = {f"{prefix}{tag}": metric for prefix, (tag, metric) in product(("timing_s/", ""), _LOOP.items())}
PERFORMANCE: Tags = {
    "perf/throughput": "tokens_per_second_per_gpu",
    "perf/total_num_tokens": "step_tokens",
    "perf/mfu/actor": "model_flops_utilization",
    **{
        f"{prefix}perf/{tag}": metric
        for prefix, (tag, metric) in product(
            ("", "actor/"),
            {
                "max_memory_allocated_gb": "gpu_memory_allocated",
                "max_memory_reserved_gb": "gpu_memory_reserved",
                "cpu_memory_used_gb": "host_memory_used",
            }.items(),
        )
    },
    "actor/mfu": "model_flops_utilization",
    "perf/mfu/actor_infer": "logprobs_flops_utilization",
    "perf/mfu/critic": "value_flops_utilization",
    "critic/perf/max_memory_allocated_gb": "value_gpu_memory_allocated",
    "critic/perf/max_memory_reserved_gb": "value_gpu_memory_reserved",
    "critic/perf/cpu_memory_used_gb": "host_memory_used",
    "global_seqlen/minmax_diff": "rank_tokens_range",
    "global_seqlen/balanced_min": "balanced_rank_tokens_min",
    "global_seqlen/balanced_max": "balanced_rank_tokens_max",
    **of_statistics("global_seqlen", "rank_tokens"),
    "rollout/spec_accept_rate": "speculative_acceptance_fraction",
    "rollout/spec_accept_length": "speculative_acceptance_length",
}
ASYNCHRONOUS: Tags = {
    **of_statistics("training/off_policy/trajectory_staleness", "staleness"),
    **of_statistics("training/off_policy/trajectory_staleness_worst", "oldest_staleness"),
    **of_statistics("training/off_policy/trajectory_spans", "version_span"),
    "training/off_policy/evicted_samples": "dropped_samples",
    "training/filter_groups/evicted_samples": "dropped_groups",
    "training/rollout_failure/evicted_samples": "rollout_errors",
    "fully_async/count/dropped_stale_samples": "dropped_samples_total",
    "fully_async/count/total_generated_samples": "generated_samples_total",
    "fully_async/count/stale_samples_processed": "stale_samples",
    "fully_async/rollouter/step_generated_samples": "generated_samples",
    "fully_async/monitor/queue/mq_queue_size": "queue_size",
    "fully_async/monitor/active_tasks_size": "rollouts_in_flight",
    "fully_async/partial/partial_ratio": "partial_fraction",
    "fully_async/partial/max_partial_span": "version_span_max",
    "fully_async/trainer/idle_ratio": "idle_fraction",
    "fully_async/rollouter/idle_ratio": "rollout_idle_fraction",
    "fully_async/processing_time/avg": "rollout_seconds_mean",
    **{
        f"fully_async/processing_time/{end}": f"rollout_seconds_{name}"
        for end, name in {"min": "min", "max": "max", "tp50": "median", "tp95": "p95", "tp99": "p99"}.items()
    },
}
TAGS: Tags = {
    **UPDATE, **RESPONSES, **CORRECTION, **TIMES, **AGENT_LOOP, **PERFORMANCE, **ASYNCHRONOUS
}  # fmt: skip
IN_ASYNCHRONOUS_LOGS: Tags = {"timing_s/gen": "rollout_wait_time"}
"""What its asynchronous trainers call generating is the waiting for samples."""
GENERATES_ALONE = tuple(tag for tag, metric in TAGS.items() if metric.startswith("rollout_seconds_"))
"""Tags of a rollout's time without its tools and its reward."""
