"""PPO: proximal policy optimisation of a language model, read top to bottom; one step is one rollout and its updates.

Sources: Ouyang et al. 2022 (InstructGPT, arXiv 2203.02155), Huang et al. 2024 ("The N+ implementation details of RLHF
with PPO", arXiv 2403.17031); logged names as in TRL 1.12's `PPOTrainer`. Where TRL averages over padding too, means
here are over real tokens. A completion that no reward function could score has no score: it counts in no mean of
scores, and no update learns from it.
Axes: B episodes, T tokens.
"""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from trainer.algorithms.advantages import gae, token_rewards
from trainer.algorithms.experience import PPOExperience
from trainer.algorithms.kl import ESTIMATORS
from trainer.algorithms.kl_controller import KLController
from trainer.algorithms.losses import LossOut, ppo_policy_loss, ppo_value_loss
from trainer.algorithms.means import masked_mean, masked_whiten, sequence_sums
from trainer.config.ppo import PPOConfig
from trainer.data.prompts import Prompts
from trainer.rewards import RewardFunc
from trainer.rewards.score_scaling import ScoreScaler
from trainer.rewards.score_shaping import query_scores, shaping_metrics, with_eos_trick
from trainer.rollout.models import trainable_value_model
from trainer.rollout.policy import PolicyAndValue, TokenScores
from trainer.run.checkpoint import VALUE_MODEL_FOLDER, GeneratorState
from trainer.run.journal import Journal
from trainer.run.ppo_metrics import answer_metrics, explained_variance, objective_metrics, rollout_metrics
from trainer.run.session import Session
from trainer.run.stages import Changes

STOP_FACTOR = 1.5  # of target_kl, as in TRL's first PPOTrainer


def train(
    config: PPOConfig,
    prompts: Prompts,
    reward_funcs: Sequence[RewardFunc],
    journal: Journal,
    changes: Changes[PPOConfig] | None = None,
) -> None:
    """Train until the last step or until the journal asks to stop, then save a checkpoint.

    Args:
        changes: A fault's; from its onset on each step reads the values of `changes.at(step)`.
    """
    # 1. Models: the policy, its frozen copy as the reference, and a value model of its own (no shared trunk).
    session = Session(config, prompts, reward_funcs, journal, changes)
    session.load_reference()
    kl_controller, scaler = KLController(config), ScoreScaler()
    shuffler = torch.Generator().manual_seed(config.seed)
    models = session.start(
        PolicyAndValue(session.policy, trainable_value_model(config)),
        rates=lambda config: [config.learning_rate, config.critic_learning_rate],
        answer_metrics=partial(answer_metrics, config, reward_funcs),
        state={"order": GeneratorState(shuffler), "kl_controller": kl_controller, "score_scaler": scaler},
        folders={"": "policy", VALUE_MODEL_FOLDER: "value_model"},
    )

    for step in session.steps():
        config = step.config

        # 2. Rollout.
        rows = step.prompts.draw(config.batch_size)
        sampled = step.rollout(rows)

        # 3. Scores; where asked for, minus what the query alone gets, with the EOS trick, and scaled.
        rollout = step.score(sampled)
        tokens, scores, mask_BT = rollout.tokens, rollout.scores, rollout.tokens.mask_BT
        query_B, is_query_scored_B = step.share_out(
            partial(query_scores, step.reward_funcs, config, state=step.trainer_state), rows
        )
        score_B = with_eos_trick(scores.total_B - query_B, rollout.terminated_B, config)
        scaled_B = scaler.scaled(score_B, config, scores.scorable_B)
        learned_BT = mask_BT & scores.scorable_B.unsqueeze(1)

        # 4. Rewards: the KL penalty at each token, the score at the last one (N+ details: 3.2 and 3.3).
        ref_logprobs_BT, values_BT = step.reference_logprobs_and_values(rollout)
        estimator, kl_coef = ESTIMATORS[config.kl_estimator], kl_controller.coef(config)
        kl_BT = estimator(rollout.logprobs_BT, ref_logprobs_BT)
        rewards_BT = token_rewards(scaled_B, kl_BT, mask_BT, kl_coef)
        if config.whiten_rewards:
            rewards_BT = masked_whiten(rewards_BT, learned_BT, shift_mean=False)

        # 5. Advantages: GAE, whitened over what is learned from; returns come from the advantages before whitening.
        advantages_BT, returns_BT = gae(rewards_BT, values_BT, learned_BT, config.gamma, config.lam)
        advantages_BT = masked_whiten(advantages_BT, learned_BT)
        batch = PPOExperience(tokens, rollout.logprobs_BT, advantages_BT, values_BT, returns_BT, learned_BT)

        # 6. Updates: every epoch takes the episodes in a new order, in mini-batches; passes add up their gradients.
        mini_batch_size, updates = config.batch_size // config.num_mini_batches, step.updates()
        for _ in range(config.num_ppo_epochs):
            order_B = torch.randperm(config.batch_size, generator=shuffler).to(session.device)
            for mini_batch in order_B.split(mini_batch_size):
                update_tokens = learned_BT[mini_batch].sum().clamp(min=1)
                for piece in updates.passes(batch, mini_batch):
                    new, new_values_BT = models(piece.tokens, config.temperature)
                    out = ppo_loss(piece, new, new_values_BT, config, update_tokens)
                    updates.backward(out, piece, new.logprobs_BT)
                updates.step()
            if config.early_stopping and updates.mean_of_newest("policy/policykl_avg") > STOP_FACTOR * config.target_kl:
                break
        done = updates.finish()

        # 7. The log: the names of TRL's PPO logging page.
        kl = float(sequence_sums(kl_BT, mask_BT).mean())
        scored_B = scores.scorable_B
        metrics = {
            **scores.notes.means(),
            "eps": step.completions_per_second,
            **objective_metrics(score_B[scored_B], kl, kl_coef, scaled_B[scored_B]),
            **shaping_metrics(query_B[is_query_scored_B], scaled_B[scored_B], config),
            **scores.metrics(),
            **rollout_metrics(rollout, session.eos_ids),
            **done.metrics,
            "policy/updates": float(done.updates),
            **explained_variance(values_BT, returns_BT, learned_BT),
            "lr": done.learning_rate,
            "episode": float(step.number * config.batch_size),
        }
        kl_controller.update(kl, config)
        step.log(metrics, rollout, advantages_BT, ref_logprobs_BT, estimator)


def ppo_loss(
    piece: PPOExperience, new: TokenScores, new_values_BT: Tensor, config: PPOConfig, update_tokens: Tensor
) -> LossOut:
    """The policy's and the value model's loss of one pass, with the metrics of both.

    A pass without anything to learn from has a loss of 0, whose gradients are 0, and metrics of 0, which weigh nothing.
    """
    learned_BT = piece.learned_BT
    is_empty = not learned_BT.any()
    mask_BT = piece.tokens.mask_BT if is_empty else learned_BT
    policy_out = ppo_policy_loss(
        new.logprobs_BT, piece.logprobs_BT, piece.advantages_BT, mask_BT, config.cliprange, update_tokens
    )
    value_out = ppo_value_loss(
        new_values_BT, piece.values_BT, piece.returns_BT, mask_BT, config.cliprange_value, update_tokens
    )
    entropy = {"policy/entropy_avg": masked_mean(new.entropy_BT, mask_BT)}
    metrics = {**policy_out.metrics, **value_out.metrics, **entropy}
    if is_empty:
        nothing = new.logprobs_BT[learned_BT].sum() + new_values_BT[learned_BT].sum()
        return LossOut(nothing, {name: torch.zeros_like(value) for name, value in metrics.items()})
    return LossOut(policy_out.loss + config.vf_coef * value_out.loss, metrics)
