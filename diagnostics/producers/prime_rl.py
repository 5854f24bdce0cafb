"""prime-rl: `src/prime_rl/trainer/rl/` and `orchestrator/`, through four generations of names.

The newest ones name a pool of episodes, a subset of it and an agent: `agg/effective/agent/reward/mean`, where `agg` is
every environment and `effective` what was trained on. Of several agents none is *the* reward.
"""

from collections.abc import Mapping

from diagnostics.language import N_
from diagnostics.model.vocabulary import ALL_PREFIX, PART_PREFIX
from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, Trainer, recognised_by

SUBSETS = ("effective", "all")
_ENDS = ("mean", "min", "max", "p10", "p90")
_OF_EPISODES = {
    "num_output_tokens": "length",
    "num_input_tokens": "query_length",
    "num_total_tokens": "total_length",
    "num_turns": "turns",
    "num_branches": "sequences_per_rollout",
}
_OF_AGENTS = {
    **_OF_EPISODES,
    "timing/total": "rollout_seconds",
    "timing/setup": "rollout_setup_seconds",
    "timing/agent": "rollout_agent_seconds",
    "timing/finalize": "rollout_finish_seconds",
    "timing/agent/model": "rollout_generation_seconds",
    "timing/agent/harness": "rollout_tool_seconds",
    "timing/scoring": "rollout_reward_seconds",
}
_SHARES = {
    "reward/mean": "reward",
    **{f"reward/{end}": f"score_{end}" for end in _ENDS[1:]},
    "is_truncated/mean": "truncated_fraction",
    "is_completed/mean": "completed_fraction",
    "has_error/mean": "rollout_error_fraction",
    "cancelled/mean": "cancelled_fraction",
    "solved_none": "failed_group_fraction",
    "solved_all": "solved_group_fraction",
    "solved_some": "mixed_group_fraction",
    "is_admitted/mean": "admitted_fraction",
    "is_trainable/mean": "trainable_fraction",
}
_EPISODE_SHARES = {tag: _SHARES[tag] for tag in ("has_error/mean", "cancelled/mean")}
OF_ALL = frozenset(
    {
        "rollout_error_fraction", "cancelled_fraction", "failed_group_fraction", "solved_group_fraction",
        "mixed_group_fraction", "admitted_fraction", "trainable_fraction",
    }
)  # fmt: skip
"""What is logged of every rollout alone, and so has no other meaning."""


def _with_ends(stems: Mapping[str, str]) -> dict[str, str]:
    return {f"{tag}/{end}": f"{stem}_{end}" for tag, stem in stems.items() for end in _ENDS}


def _named(metric: str, subset: str) -> str:
    return metric if subset == "effective" or metric in OF_ALL else ALL_PREFIX + metric


def _pools() -> dict[str, str]:
    """The families of every agent, of both subsets, in all environments and in each."""
    found: dict[str, str] = {}
    for subset in SUBSETS:
        for tag, metric in {**_SHARES, **_with_ends(_OF_AGENTS)}.items():
            name = _named(metric, subset)
            found[f"agg/{subset}/{{name}}/{tag}"] = name
            found[f"{{name}}/{subset}/agent/{tag}"] = f"{PART_PREFIX}{{name}}/{name}"
        for tag, metric in {**_with_ends(_OF_EPISODES), **_EPISODE_SHARES}.items():
            found[f"{{name}}/{subset}/{tag}"] = f"{PART_PREFIX}{{name}}/{_named(metric, subset)}"
    return found


EPISODES = {
    f"agg/{subset}/{tag}": _named(metric, subset)
    for subset in SUBSETS
    for tag, metric in {**_with_ends(_OF_EPISODES), **_EPISODE_SHARES}.items()
}
TRAINING = {
    "mismatch_kl/all/mean": "engine_kl",
    "mismatch_kl/all/max": "engine_kl_max",
    "mismatch_kl/all/std": "engine_kl_std",
    "masked_mismatch_kl/mean": "engine_kl_masked",
    "masked_mismatch_kl/max": "engine_kl_masked_max",
    "unmasked_mismatch_kl/mean": "engine_kl_unmasked",
    "unmasked_mismatch_kl/max": "engine_kl_unmasked_max",
    "entropy/all/mean": "entropy_per_token",
    "entropy/all/std": "entropy_per_token_std",
    "entropy/all/max": "entropy_per_token_max",
    "loss/mean": "loss",
    **{f"loss/{end}": f"loss_{end}" for end in ("median", "std", "min", "max")},
    "is_masked/mean": "clip_ratio_region_mean",
    "is_masked_low/mean": "clip_ratio_low_mean",
    "is_masked_high/mean": "clip_ratio_high_mean",
    "ref_kl/mean": "kl_per_token",
    "max_vio/mean": "moe_load_imbalance",
    "optim/grad_norm": "grad_norm",
    "optim/lr": "learning_rate",
}
OPERATION = {
    "time/step": "step_time",
    "time/wait_for_batch": "rollout_wait_time",
    "time/load_data": "data_time",
    "time/pack": "data_time",
    "time/forward_backward": "forward_backward_time",
    "time/broadcast_weights": "weight_sync_time",
    "time/save_ckpt": "checkpoint_time",
    "time/wait_for_policy": "policy_wait_time",
    "perf/throughput": "update_tokens_per_second",
    "perf/throughput_per_gpu": "update_tokens_per_second_per_gpu",
    "perf/mfu": "model_flops_utilization",
    "perf/peak_memory": "gpu_memory_reserved",
    "system/ckpt_disk_free_gib": "disk_free",
    "system/ckpt_disk_used_gib": "disk_used",
    "system/ckpt_disk_free_ratio": "disk_free_fraction",
    "progress/tokens": "all/forwarded_tokens",
    "progress/input_tokens": "query_tokens",
    "progress/output_tokens": "generated_tokens",
    "progress/rollouts": "step_samples",
    "progress/tasks": "step_prompts",
    "progress/total_tokens": "tokens",
    "progress/total_rollouts": "episodes",
    "progress/total_tasks": "prompts",
    "off_policy/mean": "staleness_mean",
    "off_policy/max": "staleness_max",
    "off_policy/in_flight/mean": "in_flight_staleness_mean",
    "off_policy/in_flight/max": "in_flight_staleness_max",
    "off_policy/in_queue/mean": "in_queue_staleness_mean",
    "off_policy/in_queue/max": "in_queue_staleness_max",
    "off_policy/dropped": "dropped_samples",
    "dispatcher/inflight/train": "rollouts_in_flight",
    "dispatcher/errored/train": "rollout_errors",
    "inference/agg/kv_cache_usage_perc/max": "kv_cache_usage",
    "inference/agg/num_preemptions_total:rate/max": "preemptions",
    "inference/agg/prefix_cache_hit_rate/pooled": "prefix_cache_hit_fraction",
}
OLDER = {
    "reward/all/mean": "reward",
    "reward/mean": "reward",
    "decode_len/all/mean": "length_mean",
    "completion_len/mean": "length_mean",
    "completion_len/min": "length_min",
    "completion_len/max": "length_max",
    "is_truncated/all/mean": "truncated_fraction",
    "is_truncated/mean": "truncated_fraction",
    "solve_none/all": "failed_group_fraction",
    "solve_all/all": "solved_group_fraction",
    "batch/solve_none": "failed_group_fraction",
    "batch/solve_all": "solved_group_fraction",
    "batch/off_policy_level/mean": "staleness_mean",
    "batch/off_policy_level/max": "staleness_max",
}
TAGS = {**EPISODES, **TRAINING, **OPERATION, **OLDER}
FAMILIES = _pools() | {
    f"{tag}/{{name}}/{end}": f"{PART_PREFIX}{{name}}/{metric}{suffix}"
    for tag, metric in {"mismatch_kl": "engine_kl", "entropy": "entropy_per_token"}.items()
    for end, suffix in {"mean": "", "max": "_max", "std": "_std"}.items()
}
SCALES = {"perf/mfu": 0.01}  # percent
CAVEATS = (
    Caveat(
        ("mismatch_kl/all/mean",),
        "The k3 estimate between trainer and inference: stale weights and engine differences together.",
    ),
    Caveat(("time/step",), "Logged by the trainer and by the orchestrator, each of its own step."),
    Caveat(("perf/throughput", "perf/throughput_per_gpu", "perf/mfu"), "Of forward and backward alone."),
    Caveat(("inference/agg/num_preemptions_total:rate/max",), "Per second, of the engine with the most."),
)
_REWARDS = ("agg/effective/", "agg/all/"), "/reward/mean"


SEVERAL_AGENTS = N_("several agents are trained, and none of their rewards is that of the run")


def read_traits(log: Log) -> LogTraits:
    """GRPO; where several agents are trained, none of their rewards is the run's."""
    start, end = _REWARDS
    of_agents = frozenset(tag for tag in log.series if tag.startswith(start) and tag.endswith(end))
    agents = {tag.split("/")[2] for tag in of_agents}
    ignored = of_agents if len(agents) > 1 else frozenset[str]()
    return LogTraits("grpo", scales=SCALES, ignored=ignored, why_ignored=dict.fromkeys(ignored, SEVERAL_AGENTS))


TRAINER = Trainer(
    "prime-rl",
    TAGS,
    recognised_by("mismatch_kl/all/mean", ("progress/total_rollouts", "off_policy/dropped")),
    read_traits,
    FAMILIES,
    CAVEATS,
    is_verified=False,
)
PRODUCER = Producer("prime-rl", (TRAINER,))
