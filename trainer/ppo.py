"""PPO: proximal policy optimisation of a language model, read top to bottom; one step is one rollout and its updates.

Sources: Ouyang et al. 2022 (InstructGPT), Huang et al. 2024 ("The N+ implementation details of RLHF with PPO"), logged
names as in TRL 1.12's `PPOTrainer`. Where TRL averages over padding too, means here are over real tokens.
Axes: B episodes, T tokens.
"""

import time
from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import get_scheduler

from trainer.advantages import gae, token_rewards
from trainer.checkpoint import save_checkpoint
from trainer.config import PPOConfig
from trainer.device import accelerator_for
from trainer.experience import PPOExperience, Tokens
from trainer.journal import Journal
from trainer.kl import ESTIMATORS
from trainer.losses import ppo_policy_loss, ppo_value_loss
from trainer.means import masked_mean, masked_var, masked_whiten, mean_over_updates, sequence_sums
from trainer.policy import (
    checkpoint_of,
    decode,
    encode,
    estimate_values,
    load_policy,
    load_reference,
    load_tokenizer,
    load_value_model,
    score_tokens,
    stop_ids,
)
from trainer.prompts import Prompts
from trainer.rewards import RewardFunc
from trainer.rollout import generate
from trainer.samples import sample_rows
from trainer.sampling import Sampling
from trainer.scoring import score


def train(config: PPOConfig, prompts: Prompts, reward_funcs: Sequence[RewardFunc], journal: Journal) -> None:
    """Train until the last step or until the journal asks to stop, then save a checkpoint."""
    accelerator = accelerator_for(config)
    device = accelerator.device
    generator = torch.Generator(device).manual_seed(config.seed)
    shuffler = torch.Generator().manual_seed(config.seed)

    # 1. Models: the policy, its frozen copy as the reference, and a value model of its own (no shared trunk).
    tokenizer = load_tokenizer(checkpoint_of(config))
    policy = load_policy(checkpoint_of(config))
    reference = load_reference(checkpoint_of(config)).to(device)
    value_model = load_value_model(checkpoint_of(config))
    eos_ids = stop_ids(policy, tokenizer)
    sampling = Sampling.of(config, eos_ids, int(tokenizer.pad_token_id))
    parameters = [*policy.parameters(), *value_model.parameters()]
    value_learning_rate = config.learning_rate if config.value_learning_rate is None else config.value_learning_rate
    groups = [
        {"params": list(policy.parameters()), "lr": config.learning_rate},
        {"params": list(value_model.parameters()), "lr": value_learning_rate},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=config.weight_decay)
    scheduler = get_scheduler(config.lr_scheduler_type, optimizer, config.warmup_steps, config.total_steps)
    policy, value_model, optimizer = accelerator.prepare(policy, value_model, optimizer)

    training_started = time.perf_counter()
    for step in range(1, config.total_steps + 1):
        if journal.stop_requested:
            break
        started = time.perf_counter()

        # 2. Rollout.
        rows = prompts.draw(config.batch_size)
        prompt_ids_BQ, prompt_mask_BQ = encode(tokenizer, [row["prompt"] for row in rows], device)
        written = generate(accelerator.unwrap_model(policy), prompt_ids_BQ, prompt_mask_BQ, sampling, generator)
        responses = decode(tokenizer, written.ids_BT, written.mask_BT)
        mask_BT = written.mask_BT
        tokens = Tokens(prompt_ids_BQ, prompt_mask_BQ, written.ids_BT, mask_BT)

        # 3. Scores, with the EOS trick: a response that did not end pays (N+ details, "EOS trick").
        scores = score(reward_funcs, config.reward_weights, rows, responses)
        score_B = scores.total_B.to(device)
        if config.missing_eos_penalty is not None:
            score_B = score_B - config.missing_eos_penalty * (~written.terminated_B).float()

        # 4. Rewards: the KL penalty at each token, the score at the last one.
        with torch.no_grad():
            ref_logprobs_BT = score_tokens(reference, tokens, config.temperature).logprobs_BT
            values_BT = estimate_values(value_model, tokens)
        kl_BT = ESTIMATORS[config.kl_estimator](written.logprobs_BT, ref_logprobs_BT)
        rewards_BT = token_rewards(score_B, kl_BT, mask_BT, config.kl_coef)
        if config.whiten_rewards:
            rewards_BT = masked_whiten(rewards_BT, mask_BT, shift_mean=False)

        # 5. Advantages: GAE, whitened over the real tokens; returns come from the advantages before whitening.
        advantages_BT, returns_BT = gae(rewards_BT, values_BT, mask_BT, config.gamma, config.lam)
        advantages_BT = masked_whiten(advantages_BT, mask_BT)
        batch = PPOExperience(tokens, written.logprobs_BT, advantages_BT, values_BT, returns_BT)

        # 6. Updates: every epoch takes the episodes in a new order, in mini-batches; passes add up their gradients.
        mini_batch_size = config.batch_size // config.num_mini_batches
        passes: list[dict[str, Tensor]] = []
        updates: list[dict[str, Tensor]] = []
        for _ in range(config.num_ppo_epochs):
            order_B = torch.randperm(config.batch_size, generator=shuffler).to(device)
            for mini_batch in order_B.split(mini_batch_size):
                for part in mini_batch.split(config.per_device_train_batch_size):
                    piece = batch.rows(part)
                    new = score_tokens(policy, piece.tokens, config.temperature)
                    policy_out = ppo_policy_loss(
                        new.logprobs_BT, piece.logprobs_BT, piece.advantages_BT, piece.tokens.mask_BT, config.cliprange
                    )
                    value_out = ppo_value_loss(
                        estimate_values(value_model, piece.tokens),
                        piece.values_BT,
                        piece.returns_BT,
                        piece.tokens.mask_BT,
                        config.cliprange_value,
                    )
                    loss = policy_out.loss + config.vf_coef * value_out.loss
                    accelerator.backward(loss * len(part) / len(mini_batch))
                    entropy = {"policy/entropy_avg": masked_mean(new.entropy_BT, piece.tokens.mask_BT)}
                    passes.append({**policy_out.metrics, **value_out.metrics, **entropy})
                grad_norm = accelerator.clip_grad_norm_(parameters, config.max_grad_norm)
                updates.append({"grad_norm": torch.as_tensor(grad_norm)})
                optimizer.step()
                optimizer.zero_grad()
        learning_rate = scheduler.get_last_lr()[0]
        scheduler.step()

        # 7. The log: the names of TRL's PPO logging page.
        kl = float(sequence_sums(kl_BT, mask_BT).mean())
        metrics = {
            "eps": step * config.batch_size / (time.perf_counter() - training_started),
            **objective_metrics(score_B, kl, config.kl_coef),
            "objective/entropy": float(sequence_sums(-written.logprobs_BT, mask_BT).mean()),
            **mean_over_updates(passes),
            **mean_over_updates(updates),
            **explained_variance(values_BT, returns_BT, mask_BT),
            "val/num_eos_tokens": float(
                (torch.isin(written.ids_BT, torch.tensor(eos_ids, device=device)) & mask_BT).sum()
            ),
            **length_metrics(mask_BT.sum(1)),
            "lr": learning_rate,
            "episode": float(step * config.batch_size),
            "step_time": time.perf_counter() - started,
        }
        samples = sample_rows(
            rows,
            responses,
            mask_BT.sum(1),
            advantages_BT,
            scores,
            written.terminated_B,
            limit=config.num_completions_to_log,
            seed=step,
        )
        journal.record(step, metrics, samples)
        if config.save_strategy == "steps" and step % config.save_steps == 0:
            save_checkpoint(journal.directory, step, accelerator.unwrap_model(policy), tokenizer, value_model)

    if config.save_strategy == "steps":
        save_checkpoint(journal.directory, journal.last_step, accelerator.unwrap_model(policy), tokenizer, value_model)


def objective_metrics(score_B: Tensor, kl: float, kl_coef: float) -> dict[str, float]:
    """`objective/…`: the reward is the score plus what KL costs, and `non_score_reward` is that cost with its sign.

    The logging page says `beta * kl` and `score - non_score_reward`; TRL's code logs −kl_coef·kl and adds it, as here.

    Args:
        kl: Mean over responses of the KL summed over tokens, in nats.
    """
    scores, non_score_reward = float(score_B.mean()), -kl_coef * kl
    return {
        "objective/kl": kl,
        "objective/non_score_reward": non_score_reward,
        "objective/rlhf_reward": scores + non_score_reward,
        "objective/scores": scores,
    }


def explained_variance(values_BT: Tensor, returns_BT: Tensor, mask_BT: Tensor) -> dict[str, float]:
    """`val/var_explained` = 1 − Var(returns − values) / Var(returns); not logged where the returns do not vary."""
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
