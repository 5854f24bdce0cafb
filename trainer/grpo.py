"""GRPO: group relative policy optimisation, read from top to bottom; one step is one generation and its updates.

Source: Shao et al. 2024 (DeepSeekMath), algorithm 1; logged names and defaults as in TRL 1.16's `GRPOTrainer`.
Axes: P prompts, G completions of each, B = P·G, T tokens.
"""

import time
from collections.abc import Sequence

import torch
from torch import Tensor

from trainer.acceleration.parallel.processes import Processes
from trainer.acceleration.parallel.sharding import frozen, whole
from trainer.acceleration.shared_prompts import sharing
from trainer.algorithms.advantages import group_advantages
from trainer.algorithms.experience import GRPOExperience, Tokens
from trainer.algorithms.losses import TokenAverage, grpo_loss
from trainer.algorithms.means import PassMetrics, masked_mean, mean_over_updates, sequence_sums
from trainer.config.grpo import GRPOConfig
from trainer.data.prompts import Prompts
from trainer.evaluate.held_out import HeldOut, HeldOutLog
from trainer.rewards import RewardFunc
from trainer.rewards.call_context import TrainerState
from trainer.rewards.scoring import load_reward_funcs, score
from trainer.rollout.generation import generate
from trainer.rollout.models import checkpoint_of, load_tokenizer, reference_of, trainable_policy
from trainer.rollout.policy import decode, encode, score_tokens, stop_ids
from trainer.rollout.sampling import Sampling, draw_uniforms
from trainer.run.checkpoint import Checkpoints, Counter, GeneratorState, RewardStates
from trainer.run.device import accelerator_for
from trainer.run.grpo_metrics import answer_metrics, completion_metrics, reward_metrics
from trainer.run.histograms import StepHistograms
from trainer.run.journal import Journal
from trainer.run.optimizer import make_optimizer, make_scheduler
from trainer.run.samples import sample_rows
from trainer.run.schedule import set_base_rates
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
    accelerator = accelerator_for(config)
    processes, device = Processes(accelerator), accelerator.device
    generator = torch.Generator().manual_seed(config.seed)

    every_reward_func = [*reward_funcs, *(changes.after.reward_funcs if changes else ())]
    load_reward_funcs(every_reward_func)

    # 1. Models: the policy, and a frozen copy only where the loss has a KL term (TRL: no reference when beta = 0).
    tokenizer = load_tokenizer(checkpoint_of(config))
    policy = trainable_policy(config)
    has_kl_term = config.beta > 0 or (changes is not None and changes.after.config.beta > 0)
    reference = frozen(accelerator, reference_of(config, policy)) if has_kl_term else None
    eos_ids = stop_ids(policy, tokenizer)
    sampling = Sampling.of(config, eos_ids, int(tokenizer.pad_token_id))
    optimizer = make_optimizer(config, (policy.parameters(), config.learning_rate))
    scheduler = make_scheduler(config, optimizer)
    policy, optimizer = processes.prepare(policy, optimizer)

    held_out = HeldOut(config, prompts, reward_funcs, tokenizer, sampling, answer_metrics)

    reward_states = RewardStates(every_reward_func)
    tokens_so_far, parts = Counter(), {"optimizer": optimizer, "scheduler": scheduler, "prompts": prompts}
    parts |= {"sampling": GeneratorState(generator), "tokens": tokens_so_far, "rewards": reward_states}
    checkpoints = Checkpoints(config, journal, processes, tokenizer, policy, {"": ""}, parts)
    checkpoints.restore()
    for step in range(journal.last_step + 1, config.total_steps + 1):
        if processes.any(journal.stop_requested):
            break
        started = time.perf_counter()
        if changes is not None:
            config, prompts, reward_funcs = changes.at(step)
            sampling = Sampling.of(config, eos_ids, int(tokenizer.pad_token_id))
            set_base_rates(scheduler, [config.learning_rate])

        # 2. Rollout: every prompt G times, in consecutive rows.
        drawn = prompts.draw(config.batch_size // config.num_generations)
        rows = [row for row in drawn for _ in range(config.num_generations)]
        encoded = encode(tokenizer, [row["prompt"] for row in drawn], device, config.max_prompt_length)
        prompt_ids_BQ, prompt_mask_BQ = (part_PQ.repeat_interleave(config.num_generations, 0) for part_PQ in encoded)
        uniforms_BT, own = draw_uniforms(config.batch_size, sampling, generator), processes.own_rows(config.batch_size)
        with whole(accelerator, policy) as plain:
            written = generate(plain, prompt_ids_BQ[own], prompt_mask_BQ[own], sampling, uniforms_BT[own])
        responses = decode(tokenizer, written.ids_BT, written.mask_BT)

        # 3. Rewards: raw ones are logged, their weighted sum is what counts.
        state, ids = TrainerState(step - 1, config.total_steps), written.token_lists()
        scores = score(reward_funcs, config.reward_weights, rows[own], responses, ids, state)
        written, scores = processes.gather_rollout(written, scores, sampling)
        mask_BT = written.mask_BT
        tokens = Tokens(prompt_ids_BQ, prompt_mask_BQ, written.ids_BT, mask_BT)
        total_B, scorable_B = scores.total_B.to(device), scores.scorable_B.to(device)

        # 4. Advantages: against the completion's own group; one number for all its tokens (outcome supervision).
        compared = group_advantages(total_B, scorable_B, config.num_generations, config.scale_rewards)
        advantages_BT = torch.where(mask_BT, compared.advantages_B.unsqueeze(1), 0.0)

        # 5. Old log-probabilities are those kept from decoding: equal to a second forward pass to about 1e-6.
        ref_logprobs_BT = None
        if reference is not None:
            with torch.no_grad(), accelerator.autocast():
                shared = sharing(reference, config, tokens, config.batch_size // processes.count)
                ref_logprobs_BT = processes.gather(
                    score_tokens(reference, tokens.rows(own), config.temperature, shared).logprobs_BT
                )
        batch = GRPOExperience(tokens, written.logprobs_BT, advantages_BT, ref_logprobs_BT)

        # 6. Updates: num_iterations over the whole batch, gradients added up over passes of the device's size.
        average = TokenAverage(config.loss_type, config.max_completion_length, config.batch_size, int(mask_BT.sum()))
        every_row, passes = torch.arange(config.batch_size, device=device), PassMetrics()
        updates, losses = list[dict[str, Tensor]](), list[Tensor]()
        shared = sharing(
            policy, config, tokens, config.batch_size // processes.count, config.per_device_train_batch_size
        )
        histograms = StepHistograms(step, config.histogram_steps)
        for _ in range(config.num_iterations):
            loss_of_update = torch.zeros((), device=device)
            for part in processes.passes(every_row, config.per_device_train_batch_size, policy):
                piece = batch.rows(part)
                new = score_tokens(policy, piece.tokens, config.temperature, shared)
                loss, metrics, per_completion = grpo_loss(
                    new.logprobs_BT,
                    piece.logprobs_BT,
                    piece.advantages_BT,
                    piece.tokens.mask_BT,
                    epsilon=config.epsilon,
                    epsilon_high=config.upper_epsilon,
                    average=average,
                    importance_sampling_level=config.importance_sampling_level,
                    ref_logprobs_BT=piece.ref_logprobs_BT,
                    beta=config.beta,
                    use_bias_correction_kl=config.use_bias_correction_kl,
                )
                processes.backward(loss)
                loss_of_update += loss.detach()
                entropy = masked_mean(new.entropy_BT, piece.tokens.mask_BT)
                passes.add({**metrics, "entropy": entropy}, piece.tokens.mask_BT, per_completion)
                histograms.add_ratios(new.logprobs_BT, piece.logprobs_BT, piece.tokens.mask_BT)
            grad_norm = processes.clip_gradients(policy, config.max_grad_norm)
            losses.append(loss_of_update)
            updates.append({"grad_norm": grad_norm})
            optimizer.step()
            optimizer.zero_grad()
        learning_rate = float(optimizer.param_groups[0]["lr"])
        scheduler.step()

        # 7. The log: the names of TRL's GRPO logging page, and PPO's for how unlikely the drawn tokens were.
        tokens_so_far.value += int(prompt_mask_BQ.sum() + mask_BT.sum())
        of_passes_NM, losses_PU = processes.gather_together(passes.rows(), torch.stack(losses).unsqueeze(0))
        metrics_of_step = {
            **scores.notes.means(),
            "num_tokens": float(tokens_so_far.value),
            **completion_metrics(mask_BT.sum(1), written.terminated_B),
            **scores.metrics(),
            **reward_metrics(total_B, scorable_B),
            "frac_reward_zero_std": float((~compared.has_signal_B).float().mean()),
            "objective/entropy": float(sequence_sums(-written.logprobs_BT, mask_BT).mean()),
            **passes.combined(of_passes_NM),
            "loss": float(losses_PU.sum(0).double().mean()),
            **mean_over_updates(updates),
            "learning_rate": learning_rate,
            "step_time": time.perf_counter() - started,
        }
        samples = sample_rows(
            rows,
            responses if processes.count == 1 else decode(tokenizer, written.ids_BT, mask_BT),
            mask_BT.sum(1),
            advantages_BT,
            scores,
            written.terminated_B,
            limit=config.num_completions_to_log,
            seed=step,
            group_size=config.num_generations,
        )
        found = HeldOutLog()
        if held_out.is_due(step):
            with whole(accelerator, policy) as plain:
                found = held_out.answer_after(step, plain)
        bins = histograms.of(
            processes, total_B[scorable_B], tokens, written.logprobs_BT, advantages_BT, ref_logprobs_BT
        )
        metrics_of_step |= found.metrics
        journal.record(step, metrics_of_step, [*samples, *found.samples], bins)
        checkpoints.after(step, metrics_of_step)
    checkpoints.finish()
