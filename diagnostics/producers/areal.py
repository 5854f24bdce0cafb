"""AReaL: `areal/trainer/ppo/actor.py`, `critic.py` and `utils/stats_tracker.py`."""

from collections.abc import Mapping

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

_ENDS = {"avg": "mean", "min": "min", "max": "max"}
_ACTOR, _UPDATE, _CRITIC = "ppo_actor", "ppo_actor/update", "ppo_critic"
_LOGP, _VERSIONS = f"{_UPDATE}/compute_logp", f"{_UPDATE}/version_stats"
_STATISTICS = {
    f"{_ACTOR}/advantages": "advantages",
    f"{_ACTOR}/final_reward": "token_reward",
    f"{_ACTOR}/prompt_len": "query_length",
    f"{_ACTOR}/seq_len": "total_length",
    f"{_ACTOR}/correct_seq_len": "right_length",
    f"{_ACTOR}/incorrect_seq_len": "wrong_length",
    f"{_UPDATE}/importance_weight": "ratio",
    f"{_UPDATE}/new_logp": "new_logprobs",
    f"{_UPDATE}/old_logp": "engine_logprobs",
    f"{_UPDATE}/clipped_new_logp": "part/clipped/new_logprobs",
    f"{_UPDATE}/clipped_old_logp": "part/clipped/engine_logprobs",
    f"{_UPDATE}/vocab_min_logits": "smallest_logit",
    f"{_UPDATE}/vocab_max_logits": "largest_logit",
    f"{_LOGP}/prox_logp_gt": "logprobs",
    f"{_CRITIC}/old_value": "value",
    f"{_CRITIC}/target_value": "returns",
    f"{_CRITIC}/clipped_old_value": "part/clipped/value",
}
"""Whose mean is called so too: `advantages_mean`."""
_MEANS = {
    f"{_ACTOR}/kl_rewards": "non_score_reward_per_token",
    f"{_UPDATE}/approx_kl": "policy_kl",
    f"{_UPDATE}/entropy": "entropy_per_token",
    f"{_UPDATE}/actor_loss": "policy_loss",
    f"{_CRITIC}/new_value": "value_prediction",
    f"{_CRITIC}/clipped_new_value": "part/clipped/value_prediction",
}
_ENGINE_MEANS = {
    f"{_UPDATE}/behave_approx_kl": "engine_kl_k1",
    f"{_LOGP}/kl_div_direct": "engine_kl_k1",
    f"{_LOGP}/kl_div_dual": "engine_kl",
    f"{_LOGP}/kl_div_taylor": "engine_kl_k2",
}
"""Whose mean has the name of the whole: `policy_kl`."""
_ZEROS_AND_ONES = {
    f"{_ACTOR}/no_eos_ratios": ("truncated_fraction", "truncated"),
    f"{_UPDATE}/clip_ratio": ("clip_fraction", "clipped"),
    f"{_UPDATE}/dual_clip_ratio": ("dual_clip_fraction", "dual_clipped"),
}
_NEGATED = (f"{_UPDATE}/approx_kl", f"{_UPDATE}/behave_approx_kl")
"""Negated k1 estimates: the smallest is the largest with the other sign."""
_OPPOSITE = {"avg": "avg", "min": "max", "max": "min"}


def _around(means: Mapping[str, str]) -> dict[str, str]:
    """The mean by its name alone, the smallest and largest by its name with an end."""
    ends = {"avg": "", "min": "_min", "max": "_max"}
    return {
        f"{tag}/{end}": stem + ends[_OPPOSITE[end] if tag in _NEGATED else end]
        for tag, stem in means.items()
        for end in ends
    }


def _shares() -> dict[str, str]:
    """The mean of zeros and ones is a share, the smallest says whether all are 1, the largest whether any is."""
    return {
        f"{tag}/{end}": name
        for tag, (share, stem) in _ZEROS_AND_ONES.items()
        for end, name in {"avg": share, "min": f"all_{stem}", "max": f"any_{stem}"}.items()
    }


LEARNING = {
    "ppo_actor/task_reward/min": "score_min",
    "ppo_actor/task_reward/max": "score_max",
    "rollout/reward": "reward",
    "ppo_critic/clip_ratio/avg": "value_clip_fraction",
    "ppo_critic/critic_loss/min": "value_loss_min",
    "ppo_critic/critic_loss/max": "value_loss_max",
    "ppo_actor/eps_clip": "clip_range",
    "ppo_actor/update/grad_norm": "grad_norm",
    "ppo_actor/update/update_successful": "successful_updates_fraction",
    "ppo_actor/update/lr": "learning_rate",
    "ppo_critic/grad_norm": "value_grad_norm",
    "ppo_critic/lr": "value_learning_rate",
    "ppo_actor/n_seqs": "trained_samples",
    "ppo_actor/correct_n_seqs": "part/right/trained_samples",
    "ppo_actor/incorrect_n_seqs": "part/wrong/trained_samples",
    "ppo_actor/n_tokens": "padded_tokens",
    "ppo_actor/update/n_tokens": "forwarded_tokens",
    "ppo_actor/n_valid_tokens": "step_tokens",
    "ppo_actor/update/n_valid_tokens": "step_tokens",
    "ppo_actor/update/clipped_tokens": "clipped_tokens",
    "ppo_actor/update/dual_clipped_tokens": "dual_clipped_tokens",
    "ppo_actor/update/version_stats/v_theta": "policy_version",
    "ppo_actor/update/version_stats/v_proximal": "policy_version",
    "ppo_actor/update/version_stats/n_valid_generated_tokens": "microbatch_tokens_mean",
    **{f"{tag}/{end}": f"{stem}_{name}" for tag, stem in _STATISTICS.items() for end, name in _ENDS.items()},
    **_around(_MEANS),
    **_shares(),
}
_STALENESS = {
    f"{_VERSIONS}/sample_staleness_{policy}_{end}": f"staleness_{name}"
    for policy in ("theta", "proximal")
    for end, name in _ENDS.items()
}
ENGINE = {
    "ppo_actor/update/behave_imp_weight/avg": "importance_ratio_mean",
    "ppo_actor/update/behave_imp_weight/min": "importance_ratio_min",
    "ppo_actor/update/behave_imp_weight/max": "importance_ratio_max",
    "ppo_actor/update/rs_filtered_fraction": "correction_masked_fraction",
    "ppo_actor/update/unclipped_behave_tokens": "correction_kept_tokens",
    "ppo_actor/update/compute_logp/n_valid_tokens": "correction_kept_tokens",
    "ppo_actor/update/version_stats/n_valid_tokens": "correction_kept_tokens",
    **_around(_ENGINE_MEANS),
    **_STALENESS,
}
TIMES = {
    "timeperf/rollout": "rollout_wait_time",
    "timeperf/recompute_logp": "old_logprobs_time",
    "timeperf/ref_logp": "reference_time",
    "timeperf/critic_values": "values_time",
    "timeperf/compute_advantage": "advantages_time",
    "timeperf/train_step": "update_time",
    "timeperf/critic_train_step": "value_update_time",
    "timeperf/update_weights": "weight_sync_time",
    "timeperf/save": "checkpoint_time",
    "timeperf/checkpoint_for_recover": "recovery_checkpoint_time",
    "timeperf/eval": "evaluation_time",
    "timeperf/clear_batches": "data_time",
    "timeperf/rollout_offload": "offload_time",
    "timeperf/rollout_onload": "onload_time",
    "eval-rollout/reward": "eval/reward",
}
TAGS = {**LEARNING, **ENGINE, **TIMES}
_STALE = tuple(tag for tag in ENGINE if "kl_div" in tag)
_TURNED = tuple(f"{tag}/{end}" for tag in _NEGATED for end in _ENDS)
CAVEATS = (
    Caveat(
        _TURNED, "AReaL logs the negated k1 estimate: its sign is turned here, and so least and most change places."
    ),
    Caveat(_STALE, "Between the policy in training and the one that sampled: stale weights are in it."),
    Caveat(
        tuple(f"ppo_actor/{which}_seq_len/{end}" for which in ("correct", "incorrect") for end in _ENDS),
        "With the prompt; right is a reward above 0.",
    ),
    Caveat(("ppo_actor/correct_n_seqs", "ppo_actor/incorrect_n_seqs"), "Right is a reward above 0."),
    Caveat(
        tuple(f"ppo_actor/no_eos_ratios/{end}" for end in _ENDS),
        "Completions as long as the longest row of the batch, whatever ended them.",
    ),
    Caveat(
        tuple(tag for tag in LEARNING if "old_logp" in tag),
        "Computed again by the trainer where `recompute_logprob` is set and the loss is not decoupled.",
    ),
    Caveat(("timeperf/rollout",), "Until a batch was there, also where samples are generated beside the training."),
    Caveat(
        tuple(_STALENESS),
        "Over tokens, against the version that the update makes; the mean over micro-batches of each statistic.",
    ),
    Caveat((f"{_VERSIONS}/v_proximal",), "One more than the version that is logged, which is one behind."),
)
SCALES = dict.fromkeys(_TURNED, -1.0)
OFFSETS = {
    f"{_VERSIONS}/v_proximal": 1.0,
    **{f"{_VERSIONS}/sample_staleness_proximal_{end}": 1.0 for end in _ENDS},  # against the version before
}


def _read_traits(log: Log, algorithm: str) -> LogTraits:
    return LogTraits(algorithm, scales=SCALES, offsets=OFFSETS)


TRAINERS = with_and_without_critic(
    "areal",
    TAGS,
    reward="ppo_actor/task_reward/avg",
    critic="ppo_critic/critic_loss/avg",
    recognise=recognised_by("ppo_actor/task_reward/avg"),
    caveats=CAVEATS,
    read_traits=_read_traits,
)
SETTINGS = {"staleness_bound": ("rollout.max_head_offpolicyness",)}
PRODUCER = Producer("areal", TRAINERS, settings=SETTINGS, notation="override")
