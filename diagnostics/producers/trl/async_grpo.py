"""What TRL's AsyncGRPOTrainer logs beside GRPOTrainer's names: `trl/experimental/async_grpo/`, 1.12 to 1.16.

Totals are sums over what one row covers, not since the start. 1.18 makes the trainer stable and takes over the names of
GRPOTrainer, so one table holds those of both.
"""

from diagnostics.producers.log import Log

TIMES = {
    "perf/step_s": "step_time",
    "perf/fwd_bwd_s": "forward_backward_time",
    "perf/fwd_s": "forward_time",
    "perf/optimizer_s": "optimizer_time",
    "perf/rollout_wait_s": "rollout_wait_time",
    "perf/weight_sync_s": "weight_sync_time",
    "perf/weight_sync_pause_s": "weight_sync_pause_time",
    "perf/weight_sync_barrier_s": "weight_sync_barrier_time",
    "perf/weight_sync_transfer_s": "weight_sync_transfer_time",
    "rollout/duration_s": "rollout_seconds_mean",
    "rollout/backpressure_s": "backpressure_time",
    "rollout/score_s": "reward_time",
    "rollout/score_wait_s": "reward_wait_seconds",
    "rollout/score_block_s": "reward_backpressure_time",
    "rollout/score_queue_size": "reward_queue_size",
}
THROUGHPUT = {
    "perf/mfu_fwd_bwd": "model_flops_utilization",
    "perf/mfu_wall_clock": "model_flops_utilization_wall_clock",
    "perf/forwarded_tok_s_fwd_bwd": "update_tokens_per_second",
    "perf/forwarded_tok_s_wall_clock": "tokens_per_second",
    "perf/trained_tok_s_wall_clock": "trained_tokens_per_second",
    "rollout/generated_tok_s": "generation_tokens_per_second",
    "batch/microbatches_per_step": "microbatches",
    "batch/forwarded_tokens_per_step": "forwarded_tokens",
    "batch/trained_tokens_per_step": "step_tokens",
    "batch/samples_per_row": "samples_per_row",
    "batch/row_tokens_mean": "row_tokens_mean",
    "batch/row_tokens_max": "row_tokens_max",
    "batch/row_imbalance": "row_imbalance",
    "batch/packing_ratio": "packing_ratio",
    "batch/row_fill_frac": "row_fill_fraction",
    "batch/pad_frac": "padding_fraction",
    "batch/masked_token_frac": "untrained_token_fraction",
    "sample/forwarded_tokens_mean": "sample_tokens_mean",
    "sample/forwarded_tokens_max": "sample_tokens_max",
}
STALENESS = {
    "sample/staleness_mean": "staleness_mean",
    "sample/staleness_max": "staleness_max",
    "sample/dropped_stale_total": "dropped_samples",
    "batch/dropped_oversize_total": "dropped_oversize_samples",
    "batch/samples_per_step": "trained_samples",
    "batch/groups_per_step": "trained_groups",
    "sample/trained_tokens_mean": "trained_length_mean",
    "sample/rollout_queue_size": "queue_size",
    "sample/time_in_queue_s": "queue_seconds",
    "rollout/inflight": "rollouts_in_flight",
}
ENVIRONMENT = {
    "rollout/turns_mean": "turns_mean",
    "rollout/turns_max": "turns_max",
    "rollout/samples_per_rollout": "sequences_per_rollout_mean",
    "rollout/fork_frac": "history_fork_fraction",
    "rollout/realign_frac": "history_realign_fraction",
    "rollout/drift_tokens_mean": "retokenisation_drift",
    "rollout/drift_tokens_max": "retokenisation_drift_max",
    "rollout/vllm_retry_total": "engine_retries",
    "rollout/correctness_mean": "reward_func_mean/correct",
    "tools/unknown_name_total": "unknown_tool_calls",
    "tools/loop_exhausted_frac": "tool_loop_exhausted_fraction",
    "tools/latency_s": "tool_call_seconds",
    "tools/parallel_calls_mean": "parallel_tool_calls",
    "env/reset_s": "environment_reset_seconds",
    "env/reward_s": "environment_reward_seconds",
}
OLDER = {
    "step_time_s": "step_time",
    "iteration_time_s": "step_time",
    "forward_time_s": "forward_time",
    "weight_sync_time_s": "weight_sync_time",
    "training_tok/s": "trained_tokens_per_second",
    "generation_tok_per_s": "generation_tokens_per_second",
    "scoring_time_ms": "reward_time",
    "wait_scoring_ms": "reward_wait_seconds",
    "buffer_qsize": "queue_size",
    "queue_wait_time_s": "queue_seconds",
}
"""Up to 1.15, with milliseconds."""
TAGS = {**TIMES, **THROUGHPUT, **STALENESS, **ENVIRONMENT, **OLDER, "ratio": "ratio_mean"}
SCALES = {"scoring_time_ms": 1e-3, "wait_scoring_ms": 1e-3}
MARKS = ("sample/staleness_mean", "rollout/generated_tok_s", "weight_sync_time_s", "generation_tok_per_s")
"""Tags of which one is enough to know an asynchronous log by."""
OF_THE_ENGINE = ("ratio", "kl")


def renamed(log: Log) -> dict[str, str]:
    """Without a weight there is no reference model, and the KL is that to the rollout engine; where an iteration is
    timed, a step is its forward and backward passes."""
    kl = {} if log.config.get("beta") else {"kl": "engine_kl"}
    step = {"step_time": "forward_backward_time"} if log.has("iteration_time_s") else {}
    return {**kl, **step}
