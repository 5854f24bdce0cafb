"""SkyRL: `skyrl/train/trainer.py`, `train/generators/utils.py` and `backends/skyrl_train/workers/worker.py`."""

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, recognised_by
from diagnostics.producers.trl.trainer_rows import total_steps
from diagnostics.producers.with_and_without_critic import with_and_without_critic

_ENDS = ("mean", "p90", "max")
TAGS = {
    "loss/avg_final_rewards": "rlhf_reward",
    "policy/policy_kl": "kl_per_token",
    "loss/avg_kl": "kl_per_token",
    "loss/kl_loss_coef": "kl_coef",
    "policy/policy_entropy": "entropy_per_token",
    "policy/final_loss": "loss",
    "policy/policy_loss": "policy_loss",
    "policy/loss_metrics/clip_ratio": "clip_fraction",
    "policy/ppo_clip_ratio": "clip_fraction",
    "critic/values_clipfrac": "value_clip_fraction",
    "critic/values_mean": "value_mean",
    "policy/grad_norm": "grad_norm",
    "policy/raw_grad_norm": "grad_norm",
    "policy/policy_lr": "learning_rate",
    "generate/avg_num_tokens": "length_mean",
    "generate/min_num_tokens": "length_min",
    "generate/max_num_tokens": "length_max",
    "generate/std_num_tokens": "length_std",
    "loss/avg_raw_advantages": "advantages_mean",
    "policy/rollout_train_logprobs_abs_diff_mean": "engine_logprob_difference",
    "policy/rollout_train_logprobs_abs_diff_max": "engine_logprob_difference_max",
    "policy/rollout_train_logprobs_abs_diff_min": "engine_logprob_difference_min",
    "policy/rollout_train_logprobs_abs_diff_std": "engine_logprob_difference_std",
    "policy/loss_metrics/is_ratio_mean": "importance_ratio_mean",
    "policy/loss_metrics/is_ratio_min": "importance_ratio_min",
    "policy/loss_metrics/is_ratio_max": "importance_ratio_max",
    "policy/loss_metrics/is_ratio_std": "importance_ratio_std",
    "critic/critic_lr": "value_learning_rate",
    "critic/grad_norm": "value_grad_norm",
    "generate/batch_num_seq": "trained_samples",
    "generate/batch_padded_seq_len": "padded_length",
    "policy/response_length": "padded_length",
    "loss/avg_raw_advantages_abs": "advantages_abs_mean",
    "reward/mean_positive_reward": "positive_reward",
    "eval/all/mean_positive_reward": "eval/positive_reward",
    "generate/avg_tokens_non_zero_rewards": "right_length_mean",
    "generate/avg_tokens_zero_rewards": "wrong_length_mean",
    "generate/tokens_per_turn_mean": "turn_length_mean",
    "generate/tokens_per_turn_std": "turn_length_std",
    "generate/tokens_per_turn_max": "turn_length_max",
    **{f"generate/trajectory_time_completion_{end}": f"rollout_seconds_{end}" for end in _ENDS},
    **{f"generate/trajectory_time_llm_{end}": f"rollout_generation_seconds_{end}" for end in _ENDS},
    **{f"generate/trajectory_time_env_{end}": f"rollout_tool_seconds_{end}" for end in _ENDS},
    "trainer/epoch": "epoch",
    "trainer/tokens_per_second_per_gpu": "update_tokens_per_second_per_gpu",
    "timing/step": "step_time",
    "timing/generate": "generation_time",
    "timing/wait_for_generation_buffer": "rollout_wait_time",
    "timing/fwd_logprobs_values_reward": "logprobs_time",
    "timing/compute_advantages_and_returns": "advantages_time",
    "timing/train_critic_and_policy": "training_time",
    "timing/policy_train": "update_time",
    "timing/critic_train": "value_update_time",
    "timing/sync_weights": "weight_sync_time",
    "timing/sync_weights_to_inference_engines": "weight_sync_time",
    "timing/convert_to_training_input": "data_time",
    "timing/save_checkpoints": "checkpoint_time",
    "timing/eval": "evaluation_time",
    "timing/log_train_results": "logging_time",
    "system/process_rss_gb": "process_memory",
    "async/staleness_mean": "staleness_mean",
    "async/staleness_max": "staleness_max",
    "async/staleness_min": "staleness_min",
    "async/staleness_ratio": "stale_fraction",
    "async/discard_rate": "dropped_fraction",
    "async/keep_rate": "dropped_fraction",
    "async/num_groups_dropped": "dropped_groups",
    "async/gen_buffer_qsize_at_wait_start": "queue_size",
    "eval/all/avg_score": "eval/reward",
}
FAMILIES = {
    "reward/avg_pass_at_{name}": "pass_at_n",
    "eval/all/pass_at_{name}": "eval/pass_at_n",
}
CAVEATS = (
    Caveat(("policy/loss_metrics/clip_ratio",), "0 throughout under losses that clip nothing."),
    Caveat(
        ("generate/avg_tokens_non_zero_rewards", "generate/avg_tokens_zero_rewards"),
        "Right is what gets any reward but 0.",
    ),
    Caveat(("async/keep_rate",), "Derived: 1 − the share of groups that are kept."),
    Caveat(("async/gen_buffer_qsize_at_wait_start",), "Groups of answers."),
)


def read_traits(log: Log, algorithm: str) -> LogTraits:
    """The share of groups that are kept becomes that of those that are not."""
    scales, offsets = {"async/keep_rate": -1.0}, {"async/keep_rate": 1.0}
    return LogTraits(algorithm, scales=scales, offsets=offsets, total=total_steps(log))


TRAINERS = with_and_without_critic(
    "skyrl",
    TAGS,
    reward="reward/avg_raw_reward",
    critic="critic/critic_loss",
    recognise=recognised_by("reward/avg_raw_reward"),
    families=FAMILIES,
    caveats=CAVEATS,
    read_traits=read_traits,
)
_ALGORITHM, _SAMPLING, _PLACEMENT = "trainer.algorithm", "generator.sampling_params", "trainer.placement"
SETTINGS = {
    "advantage_estimator": (f"{_ALGORITHM}.advantage_estimator",),
    "learning_rate": ("trainer.policy.optimizer_config.lr",),
    "max_grad_norm": ("trainer.policy.optimizer_config.max_grad_norm",),
    "temperature": (f"{_SAMPLING}.temperature",),
    "top_k": (f"{_SAMPLING}.top_k",),
    "top_p": (f"{_SAMPLING}.top_p",),
    "min_p": (f"{_SAMPLING}.min_p",),
    "max_tokens": (f"{_SAMPLING}.max_generate_length",),
    "num_generations": ("generator.n_samples_per_prompt",),
    "epochs": ("trainer.update_epochs_per_batch",),
    "prompts_per_batch": ("trainer.train_batch_size",),
    "prompts_per_update": ("trainer.policy_mini_batch_size",),
    "epsilon": (f"{_ALGORITHM}.eps_clip_low",),
    "epsilon_high": (f"{_ALGORITHM}.eps_clip_high",),
    "kl_weight": (f"{_ALGORITHM}.kl_loss_coef", f"{_ALGORITHM}.init_kl_coef"),
    "use_kl_loss": (f"{_ALGORITHM}.use_kl_loss",),
    "use_kl_in_reward": (f"{_ALGORITHM}.use_kl_in_reward",),
    "reward_model": ("trainer.reward.model.path",),
    "dataset": ("data.train_data",),
    "model": ("trainer.policy.model.path",),
    "value_clip_range": (f"{_ALGORITHM}.value_clip",),
    "staleness_bound": ("trainer.fully_async.max_staleness_steps",),
    "engine_memory": ("generator.gpu_memory_utilization",),
    "resumed_from": ("trainer.resume_path",),
    "num_nodes": (f"{_PLACEMENT}.policy_num_nodes",),
    "gpus_per_node": (f"{_PLACEMENT}.policy_num_gpus_per_node",),
}
SWITCHES = {
    f"{_ALGORITHM}.kl_loss_coef": f"{_ALGORITHM}.use_kl_loss",
    f"{_ALGORITHM}.init_kl_coef": f"{_ALGORITHM}.use_kl_in_reward",
    f"{_PLACEMENT}.policy_num_gpus_per_node": f"{_PLACEMENT}.colocate_all",  # else they are not all of them
}
PRODUCER = Producer("skyrl", TRAINERS, settings=SETTINGS, switches=SWITCHES, neutral={"top_k": -1}, notation="override")
