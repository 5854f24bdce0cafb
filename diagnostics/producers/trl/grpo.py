"""TRL's GRPOTrainer (0.14 to now) and RLOOTrainer (from 0.22): one set of names, two algorithms.

Names, formulas and versions: `trl/trainer/grpo_trainer.py` and `rloo_trainer.py` of the releases named.
"""

from diagnostics.producers.log import Log
from diagnostics.producers.trainer import SURE, Caveat, LogTraits, Trainer
from diagnostics.producers.transport import card_method
from diagnostics.producers.trl import async_grpo
from diagnostics.producers.trl.trainer_rows import TRAINER_TAGS, has_finished, total_steps

TAGS = {
    **TRAINER_TAGS,
    "reward": "reward",
    "reward_std": "reward_std",
    "frac_reward_zero_std": "zero_std_fraction",
    "kl": "kl_per_token",
    "entropy": "entropy_per_token",
    "policy_loss": "policy_loss",
    "clip_ratio": "clip_ratio",
    "clip_ratio/low_mean": "clip_ratio_low_mean",
    "clip_ratio/low_min": "clip_ratio_low_min",
    "clip_ratio/high_mean": "clip_ratio_high_mean",
    "clip_ratio/high_max": "clip_ratio_high_max",
    "clip_ratio/region_mean": "clip_ratio_region_mean",
    "completion_length": "length_mean",
    "completions/mean_length": "length_mean",
    "completions/min_length": "length_min",
    "completions/max_length": "length_max",
    "completions/clipped_ratio": "truncated_fraction",
    "completions/mean_terminated_length": "terminated_length_mean",
    "completions/min_terminated_length": "terminated_length_min",
    "completions/max_terminated_length": "terminated_length_max",
    "sampling/sampling_logp_difference/mean": "engine_logprob_difference",
    "sampling/sampling_logp_difference/max": "engine_logprob_difference_max",
    "sampling/importance_sampling_ratio/mean": "importance_ratio_mean",
    "sampling/importance_sampling_ratio/min": "importance_ratio_min",
    "sampling/importance_sampling_ratio/max": "importance_ratio_max",
    "tools/call_frequency": "tool_call_frequency",
    "tools/failure_frequency": "tool_failure_frequency",
    "num_tokens": "tokens",
    "step_time": "step_time",
    "entropy_coef": "entropy_coef",
    "aux_loss": "router_aux_loss",
    "cispo_clip_ratio": "cispo_clip_fraction",
}
FAMILIES = {
    "rewards/{name}/mean": "reward_func_mean/{name}",
    "rewards/{name}/std": "reward_func_std/{name}",
    "rewards/{name}": "reward_func_mean/{name}",  # 0.14 to 0.16
}


def is_rloo(log: Log) -> bool:
    """Whether the settings, or else the model card, are RLOO's."""
    if "normalize_advantages" in log.config or "reward_clip_range" in log.config:
        return True
    return not log.config and card_method(log.recording) == "RLOO"


def is_asynchronous(log: Log) -> bool:
    """Whether it is a log of AsyncGRPOTrainer."""
    return any(log.has(mark) for mark in async_grpo.MARKS)


def _is_old_grpo(log: Log) -> bool:
    return log.has("completion_length")


def _is_weighted(log: Log) -> bool:
    return bool(log.config.get("reward_weights"))


def _compares_over_batch(log: Log) -> bool:
    aggregation = log.config.get("multi_objective_aggregation")
    return log.config.get("scale_rewards") == "batch" or aggregation == "normalize_then_sum"


RLOO_CAVEATS = (
    Caveat(("kl",), "RLOO logs the k1 estimator, which may be below 0.", holds=is_rloo),
    Caveat(
        ("frac_reward_zero_std",),
        "RLOO takes it after the KL penalty, so it is about 0 whenever beta is not 0.",
        holds=is_rloo,
    ),
    Caveat(
        ("clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean"),
        "RLOO counts sequences, not tokens.",
        holds=is_rloo,
    ),
)
CAVEATS = (
    Caveat(
        ("reward_std",),
        "Mean of the deviations within groups up to TRL 0.26; from 0.27 the deviation over the whole batch, which can "
        "be large while no group has a signal.",
    ),
    Caveat(("reward",), "TRL 0.27 to 0.29 ignores reward_weights.", since=(0, 27), before=(1, 0), holds=_is_weighted),
    Caveat(
        ("completions/clipped_ratio",),
        "Only the tokenizer's own end token counts as an end: a model that ends on another one shows about 1.",
        since=(0, 17),
        before=(1, 15),
    ),
    Caveat(
        ("clip_ratio/low_min", "clip_ratio/high_max"),
        "Over the processes' means up to TRL 1.8, over sequences from 1.9.",
        before=(1, 9),
    ),
    Caveat(tuple(f"completions/{which}_terminated_length" for which in ("mean", "min", "max")), "0 when none ended."),
    Caveat(("kl",), "Not divided by the temperature.", since=(0, 14), before=(0, 16), holds=_is_old_grpo),
    *RLOO_CAVEATS,
    Caveat(
        ("frac_reward_zero_std",), "Taken over the batch, not over groups, so it is 0 or 1.", holds=_compares_over_batch
    ),
)
ASYNC_CAVEATS = (
    Caveat(
        async_grpo.OF_THE_ENGINE,
        "Against the rollout engine's probabilities: stale weights and engine differences are in it.",
        holds=is_asynchronous,
    ),
    Caveat(
        ("rollout/score_s", "scoring_time_ms"),
        "Mean seconds for one group, beside the training.",
        holds=is_asynchronous,
    ),
    Caveat(("rollout/fork_frac", "rollout/realign_frac", "rollout/drift_tokens_mean"), "Of the steps between turns."),
)


def recognise(log: Log) -> float:
    """Sure where the rewards of a group and the completions' lengths are logged, or samples and queues."""
    if is_asynchronous(log):
        return SURE
    if not log.has("reward", "reward_std"):
        return 0.0
    return 0.9 if log.has("completions/mean_length") or log.has("completion_length") else 0.4


def read_traits(log: Log) -> LogTraits:
    """GRPO or RLOO, told apart by the settings."""
    notes: tuple[str, ...] = ()
    if not log.config and not card_method(log.recording) and not is_asynchronous(log):
        notes = ("The log holds no settings: RLOO from TRL 0.22 on logs the same names as GRPO",)
    return LogTraits(
        algorithm="rloo" if is_rloo(log) else "grpo",
        scales=async_grpo.SCALES,
        renamed=async_grpo.renamed(log) if is_asynchronous(log) else {},
        # 0.16 counts the tokens whose clip has no effect, under the name that Liger's loss has for the clipped ones
        ignored=frozenset({"clip_ratio"}) if log.has("clip_ratio", "completion_length") else frozenset(),
        total=total_steps(log),
        has_finished=has_finished(log),
        notes=notes,
    )


TRAINER = Trainer("trl-grpo", TAGS | async_grpo.TAGS, recognise, read_traits, FAMILIES, (*CAVEATS, *ASYNC_CAVEATS))
