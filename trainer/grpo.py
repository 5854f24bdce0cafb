"""GRPO: group relative policy optimisation, read from top to bottom; one step is one generation and its updates.

Source: Shao et al. 2024 (DeepSeekMath, arXiv 2402.03300), algorithm 1, with outcome supervision; logged names and
defaults as in TRL 1.16's `GRPOTrainer`. Its variants: Dr. GRPO (`loss_type` "dr_grpo", `scale_rewards` "none"), DAPO
("dapo", `epsilon_high`), CISPO ("cispo") and GSPO (`importance_sampling_level` "sequence").
Axes: P prompts, G completions of each, B = P·G, T tokens.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from trainer.algorithms.advantages import group_advantages
from trainer.algorithms.engine_correction import importance_weights
from trainer.algorithms.experience import GRPOExperience
from trainer.algorithms.losses import LossOut, TokenAverage, grpo_loss
from trainer.algorithms.means import masked_mean
from trainer.config.grpo import GRPOConfig
from trainer.data.prompts import Prompts
from trainer.rewards import RewardFunc
from trainer.rollout.policy import TokenScores, score_tokens
from trainer.run.checkpoint import Counter
from trainer.run.engine_metrics import engine_metrics
from trainer.run.group_metrics import answer_metrics, rollout_metrics
from trainer.run.journal import Journal
from trainer.run.rollouts import Rollout
from trainer.run.session import Session
from trainer.run.stages import Changes


def train(
    config: GRPOConfig,
    prompts: Prompts,
    reward_funcs: Sequence[RewardFunc],
    journal: Journal,
    changes: Changes[GRPOConfig] | None = None,
) -> None:
    """Train until the last step or until the journal asks to stop, then save a checkpoint.

    Args:
        changes: A fault's; from its onset on each step reads the values of `changes.at(step)`.
    """
    # 1. Models: the policy, and a frozen copy only where the loss has a KL term (TRL: no reference when beta = 0).
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

        # 3. Rewards: raw ones are logged, their weighted sum is what counts.
        rollout = step.score(sampled)
        tokens, scores = rollout.tokens, rollout.scores

        # 4. Advantages: against the completion's own group; one number for all its tokens (outcome supervision).
        compared = group_advantages(scores.total_B, scores.scorable_B, config.num_generations, config.scale_rewards)
        advantages_BT = torch.where(tokens.mask_BT, compared.advantages_B.unsqueeze(1), 0.0)

        # 5. Old log-probabilities are those kept from decoding: equal to a second forward pass to about 1e-6. What an
        #    engine apart from the trainer drew gets that second pass; the two together give importance weights.
        rollout = step.under_policy(rollout)
        ref_logprobs_BT, weights_BX = step.reference_logprobs(rollout), engine_weights(rollout, config)
        batch = GRPOExperience(tokens, rollout.logprobs_BT, advantages_BT, ref_logprobs_BT, weights_BX)

        # 6. Updates: num_iterations over the whole batch, gradients added up over passes of the device's size.
        average = TokenAverage(
            config.loss_type, config.max_completion_length, config.batch_size, int(tokens.mask_BT.sum())
        )
        updates = step.updates()
        for _ in range(config.num_iterations):
            for piece in updates.passes(batch):
                new = score_tokens(policy, piece.tokens, config.temperature, config.num_generations)
                updates.backward(policy_loss(piece, new, config, average), piece, new.logprobs_BT)
            updates.step()
        done = updates.finish()
        step.sync_engine()

        # 7. The log: the names of TRL's GRPO logging page, and PPO's for how unlikely the drawn tokens were.
        tokens_seen.value += rollout.token_count
        metrics = {
            **rollout_metrics(rollout, compared.has_signal_B),
            **engine_metrics(rollout, weights_BX),
            "num_tokens": float(tokens_seen.value),
            **done.metrics,
            "loss": done.loss,
            "learning_rate": done.learning_rate,
        }
        step.log(metrics, rollout, advantages_BT, ref_logprobs_BT)


def engine_weights(rollout: Rollout, config: GRPOConfig) -> Tensor | None:
    """The weights that correct for an engine apart from the trainer; None without one, or without a correction."""
    if rollout.from_engine is None or not config.vllm_importance_sampling_correction:
        return None
    return importance_weights(
        rollout.logprobs_BT,
        rollout.from_engine.logprobs_BT,
        rollout.tokens.mask_BT,
        mode=config.vllm_importance_sampling_mode,
        clip_min=config.vllm_importance_sampling_clip_min,
        clip_max=config.vllm_importance_sampling_clip_max,
    )


def policy_loss(piece: GRPOExperience, new: TokenScores, config: GRPOConfig, average: TokenAverage) -> LossOut:
    """The loss of one pass, with the policy's entropy beside its metrics."""
    out = grpo_loss(
        new.logprobs_BT,
        piece.logprobs_BT,
        piece.advantages_BT,
        piece.tokens.mask_BT,
        epsilon=config.epsilon,
        epsilon_high=config.upper_epsilon,
        average=average,
        importance_sampling_level=config.importance_sampling_level,
        importance_weights_BX=piece.importance_weights_BX,
        ref_logprobs_BT=piece.ref_logprobs_BT,
        beta=config.beta,
        use_bias_correction_kl=config.use_bias_correction_kl,
    )
    return out.with_metrics(entropy=masked_mean(new.entropy_BT, piece.tokens.mask_BT))
