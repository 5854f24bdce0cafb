"""Score shaping: what stands between the weighted rewards of a response and the score that PPO learns from."""

from collections.abc import Sequence

import torch
from torch import Tensor

from trainer.config import PPOConfig
from trainer.data import Row
from trainer.rewards import RewardFunc
from trainer.rewards.occasion import TrainerState
from trainer.scoring import sample_std, score


def query_scores(
    reward_funcs: Sequence[RewardFunc], config: PPOConfig, rows: Sequence[Row], state: TrainerState
) -> Tensor:
    """(B,) what the scores are compared with: those of the queries without a response, or 0 (`reward_baseline`).

    Where the query decides most of a reward the response moves it little: TRL's training FAQ takes that part off. A
    query that cannot be scored alone counts as 0.
    """
    if config.reward_baseline == "none":
        return torch.zeros(len(rows))
    nothing: list[list[int]] = [[] for _ in rows]
    return score(reward_funcs, config.reward_weights, rows, [""] * len(rows), nothing, state).total_B


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


def shaping_metrics(query_B: Tensor, scaled_B: Tensor, config: PPOConfig) -> dict[str, float]:
    """`objective/query_scores` and `objective/scaled_scores` with its sample deviation, each where its option is on."""
    found = {}
    if config.reward_baseline == "query":
        found["objective/query_scores"] = float(query_B.mean())
    if config.use_score_scaling or config.score_clip is not None:
        found["objective/scaled_scores"] = float(scaled_B.mean())
        found["objective/scaled_scores_std"] = float(sample_std(scaled_B))
    return found
