"""TRL's first PPOTrainer (up to 0.11): `ppo/*`, `env/*`, `tokens/*`, without the Trainer's prefix.

Names, formulas and versions: `trl/trainer/ppo_trainer.py` of release 0.7.10; the set of names is that of 0.5 to 0.11.
Arrays go to W&B only; `ppo/mean_scores` and `ppo/std_scores` are `env/reward_*` after score scaling and clipping.
"""

from diagnostics.producers.log import Log
from diagnostics.producers.trainer import Caveat, LogTraits, Trainer

TAGS = {
    "objective/kl": "kl_per_sequence",
    "objective/kl_dist": "kl_distribution",
    "objective/kl_coef": "kl_coef",
    "objective/entropy": "entropy_per_sequence",
    "objective/logprobs": "logprobs_distribution",
    "objective/ref_logprobs": "ref_logprobs_distribution",
    "ppo/mean_scores": "scaled_score",
    "ppo/std_scores": "scaled_score_std",
    "ppo/mean_non_score_reward": "non_score_reward_per_token",
    "ppo/learning_rate": "learning_rate",
    "ppo/policy/entropy": "entropy_per_token",
    "ppo/policy/approxkl": "approx_kl",
    "ppo/policy/policykl": "policy_kl",
    "ppo/policy/clipfrac": "clip_fraction",
    "ppo/policy/ratio": "ratio_distribution",
    "ppo/policy/advantages": "advantages_distribution",
    "ppo/policy/advantages_mean": "advantages_mean",
    "ppo/returns/mean": "returns_mean",
    "ppo/returns/var": "returns_variance",
    "ppo/val/mean": "value_mean",
    "ppo/val/var": "value_variance",
    "ppo/val/vpred": "value_prediction",
    "ppo/val/error": "value_error",
    "ppo/val/clipfrac": "value_clip_fraction",
    "ppo/val/var_explained": "explained_variance",
    "ppo/loss/policy": "policy_loss",
    "ppo/loss/value": "value_loss",
    "ppo/loss/total": "total_loss",
    "tokens/queries_len_mean": "query_length_mean",
    "tokens/queries_len_std": "query_length_std",
    "tokens/queries_dist": "query_length_distribution",
    "tokens/queries_len_dist": "query_length_distribution",
    "tokens/responses_len_mean": "length_mean",
    "tokens/responses_len_std": "length_std",
    "tokens/responses_dist": "length_distribution",
    "tokens/responses_len_dist": "length_distribution",
    "env/reward_mean": "score",
    "env/reward_std": "score_std",
    "env/reward_dist": "reward_distribution",
    "time/ppo/total": "step_time",
}

CAVEATS = (
    Caveat(
        ("ppo/loss/policy", "ppo/loss/value", "ppo/loss/total"),
        "Exactly 0 where the mean ratio passed ratio_threshold and the batch was skipped.",
    ),
    Caveat(("objective/kl",), "Up to TRL 0.7.8 the k1 estimator whatever kl_penalty says.", before=(0, 7, 9)),
    Caveat(("ppo/policy/ratio",), "Padding is written as −1."),
)


def recognise(log: Log) -> float:
    """Sure of any `ppo/` tag that only this trainer has."""
    if log.has("ppo/mean_non_score_reward") or log.has("ppo/policy/approxkl"):
        return 1.0
    return 0.5 if any(tag.startswith("ppo/") for tag in log.series) else 0.0


def read_traits(log: Log) -> LogTraits:
    """Legacy PPO, which states neither how long it trains nor that it has ended."""
    return LogTraits(algorithm="ppo-legacy")


TRAINER = Trainer("trl-legacy", TAGS, recognise, read_traits, caveats=CAVEATS, heading="trl_ppo_trainer_config")
