"""ROLL's metric tags: of a batch, of one domain of it, of agents, of the system.

`roll/pipeline/rlvr/`, `pipeline/agentic/`, `utils/functionals.py`, `utils/metrics/`; `train_infer_corrections.py`.
Right is an answer with a score of 1, wrong one with a score of 0.
"""

from diagnostics.model.vocabulary import ALL_PREFIX, PART_PREFIX

ENDS = ("mean", "min", "max")
_SPREAD = (*ENDS, "std")
HALVES = {"right": "right", "error": "wrong"}
REWARD = "critic/score/mean"


def of_statistics(prefix: str, stem: str, ends: tuple[str, ...] = ENDS) -> dict[str, str]:
    """`prefix/mean` → `stem_mean`, and so on."""
    return {f"{prefix}/{end}": f"{stem}_{end}" for end in ends}


ANSWERS = {
    **of_statistics("critic/score", "score", ("min", "max")),
    "critic/rewards/mean": "rlhf_reward",
    **of_statistics("critic/rewards", "rlhf_reward", ("min", "max")),
    "critic/score_distribution/correct_samples_ratio": "right_fraction",
    "critic/score_distribution/incorrect_samples_ratio": "wrong_fraction",
    **of_statistics("critic/values", "value"),
    **of_statistics("critic/advantages", "advantages"),
    **of_statistics("critic/raw_advantages", "raw_advantages"),
    **of_statistics("critic/returns", "returns"),
    **{
        tag: f"{PART_PREFIX}{half}/{metric}"
        for word, half in HALVES.items()
        for kind in ("advantages", "raw_advantages")
        for tag, metric in of_statistics(f"critic/{word}_response/{kind}", kind, _SPREAD).items()
    },
    **of_statistics("token/prompt_length", "query_length"),
    **of_statistics("token/response_length", "length"),
    "token/response_length/diff": "length_range",
    **of_statistics("token/total_length", "total_length"),
    "token/total_length/diff": "total_length_range",
    "token/total_response_length/clip": "truncated_samples",
    **{f"token/{word}_response_length/clip": f"part/{half}/truncated_samples" for word, half in HALVES.items()},
    **{
        tag: metric
        for word, half in HALVES.items()
        for tag, metric in of_statistics(f"token/{word}_response_length", f"{half}_length").items()
    },
}
"""Of the batch, and of each domain."""
BY_DOMAIN = {
    "actor/final_mask_ratio": "kept_fraction",
    "actor/max_len_mask_ratio": "kept_by_length_fraction",
    "actor/difficulty_mask_ratio": "kept_by_difficulty_fraction",
    "actor/error_len_mask_ratio": "kept_by_wrong_length_fraction",
    "actor/samples_used": "trained_samples",
    "actor/samples_total": "step_samples",
    "critic/kl": "kl_per_token",
    "critic/kl_coef": "kl_coef",
    "critic/reward_clip_frac": "reward_clipped_fraction",
    "critic/token_reward_clip_frac": "token_reward_clipped_fraction",
    "critic/advantage_clip_frac": "advantage_clipped_fraction",
    "time/get_sample_level_mask": "filter_time",
    "time/reward_postprocess": "reward_normalisation_time",
    "time/get_token_reward": "token_rewards_time",
    "time/compute_advantage": "advantages_time",
    "scheduler/collect_query_count": "step_prompts",
    "scheduler/query_use_count": "step_prompts",
    "scheduler/off_policy_ratio": "staleness_mean",
}
"""Of each domain alone; of the batch in other pipelines and versions."""
UPDATE = {
    "critic/entropy/mean": "entropy_per_token",
    "critic/correct/mean": "reward_func_mean/correct",
    "actor/kl_loss": "kl_per_token",
    "actor/approxkl": "approx_kl",
    "actor/policykl": "policy_kl",
    "actor/total_loss": "loss",
    "actor/pg_loss": "policy_loss",
    "actor/weighted_pg_loss": "weighted_policy_loss",
    **{f"actor/sample_weights_{end}": f"sample_weight_{end}" for end in ENDS},
    **{f"actor/ratio_{end}": f"ratio_{end}" for end in ENDS},
    "actor/ppo_ratio_clipfrac": "clip_ratio_region_mean",
    "actor/clipfrac": "clip_fraction",
    "actor/ppo_ratio_low_clipfrac": "clip_ratio_low_mean",
    "actor/ppo_ratio_high_clipfrac": "clip_ratio_high_mean",
    "actor/cispo_clipped_ratio_mean": "cispo_clip_fraction",
    "actor/is_weight_clipfrac": "correction_capped_fraction",
    "actor/train_infer_ratio_token_mean": "importance_ratio_mean",
    **{
        f"actor/train_infer_ratio_{level}_mean": f"{level}_importance_ratio_mean"
        for level in ("geometric", "segment", "sequence")
    },
    **{
        f"actor/train_infer_diff_{level}_mean": "engine_probability_shift"
        for level in ("token", "geometric", "segment")
    },
    "actor/train_infer_diff_sequence_mean": "engine_probability_shift_per_sequence",
    "actor/backward_steps": "microbatches",
    "actor/valid_samples": "update_samples",
    "actor/total_samples": "all/update_samples",
    "actor/valid_sample_ratio": "update_samples_fraction",
    "mask/final_mask_sum_eq_0": "empty_step",
    "actor_train/grad_norm": "grad_norm",
    "actor/lr": "learning_rate",
    "critic/clipfrac": "value_clip_fraction",
    "critic/lr": "value_learning_rate",
    "critic_train/grad_norm": "value_grad_norm",
    "critic/vpred": "value_prediction",
    "critic/value": "value_mean",
    "critic/error": "value_error",
    "critic/old_log_prob/mean": "logprobs_mean",
    "critic/ref_log_prob/mean": "ref_logprobs_mean",
}
GROUPS = {
    "group/all_correct_groups_ratio": "solved_group_fraction",
    "group/all_incorrect_groups_ratio": "failed_group_fraction",
    "group/mixed_groups_ratio": "mixed_group_fraction",
    "group/correct_ratio/mean": "right_fraction",
    "group/correct_ratio/std": "group_right_fraction_std",
    **of_statistics("group/response_length_diff", "group_length_range"),
    **of_statistics("group/advantage_diff", "group_advantage_range"),
    **of_statistics("group/correct_vs_incorrect_advantage_diff", "group_advantage_gap", ("mean", "std")),
}
TRAJECTORIES = {
    **of_statistics("tokens/prompt_length", "query_length"),
    **of_statistics("tokens/response_length", "length"),
    **of_statistics("rollout/prompt_length", f"{ALL_PREFIX}query_length"),
    **of_statistics("rollout/response_length", f"{ALL_PREFIX}length"),
    "rollout/score/mean": f"{ALL_PREFIX}score",
    **of_statistics("rollout/score", f"{ALL_PREFIX}score", ("min", "max")),
}
"""Of agents: those of the batch, and those that were rolled out."""
SYSTEM = {
    "system/samples": "episodes",
    "system/batch_size": "step_samples",
    "system/tps": "tokens_per_second",
    "system/tps/tps": "tokens_per_second",
    "system/tps_gpu": "tokens_per_second_per_gpu",
    "system/actor_infer/tps": "rollout_tokens_per_second",
    "system/actor_infer/tps_gpu": "rollout_tokens_per_second_per_gpu",
    "system/actor_infer/tps_dp": "rollout_tokens_per_second_per_replica",
    "system/actor_infer_response/tps": "generation_tokens_per_second",
    "system/actor_infer/response/tps_gpu": "generation_tokens_per_second_per_gpu",
    "system/actor_infer/response/tps_dp": "generation_tokens_per_second_per_replica",
    "system/actor_train/tps": "update_tokens_per_second",
    "system/actor_train/tps_gpu": "update_tokens_per_second_per_gpu",
    "system/actor_train/tps_dp": "update_tokens_per_second_per_replica",
    "system/time/tps_mean": "step_time_average",
    "system/time/actor_infer_mean": "generation_time_average",
    "system/time/actor_infer_response_mean": "generation_time_average",
    "system/time/actor_train_mean": "update_time_average",
    **of_statistics("global_seqlen/actor_train", "rank_tokens"),
    "global_seqlen/actor_train/minmax_diff": "rank_tokens_range",
    **{f"global_seqlen/actor_train/balanced_{end}": f"balanced_rank_tokens_{end}" for end in ("min", "max")},
    "system/max_memory_allocated": "gpu_memory_allocated",
    "system/max_memory_reserved": "gpu_memory_reserved",
    "memory/cpu/actor_train/train_step/end/rss": "process_memory",
    "memory/actor_train/train_step/end/onload/max_allocated/0": "gpu_memory_allocated",
    "memory/actor_train/train_step/end/onload/max_reserved/0": "gpu_memory_reserved",
}
TIMES = {
    "time/step_total": "step_time",
    "time/step_generate": "generation_time",
    "time/step_rollout": "generation_time",
    "time/ref_log_probs_values": "reference_time",
    "time/step_ref_log_probs_values_reward": "reference_time",
    "time/old_log_probs": "old_logprobs_time",
    "time/step_old_log_probs_values": "old_logprobs_time",
    "time/adv": "advantages_time",
    "time/step_adv": "advantages_time",
    "time/step_cal_norm_rewards": "reward_normalisation_time",
    "time/step_cal_token_reward": "token_rewards_time",
    "time/step_cal_response_level_mask": "filter_time",
    "time/step_train": "update_time",
    "time/step_stop_server": "weight_sync_pause_time",
    "time/step_model_update": "weight_sync_time",
    "time/actor_train/do_checkpoint/total": "checkpoint_time",
    "time/val_step": "evaluation_time",
    "time/step_val": "evaluation_time",
    "time/step_log": "logging_time",
    "time/actor_train/train_step/onload": "onload_time",
    "time/actor_train/train_step/offload": "offload_time",
}
TAGS = {**ANSWERS, **BY_DOMAIN, **UPDATE, **GROUPS, **TRAJECTORIES, **SYSTEM, **TIMES}
