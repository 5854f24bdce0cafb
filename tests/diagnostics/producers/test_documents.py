"""Tests that the vocabulary covers every metric that TRL's logging pages name."""

import pytest

from diagnostics.model.vocabulary import metric
from diagnostics.producers.table import TRAINERS

PPO_PAGE = [
    "eps",
    "objective/kl",
    "objective/entropy",
    "objective/non_score_reward",
    "objective/rlhf_reward",
    "objective/scores",
    "policy/approxkl_avg",
    "policy/clipfrac_avg",
    "loss/policy_avg",
    "loss/value_avg",
    "val/clipfrac_avg",
    "policy/entropy_avg",
    "val/ratio",
    "val/ratio_var",
    "val/num_eos_tokens",
    "lr",
    "episode",
]
GRPO_PAGE = [
    "num_tokens",
    "completions/mean_length",
    "completions/min_length",
    "completions/max_length",
    "completions/clipped_ratio",
    "completions/mean_terminated_length",
    "completions/min_terminated_length",
    "completions/max_terminated_length",
    "rewards/mine/mean",
    "rewards/mine/std",
    "reward",
    "reward_std",
    "kl",
    "clip_ratio",
    "clip_ratio/low_mean",
    "clip_ratio/low_min",
    "clip_ratio/high_mean",
    "clip_ratio/high_max",
    "clip_ratio/region_mean",
]
OLD_PAGE = [
    "env/reward_mean",
    "ppo/mean_scores",
    "env/reward_std",
    "ppo/std_scores",
    "env/reward_dist",
    "objective/kl",
    "objective/kl_dist",
    "objective/kl_coef",
    "ppo/mean_non_score_reward",
    "objective/entropy",
    "ppo/learning_rate",
    "ppo/policy/entropy",
    "ppo/policy/clipfrac",
    "ppo/policy/approxkl",
    "ppo/policy/policykl",
    "ppo/policy/ratio",
    "ppo/policy/advantages_mean",
    "ppo/policy/advantages",
    "ppo/returns/mean",
    "ppo/returns/var",
    "ppo/val/mean",
    "ppo/val/var",
    "ppo/val/var_explained",
    "ppo/val/clipfrac",
    "ppo/val/vpred",
    "ppo/val/error",
    "ppo/loss/policy",
    "ppo/loss/value",
    "ppo/loss/total",
    "tokens/queries_len_mean",
    "tokens/queries_len_std",
    "tokens/queries_dist",
    "tokens/responses_len_mean",
    "tokens/responses_len_std",
    "tokens/responses_dist",
    "objective/logprobs",
    "objective/ref_logprobs",
]


@pytest.mark.parametrize("tag", [*PPO_PAGE, *GRPO_PAGE, *OLD_PAGE])
def test_a_metric_of_the_documents_is_in_the_vocabulary(tag: str) -> None:
    names = [name for trainer in TRAINERS if (name := trainer.metric_of(tag))]
    assert names != []
    assert [name for name in names if metric(name) is None] == []
