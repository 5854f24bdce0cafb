"""GRPO: group relative policy optimisation, read from top to bottom; one step is one generation and its updates.

Source: Shao et al. 2024 (DeepSeekMath), algorithm 1; logged names and defaults as in TRL 1.16's `GRPOTrainer`.
Axes: P prompts, G completions of each, B = P·G, T tokens.
"""

import time
from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import get_scheduler

from trainer.advantages import group_advantages
from trainer.checkpoint import save_checkpoint
from trainer.config import GRPOConfig
from trainer.device import accelerator_for
from trainer.experience import GRPOExperience, Tokens
from trainer.journal import Journal
from trainer.losses import TokenAverage, grpo_loss
from trainer.means import masked_mean, mean_over_updates
from trainer.policy import (
    checkpoint_of,
    decode,
    encode,
    load_policy,
    load_reference,
    load_tokenizer,
    score_tokens,
    stop_ids,
)
from trainer.prompts import Prompts
from trainer.rewards import RewardFunc
from trainer.rollout import generate
from trainer.samples import sample_rows
from trainer.sampling import Sampling
from trainer.scoring import sample_std, score


def train(config: GRPOConfig, prompts: Prompts, reward_funcs: Sequence[RewardFunc], journal: Journal) -> None:
    """Train until the last step or until the journal asks to stop, then save a checkpoint."""
    accelerator = accelerator_for(config)
    device = accelerator.device
    generator = torch.Generator(device).manual_seed(config.seed)

    # 1. Models: the policy, and a frozen copy only where the loss has a KL term (TRL: no reference when beta = 0).
    tokenizer = load_tokenizer(checkpoint_of(config))
    policy = load_policy(checkpoint_of(config))
    reference = load_reference(checkpoint_of(config)).to(device) if config.beta else None
    sampling = Sampling.of(config, stop_ids(policy, tokenizer), int(tokenizer.pad_token_id))
    optimizer = torch.optim.AdamW(policy.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
    scheduler = get_scheduler(config.lr_scheduler_type, optimizer, config.warmup_steps, config.total_steps)
    policy, optimizer = accelerator.prepare(policy, optimizer)

    tokens_so_far = 0
    for step in range(1, config.total_steps + 1):
        if journal.stop_requested:
            break
        started = time.perf_counter()

        # 2. Rollout: every prompt G times, in consecutive rows.
        drawn = prompts.draw(config.batch_size // config.num_generations)
        rows = [row for row in drawn for _ in range(config.num_generations)]
        prompt_ids_BQ, prompt_mask_BQ = encode(tokenizer, [row["prompt"] for row in rows], device)
        written = generate(accelerator.unwrap_model(policy), prompt_ids_BQ, prompt_mask_BQ, sampling, generator)
        responses = decode(tokenizer, written.ids_BT, written.mask_BT)
        mask_BT = written.mask_BT
        tokens = Tokens(prompt_ids_BQ, prompt_mask_BQ, written.ids_BT, mask_BT)

        # 3. Rewards: raw ones are logged, their weighted sum is what counts.
        scores = score(reward_funcs, config.reward_weights, rows, responses)
        total_B, scorable_B = scores.total_B.to(device), scores.scorable_B.to(device)

        # 4. Advantages: against the completion's own group; one number for all its tokens (outcome supervision).
        compared = group_advantages(total_B, scorable_B, config.num_generations, config.scale_rewards)
        advantages_BT = torch.where(mask_BT, compared.advantages_B.unsqueeze(1), 0.0)

        # 5. Old log-probabilities are those kept from decoding: equal to a second forward pass to about 1e-6.
        ref_logprobs_BT = None
        if reference is not None:
            with torch.no_grad():
                ref_logprobs_BT = score_tokens(reference, tokens, config.temperature).logprobs_BT
        batch = GRPOExperience(tokens, written.logprobs_BT, advantages_BT, ref_logprobs_BT)

        # 6. Updates: num_iterations over the whole batch, gradients added up over passes of the device's size.
        average = TokenAverage(
            config.loss_type, config.max_completion_length, int(mask_BT.sum()), config.gradient_accumulation_steps
        )
        passes: list[dict[str, Tensor]] = []
        updates: list[dict[str, Tensor]] = []
        for _ in range(config.num_iterations):
            loss_of_update = torch.zeros((), device=device)
            for part in torch.arange(config.batch_size, device=device).split(config.per_device_train_batch_size):
                piece = batch.rows(part)
                new = score_tokens(policy, piece.tokens, config.temperature)
                loss, metrics = grpo_loss(
                    new.logprobs_BT,
                    piece.logprobs_BT,
                    piece.advantages_BT,
                    piece.tokens.mask_BT,
                    epsilon=config.epsilon,
                    epsilon_high=config.upper_epsilon,
                    average=average,
                    ref_logprobs_BT=piece.ref_logprobs_BT,
                    beta=config.beta,
                )
                accelerator.backward(loss)
                loss_of_update += loss.detach()
                passes.append({**metrics, "entropy": masked_mean(new.entropy_BT, piece.tokens.mask_BT)})
            grad_norm = accelerator.clip_grad_norm_(policy.parameters(), config.max_grad_norm)
            updates.append({"loss": loss_of_update, "grad_norm": torch.as_tensor(grad_norm)})
            optimizer.step()
            optimizer.zero_grad()
        learning_rate = scheduler.get_last_lr()[0]
        scheduler.step()

        # 7. The log: the names of TRL's GRPO logging page.
        tokens_so_far += int(prompt_mask_BQ.sum() + mask_BT.sum())
        metrics_of_step = {
            "num_tokens": float(tokens_so_far),
            **completion_metrics(mask_BT.sum(1), written.terminated_B),
            **scores.metrics(),
            **reward_metrics(total_B, scorable_B),
            "frac_reward_zero_std": float((~compared.has_signal_B).float().mean()),
            **mean_over_updates(passes),
            **mean_over_updates(updates),
            "learning_rate": learning_rate,
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
            group_size=config.num_generations,
        )
        journal.record(step, metrics_of_step, samples)
        if config.save_strategy == "steps" and step % config.save_steps == 0:
            save_checkpoint(journal.directory, step, accelerator.unwrap_model(policy), tokenizer)

    if config.save_strategy == "steps":
        save_checkpoint(journal.directory, journal.last_step, accelerator.unwrap_model(policy), tokenizer)


def completion_metrics(lengths_B: Tensor, terminated_B: Tensor) -> dict[str, float]:
    """The `completions/…` metrics, in tokens. As in TRL the `terminated` ones are 0 where no completion ended."""
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
    """`reward` and `reward_std` (over the whole batch, as TRL since 0.27) of the scorable completions, if any."""
    if not scorable_B.any():
        return {}
    return {"reward": float(total_B[scorable_B].mean()), "reward_std": float(sample_std(total_B[scorable_B]))}
