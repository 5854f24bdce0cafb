"""Score shaping: from the weighted rewards of a response to the score that PPO learns from."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from trainer.config.ppo import PPOConfig
from trainer.data.dataset import Row
from trainer.rewards import RewardFunc
from trainer.rewards.call_context import TrainerState
from trainer.rewards.scoring import sample_std, score


class QueryScores(NamedTuple):
    """total_B: the queries' rewards without a response; scorable_B: whether a function gave one, else total_B is 0."""

    total_B: Tensor
    scorable_B: Tensor


def query_scores(
    reward_funcs: Sequence[RewardFunc], config: PPOConfig, rows: Sequence[Row], state: TrainerState
) -> QueryScores:
    """The baseline of the scores (`reward_baseline`): those of the queries without a response, or 0.

    If the query dominates the reward, the response moves it little, so TRL's training FAQ subtracts that part. Nothing
    is subtracted for a query that cannot be scored alone.
    """
    if config.reward_baseline == "none":
        return QueryScores(torch.zeros(len(rows)), torch.ones(len(rows), dtype=torch.bool))
    nothing: list[list[int]] = [[] for _ in rows]
    scores = score(reward_funcs, config.reward_weights, rows, [""] * len(rows), nothing, state)
    return QueryScores(scores.total_B, scores.scorable_B)


def with_eos_trick(scores_B: Tensor, terminated_B: Tensor, config: PPOConfig) -> Tensor:
    """(B,) scores, with a penalty for responses without an end-of-sequence token.

    TRL up to 0.10 replaces the score with `penalty_reward_value` (`non_eos_penalty`); later releases subtract
    `missing_eos_penalty`. Without either option the scores are unchanged.
    Source: Huang et al. 2024 ("The N+ implementation details of RLHF with PPO"), section "EOS trick".
    """
    if config.non_eos_penalty:
        return torch.where(terminated_B, scores_B, config.penalty_reward_value)
    if config.missing_eos_penalty is not None:
        return torch.where(terminated_B, scores_B, scores_B - config.missing_eos_penalty)
    return scores_B


def shaping_metrics(query_S: Tensor, scaled_S: Tensor, config: PPOConfig) -> dict[str, float]:
    """`objective/query_scores` and `objective/scaled_scores` with its sample deviation, if their options are on.

    Args:
        query_S: The scores of the queries that have one; without any the metric is omitted.
        scaled_S: Likewise of the responses.
    """
    found = {}
    if config.reward_baseline == "query" and len(query_S):
        found["objective/query_scores"] = float(query_S.mean())
    if (config.use_score_scaling or config.score_clip is not None) and len(scaled_S):
        found["objective/scaled_scores"] = float(scaled_S.mean())
        found["objective/scaled_scores_std"] = float(sample_std(scaled_S))
    return found
