"""Score shaping: what stands between the weighted rewards of a response and the score that PPO learns from."""

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
    """total_B, what the queries alone get, and scorable_B: whether a function gave that a number; else total_B is 0."""

    total_B: Tensor
    scorable_B: Tensor


def query_scores(
    reward_funcs: Sequence[RewardFunc], config: PPOConfig, rows: Sequence[Row], state: TrainerState
) -> QueryScores:
    """What the scores are compared with: those of the queries without a response, or 0 (`reward_baseline`).

    Where the query decides most of a reward the response moves it little: TRL's training FAQ takes that part off. A
    query that cannot be scored alone takes nothing off.
    """
    if config.reward_baseline == "none":
        return QueryScores(torch.zeros(len(rows)), torch.ones(len(rows), dtype=torch.bool))
    nothing: list[list[int]] = [[] for _ in rows]
    scores = score(reward_funcs, config.reward_weights, rows, [""] * len(rows), nothing, state)
    return QueryScores(scores.total_B, scores.scorable_B)


def with_eos_trick(scores_B: Tensor, terminated_B: Tensor, config: PPOConfig) -> Tensor:
    """(B,) scores where a response without an end pays `missing_eos_penalty` or gets `penalty_reward_value` instead.

    The documents have both forms: TRL up to 0.10 replaces the score (`non_eos_penalty`), later releases take a penalty
    off. Without either option the scores stay as they are.
    Source: Huang et al. 2024 ("The N+ implementation details of RLHF with PPO"), section "EOS trick".
    """
    if config.non_eos_penalty:
        return torch.where(terminated_B, scores_B, config.penalty_reward_value)
    if config.missing_eos_penalty is not None:
        return torch.where(terminated_B, scores_B, scores_B - config.missing_eos_penalty)
    return scores_B


def shaping_metrics(query_S: Tensor, scaled_S: Tensor, config: PPOConfig) -> dict[str, float]:
    """`objective/query_scores` and `objective/scaled_scores` with its sample deviation, each where its option is on.

    Args:
        query_S: The scores of the queries that have one; the metric is left out where none has.
        scaled_S: The scores of the responses that have one; likewise.
    """
    found = {}
    if config.reward_baseline == "query" and len(query_S):
        found["objective/query_scores"] = float(query_S.mean())
    if (config.use_score_scaling or config.score_clip is not None) and len(scaled_S):
        found["objective/scaled_scores"] = float(scaled_S.mean())
        found["objective/scaled_scores_std"] = float(sample_std(scaled_S))
    return found
