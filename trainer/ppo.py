"""PPO: proximal policy optimisation of a language model, read top to bottom; one step is one rollout and its updates.

Sources: Ouyang et al. 2022 (InstructGPT), Huang et al. 2024 ("The N+ implementation details of RLHF with PPO"), logged
names as in TRL 1.12's `PPOTrainer`. Where TRL averages over padding too, means here are over real tokens. A completion
that no reward function could score has no score: it counts in no mean of scores and no update learns from it.
Axes: B episodes, T tokens.
"""

import time
from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from trainer.acceleration.parallel.processes import Processes
from trainer.acceleration.parallel.sharding import frozen, whole
from trainer.algorithms.advantages import gae, token_rewards
from trainer.algorithms.experience import PPOExperience, Tokens
from trainer.algorithms.kl import ESTIMATORS
from trainer.algorithms.kl_controller import KLController
from trainer.algorithms.losses import LossOut, ppo_policy_loss, ppo_value_loss
from trainer.algorithms.means import PassMetrics, masked_mean, masked_whiten, mean_over_updates, sequence_sums
from trainer.config.ppo import PPOConfig
from trainer.data.prompts import Prompts
from trainer.evaluate.held_out import HeldOut, HeldOutLog
from trainer.rewards import RewardFunc
from trainer.rewards.call_context import TrainerState
from trainer.rewards.score_scaling import ScoreScaler
from trainer.rewards.score_shaping import query_scores, shaping_metrics, with_eos_trick
from trainer.rewards.scoring import load_reward_funcs, score
from trainer.rollout.generation import generate
from trainer.rollout.models import checkpoint_of, load_tokenizer, reference_of, trainable_policy, trainable_value_model
from trainer.rollout.policy import PolicyAndValue, TokenScores, decode, encode, estimate_values, score_tokens, stop_ids
from trainer.rollout.sampling import Sampling, draw_uniforms
from trainer.run.checkpoint import VALUE_MODEL_FOLDER, Checkpoints, GeneratorState, RewardStates
from trainer.run.device import accelerator_for
from trainer.run.histograms import StepHistograms
from trainer.run.journal import Journal
from trainer.run.optimizer import make_optimizer, make_scheduler
from trainer.run.ppo_metrics import answer_metrics, explained_variance, length_metrics, objective_metrics
from trainer.run.samples import sample_rows
from trainer.run.schedule import set_base_rates
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
    accelerator = accelerator_for(config)
    processes, device = Processes(accelerator), accelerator.device
    generator = torch.Generator().manual_seed(config.seed)
    shuffler = torch.Generator().manual_seed(config.seed)

    every_reward_func = [*reward_funcs, *(changes.after.reward_funcs if changes else ())]
    load_reward_funcs(every_reward_func)

    # 1. Models: the policy, its frozen copy as the reference, and a value model of its own (no shared trunk).
    tokenizer = load_tokenizer(checkpoint_of(config))
    policy = trainable_policy(config)
    reference = frozen(accelerator, reference_of(config, policy))
    models = PolicyAndValue(policy, trainable_value_model(config))
    eos_ids = stop_ids(policy, tokenizer)
    sampling = Sampling.of(config, eos_ids, int(tokenizer.pad_token_id))
    optimizer = make_optimizer(
        config,
        (models.policy.parameters(), config.learning_rate),
        (models.value_model.parameters(), config.critic_learning_rate),
    )
    scheduler = make_scheduler(config, optimizer)
    models, optimizer = processes.prepare(models, optimizer)

    kl_controller, scaler = KLController(config), ScoreScaler()
    summarise = partial(answer_metrics, config, reward_funcs)
    held_out = HeldOut(config, prompts, reward_funcs, tokenizer, sampling, summarise)

    reward_states = RewardStates(every_reward_func)
    parts = {"optimizer": optimizer, "scheduler": scheduler, "prompts": prompts, "rewards": reward_states}
    parts |= {"sampling": GeneratorState(generator), "order": GeneratorState(shuffler)}
    parts |= {"kl_controller": kl_controller, "score_scaler": scaler}
    folders = {"": "policy", VALUE_MODEL_FOLDER: "value_model"}
    checkpoints = Checkpoints(config, journal, processes, tokenizer, models, folders, parts)
    checkpoints.restore()

    training_started, steps_before = time.perf_counter(), journal.last_step
    for step in range(steps_before + 1, config.total_steps + 1):
        if processes.any(journal.stop_requested):
            break
        started = time.perf_counter()
        if changes is not None:
            config, prompts, reward_funcs = changes.at(step)
            sampling = Sampling.of(config, eos_ids, int(tokenizer.pad_token_id))
            set_base_rates(scheduler, [config.learning_rate, config.critic_learning_rate])

        # 2. Rollout.
        rows = prompts.draw(config.batch_size)
        prompts_B = [row["prompt"] for row in rows]
        prompt_ids_BQ, prompt_mask_BQ = encode(tokenizer, prompts_B, device, config.max_prompt_length)
        uniforms_BT, own = draw_uniforms(config.batch_size, sampling, generator), processes.own_rows(config.batch_size)
        with whole(accelerator, models) as plain:
            written = generate(plain.policy, prompt_ids_BQ[own], prompt_mask_BQ[own], sampling, uniforms_BT[own])
        responses = decode(tokenizer, written.ids_BT, written.mask_BT)

        # 3. Scores; where asked for, less what the query alone gets, with the EOS trick, and scaled.
        state, ids = TrainerState(step - 1, config.total_steps), written.token_lists()
        scores = score(reward_funcs, config.reward_weights, rows[own], responses, ids, state)
        written, scores = processes.gather_rollout(written, scores, sampling)
        mask_BT = written.mask_BT
        tokens = Tokens(prompt_ids_BQ, prompt_mask_BQ, written.ids_BT, mask_BT)
        scorable_B = scores.scorable_B.to(device)
        own_queries = query_scores(reward_funcs, config, rows[own], state)
        query_B, is_query_scored_B = processes.gather_together(*(part_B.to(device) for part_B in own_queries))
        score_B = with_eos_trick(scores.total_B.to(device) - query_B, written.terminated_B, config)
        scaled_B = scaler.scaled(score_B, config, scorable_B)
        learned_BT = mask_BT & scorable_B.unsqueeze(1)

        # 4. Rewards: the KL penalty at each token, the score at the last one.
        with torch.no_grad(), whole(accelerator, models) as plain:
            own_tokens = tokens.rows(own)
            ref_logprobs_BT, values_BT = processes.gather_together(
                score_tokens(reference, own_tokens, config.temperature).logprobs_BT,
                estimate_values(plain.value_model, own_tokens),
            )
        estimator, kl_coef = ESTIMATORS[config.kl_estimator], kl_controller.coef(config)
        kl_BT = estimator(written.logprobs_BT, ref_logprobs_BT)
        rewards_BT = token_rewards(scaled_B, kl_BT, mask_BT, kl_coef)
        if config.whiten_rewards:
            rewards_BT = masked_whiten(rewards_BT, learned_BT, shift_mean=False)

        # 5. Advantages: GAE, whitened over what is learned from; returns come from the advantages before whitening.
        advantages_BT, returns_BT = gae(rewards_BT, values_BT, learned_BT, config.gamma, config.lam)
        advantages_BT = masked_whiten(advantages_BT, learned_BT)
        batch = PPOExperience(tokens, written.logprobs_BT, advantages_BT, values_BT, returns_BT, learned_BT)

        # 6. Updates: every epoch takes the episodes in a new order, in mini-batches; passes add up their gradients.
        mini_batch_size = config.batch_size // config.num_mini_batches
        passes, histograms = PassMetrics(), StepHistograms(step, config.histogram_steps)
        updates: list[dict[str, Tensor]] = []
        for _ in range(config.num_ppo_epochs):
            order_B = torch.randperm(config.batch_size, generator=shuffler).to(device)
            for mini_batch in order_B.split(mini_batch_size):
                update_tokens = learned_BT[mini_batch].sum().clamp(min=1)
                update_kl = torch.zeros((), device=device)
                for part in processes.passes(mini_batch, config.per_device_train_batch_size, models):
                    piece = batch.rows(part)
                    new, new_values_BT = models(piece.tokens, config.temperature)
                    loss, metrics_of_pass, _ = ppo_loss(piece, new, new_values_BT, config, update_tokens)
                    processes.backward(loss)
                    passes.add(metrics_of_pass, piece.learned_BT)
                    histograms.add_ratios(new.logprobs_BT, piece.logprobs_BT, piece.learned_BT)
                    update_kl += metrics_of_pass["policy/policykl_avg"] * piece.learned_BT.sum() / update_tokens
                updates.append({"grad_norm": processes.clip_gradients(models, config.max_grad_norm)})
                optimizer.step()
                optimizer.zero_grad()
            if config.early_stopping and float(processes.sum(update_kl)) > STOP_FACTOR * config.target_kl:
                break
        learning_rate = float(optimizer.param_groups[0]["lr"])
        scheduler.step()

        # 7. The log: the names of TRL's PPO logging page.
        kl, of_passes_NM = float(sequence_sums(kl_BT, mask_BT).mean()), processes.gather(passes.rows())
        metrics = {
            **scores.notes.means(),
            "eps": (step - steps_before) * config.batch_size / (time.perf_counter() - training_started),
            **objective_metrics(score_B[scorable_B], kl, kl_coef, scaled_B[scorable_B]),
            **shaping_metrics(query_B[is_query_scored_B], scaled_B[scorable_B], config),
            **scores.metrics(),
            "objective/entropy": float(sequence_sums(-written.logprobs_BT, mask_BT).mean()),
            **(passes.combined(of_passes_NM) if learned_BT.any() else {}),
            **mean_over_updates(updates),
            "policy/updates": float(len(updates)),
            **explained_variance(values_BT, returns_BT, learned_BT),
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
            responses if processes.count == 1 else decode(tokenizer, written.ids_BT, mask_BT),
            mask_BT.sum(1),
            advantages_BT,
            scores,
            written.terminated_B,
            limit=config.num_completions_to_log,
            seed=step,
        )
        kl_controller.update(kl, config)
        found = HeldOutLog()
        if held_out.is_due(step):
            with whole(accelerator, models) as plain:
                found = held_out.answer_after(step, plain.policy)
        bins = histograms.of(
            processes,
            scores.total_B[scores.scorable_B],
            tokens,
            written.logprobs_BT,
            advantages_BT,
            ref_logprobs_BT,
            estimator,
        )
        metrics |= found.metrics
        journal.record(step, metrics, [*samples, *found.samples], bins)
        checkpoints.after(step, metrics)
    checkpoints.finish()


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
