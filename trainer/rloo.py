"""RLOO: REINFORCE with a leave-one-out baseline, read from top to bottom; one step is one generation and its updates.

Source: Ahmadian et al. 2024 ("Back to Basics: Revisiting REINFORCE-Style Optimization for Learning from Human Feedback
in LLMs", arXiv 2402.14740); names and defaults as in TRL 1.16's `RLOOTrainer`. It differs from GRPO in this: the KL is
part of the reward and not of the loss, a completion is compared with the others of its group and not with the mean of
all, and a completion is one action with one probability ratio.
Axes: P prompts, G completions of each, B = P·G, T tokens.
"""

from collections.abc import Sequence

import torch

from trainer.algorithms.advantages import leave_one_out_advantages, penalised_scores
from trainer.algorithms.experience import RLOOExperience
from trainer.algorithms.kl import k1
from trainer.algorithms.losses import LossOut, rloo_loss
from trainer.algorithms.means import masked_mean
from trainer.config.rloo import RLOOConfig
from trainer.data.prompts import Prompts
from trainer.rewards import RewardFunc
from trainer.rollout.policy import TokenScores, score_tokens
from trainer.run.checkpoint import Counter
from trainer.run.group_metrics import answer_metrics, rollout_metrics
from trainer.run.journal import Journal
from trainer.run.session import Session
from trainer.run.stages import Changes


def train(
    config: RLOOConfig,
    prompts: Prompts,
    reward_funcs: Sequence[RewardFunc],
    journal: Journal,
    changes: Changes[RLOOConfig] | None = None,
) -> None:
    """Train until the last step or until the journal asks to stop, then save a checkpoint.

    Args:
        changes: A fault's; from its onset on each step reads the values of `changes.at(step)`.
    """
    # 1. Models: the policy, and a frozen copy only where the reward has a KL penalty (TRL: no reference when beta = 0).
    session = Session(config, prompts, reward_funcs, journal, changes)
    if any(stage.beta > 0 for stage in session.configs):
        session.load_reference()
    tokens_seen = Counter()
    policy = session.start(
        session.policy,
        rates=lambda config: [config.learning_rate],
        answer_metrics=answer_metrics,
        state={"tokens": tokens_seen},
    )

    for step in session.steps():
        config = step.config

        # 2. Rollout: every prompt G times, in consecutive rows.
        rows = step.prompts.draw(config.batch_size // config.num_generations)
        sampled = step.rollout(rows, config.num_generations)

        # 3. Scores: raw ones are logged, their weighted sum is what counts.
        rollout = step.score(sampled)
        tokens, scores, mask_BT = rollout.tokens, rollout.scores, rollout.tokens.mask_BT

        # 4. Rewards: the KL of the whole completion, estimated by k1, is taken off its score (paper: equation 2).
        ref_logprobs_BT = step.reference_logprobs(rollout)
        kl_BT = None if ref_logprobs_BT is None else k1(rollout.logprobs_BT, ref_logprobs_BT)
        rewards_B = penalised_scores(scores.total_B, kl_BT, mask_BT, config.beta, config.reward_clip_range)

        # 5. Advantages: against the mean reward of the prompt's other completions (paper: equation 8).
        compared = leave_one_out_advantages(
            rewards_B, scores.scorable_B, config.num_generations, config.normalize_advantages
        )
        batch = RLOOExperience(tokens, rollout.logprobs_BT, compared.advantages_B)

        # 6. Updates: num_iterations over the whole batch; from the second on the ratio differs from 1 and is clipped.
        updates = step.updates()
        for _ in range(config.num_iterations):
            for piece in updates.passes(batch):
                new = score_tokens(policy, piece.tokens, config.temperature, config.num_generations)
                updates.backward(policy_loss(piece, new, config), piece, new.logprobs_BT)
            updates.step()
        done = updates.finish()

        # 7. The log: the names of TRL's RLOO logging page, and PPO's for how unlikely the drawn tokens were.
        tokens_seen.value += rollout.token_count
        metrics = {
            **rollout_metrics(rollout, compared.has_signal_B),
            "num_tokens": float(tokens_seen.value),
            **({} if kl_BT is None else {"kl": float(masked_mean(kl_BT, mask_BT))}),
            **done.metrics,
            "loss": done.loss,
            "learning_rate": done.learning_rate,
        }
        advantages_BT = torch.where(mask_BT, compared.advantages_B.unsqueeze(1), 0.0)
        step.log(metrics, rollout, advantages_BT, ref_logprobs_BT, k1)


def policy_loss(piece: RLOOExperience, new: TokenScores, config: RLOOConfig) -> LossOut:
    """The loss of one pass, with the policy's entropy beside its metrics."""
    out = rloo_loss(
        new.logprobs_BT,
        piece.logprobs_BT,
        piece.advantages_B,
        piece.tokens.mask_BT,
        epsilon=config.epsilon,
        epsilon_high=config.upper_epsilon,
        completions=config.batch_size,
    )
    return out.with_metrics(entropy=masked_mean(new.entropy_BT, piece.tokens.mask_BT))
