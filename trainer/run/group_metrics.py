"""GRPO's and RLOO's metrics of a step, other than those of its updates, and of an evaluation; names as in TRL's docs.

Axis: B completions.
"""

import torch
from torch import Tensor

from trainer.algorithms.means import sequence_sums
from trainer.rewards.scoring import sample_std
from trainer.run.held_out import HeldOutAnswers
from trainer.run.rollouts import Rollout


def rollout_metrics(rollout: Rollout, has_signal_B: Tensor) -> dict[str, float]:
    """Metrics from the reward functions, lengths, reward per function and in total, groups without signal, entropy.

    `objective/entropy` is PPO's: minus the log-probability of a completion, mean over completions.
    """
    scores, mask_BT = rollout.scores, rollout.tokens.mask_BT
    return {
        **scores.notes.means(),
        **completion_metrics(mask_BT.sum(1), rollout.terminated_B),
        **scores.metrics(),
        **reward_metrics(scores.total_B, scores.scorable_B),
        "frac_reward_zero_std": float((~has_signal_B).float().mean()),
        "objective/entropy": float(sequence_sums(-rollout.logprobs_BT, mask_BT).mean()),
    }


def answer_metrics(answers: HeldOutAnswers) -> dict[str, float]:
    """Metrics of an evaluation: from the reward functions, lengths, reward per function, total reward."""
    return {
        **answers.scores.notes.means(),
        **completion_metrics(answers.lengths_N, answers.terminated_N),
        **answers.scores.metrics(),
        **reward_metrics(answers.scores.total_B, answers.scores.scorable_B),
    }


def completion_metrics(lengths_B: Tensor, terminated_B: Tensor) -> dict[str, float]:
    """The `completions/…` metrics, in tokens. As in TRL, the `terminated` ones are 0 if no completion ended."""
    lengths_B = lengths_B.float()
    ended = lengths_B[terminated_B] if terminated_B.any() else torch.zeros(1)
    return {
        "completions/mean_length": float(lengths_B.mean()),
        "completions/min_length": float(lengths_B.min()),
        "completions/max_length": float(lengths_B.max()),
        "completions/clipped_ratio": float((~terminated_B).float().mean()),
        "completions/mean_terminated_length": float(ended.mean()),
        "completions/min_terminated_length": float(ended.min()),
        "completions/max_terminated_length": float(ended.max()),
    }


def reward_metrics(total_B: Tensor, scorable_B: Tensor) -> dict[str, float]:
    """`reward` and `reward_std` (over the whole batch, as in TRL since 0.27) of the scorable completions, if any."""
    if not scorable_B.any():
        return {}
    return {"reward": float(total_B[scorable_B].mean()), "reward_std": float(sample_std(total_B[scorable_B]))}
