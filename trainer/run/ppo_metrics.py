"""PPO's metrics of a step, other than its losses, and of an evaluation; names as on TRL's PPO logging page.

Axes: B episodes, S those with a score, N held-out prompts, T tokens.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from trainer.algorithms.means import masked_var, sequence_sums
from trainer.config.ppo import PPOConfig
from trainer.rewards import RewardFunc
from trainer.rewards.score_shaping import query_scores, with_eos_trick
from trainer.run.held_out import HeldOutAnswers
from trainer.run.rollouts import Rollout


def objective_metrics(score_S: Tensor, kl: float, kl_coef: float, scaled_S: Tensor | None = None) -> dict[str, float]:
    """`objective/…`: the reward is the score plus `non_score_reward`, which is minus the KL penalty.

    The logging page says `beta * kl` and `score - non_score_reward`; TRL's code logs −kl_coef·kl and adds it, as here.
    Score and reward are omitted if no response has a score.

    Args:
        kl: Mean over all responses of the KL summed over tokens, in nats.
        kl_coef: The coefficient that the step used.
        scaled_S: The scaled scores that PPO learns from, if scores are scaled: they make up the reward.
    """
    non_score_reward = -kl_coef * kl
    found = {"objective/kl": kl, "objective/kl_coef": kl_coef, "objective/non_score_reward": non_score_reward}
    if len(score_S):
        reward = float((score_S if scaled_S is None else scaled_S).mean()) + non_score_reward
        found |= {"objective/rlhf_reward": reward, **score_metrics(score_S)}
    return found


def score_metrics(score_S: Tensor) -> dict[str, float]:
    """`objective/scores`, the mean score; not logged if there are no scores."""
    return {"objective/scores": float(score_S.mean())} if len(score_S) else {}


def answer_metrics(config: PPOConfig, reward_funcs: Sequence[RewardFunc], answers: HeldOutAnswers) -> dict[str, float]:
    """Metrics of an evaluation: scores before scaling, each reward function, lengths."""
    score_N = answers.scores.total_B - query_scores(reward_funcs, config, answers.rows, answers.state).total_B
    score_N = with_eos_trick(score_N, answers.terminated_N, config)
    return {
        **answers.scores.notes.means(),
        **score_metrics(score_N[answers.scores.scorable_B]),
        **answers.scores.metrics(),
        **length_metrics(answers.lengths_N),
    }


def rollout_metrics(rollout: Rollout, eos_ids: Sequence[int]) -> dict[str, float]:
    """`objective/entropy` (minus the log-probability of a response, mean over responses), end tokens and lengths."""
    mask_BT, ids_BT = rollout.tokens.mask_BT, rollout.tokens.ids_BT
    is_end_BT = torch.isin(ids_BT, torch.tensor(eos_ids, device=ids_BT.device)) & mask_BT
    return {
        "objective/entropy": float(sequence_sums(-rollout.logprobs_BT, mask_BT).mean()),
        "val/num_eos_tokens": float(is_end_BT.sum()),
        **length_metrics(mask_BT.sum(1)),
    }


def explained_variance(values_BT: Tensor, returns_BT: Tensor, mask_BT: Tensor) -> dict[str, float]:
    """`val/var_explained` = 1 − Var(returns − values) / Var(returns); not logged if the returns do not vary.

    Not logged either if the mask is empty.
    """
    if not mask_BT.any():
        return {}
    variance = masked_var(returns_BT, mask_BT)
    if variance == 0:
        return {}
    return {"val/var_explained": float(1 - masked_var(returns_BT - values_BT, mask_BT) / variance)}


def length_metrics(lengths_B: Tensor) -> dict[str, float]:
    """`tokens/responses_len_…`, in tokens."""
    lengths_B = lengths_B.float()
    return {
        "tokens/responses_len_mean": float(lengths_B.mean()),
        "tokens/responses_len_min": float(lengths_B.min()),
        "tokens/responses_len_max": float(lengths_B.max()),
    }
