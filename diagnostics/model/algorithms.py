"""The algorithms: their families, the metrics that are crucial for each, and the reward that each maximises."""

PPO_FAMILY = frozenset({"ppo", "ppo-legacy"})
"""The algorithms with a value model."""
GROUP_FAMILY = frozenset({"grpo", "rloo"})
"""The algorithms that compare the answers to one prompt."""

_GROUP_METRICS = (
    "reward",
    "kl_per_token",
    "clip_ratio",
    "clip_ratio_region_mean",
    "truncated_fraction",
    "reward_func_mean",
)
CRUCIAL: dict[str, tuple[str, ...]] = {
    "ppo": (
        "score",
        "rlhf_reward",
        "non_score_reward",
        "value_loss",
        "ratio_mean",
        "clip_fraction",
        "approx_kl",
        "kl_per_sequence",
    ),
    "ppo-legacy": (
        "score",
        "score_std",
        "non_score_reward_per_token",
        "value_loss",
        "clip_fraction",
        "approx_kl",
        "kl_per_sequence",
        "kl_coef",
    ),
    "grpo": _GROUP_METRICS,
    "rloo": _GROUP_METRICS,
}
"""The crucial values of the logging pages, by algorithm, in their order. A base name stands for all its functions."""

_GROUP_TELLING = ("length_mean", "entropy_per_token", "zero_std_fraction", "reward_std", "grad_norm")
_PPO_TELLING = ("entropy_per_token", "length_mean", "eos_tokens", "grad_norm")
TELLING: dict[str, tuple[str, ...]] = {
    "ppo": _PPO_TELLING,
    "ppo-legacy": _PPO_TELLING,
    "grpo": _GROUP_TELLING,
    "rloo": _GROUP_TELLING,
}
"""What most findings rest on beside them, by algorithm."""

CRUCIAL_ANYWHERE = (
    *("reward", "rlhf_reward", "score", "reward_std", "kl_per_token", "kl_per_sequence", "approx_kl"),
    *("entropy_per_token", "entropy_per_sequence", "length_mean", "truncated_fraction"),
    *("policy_loss", "value_loss", "loss", "clip_fraction", "grad_norm"),
)
"""What is crucial in a run of another algorithm, or of one that its log does not name, as far as it is logged."""

STANDS_FOR = {"kl_per_token": "kl_per_sequence", "score": "reward"}
"""The metric that takes the place of a crucial one that is not logged."""

MAIN_REWARD: dict[str, tuple[str, ...]] = {
    "ppo": ("rlhf_reward", "score"),
    "ppo-legacy": ("score",),
    "grpo": ("reward",),
    "rloo": ("reward", "rlhf_reward"),
    "online-dpo": ("rlhf_reward", "score"),
}
"""The metric that should keep going up, by algorithm; the first that a run logs counts."""
