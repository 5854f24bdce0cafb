"""One step of a training, from rollout to log: what the loops share apart from the updates."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, cast

import torch
from torch import Tensor, nn

from trainer.algorithms.experience import Tokens
from trainer.algorithms.kl import Estimator, k3
from trainer.data.dataset import Row
from trainer.rewards.call_context import TrainerState
from trainer.rewards.scoring import Scores, score
from trainer.rollout.generation import generate
from trainer.rollout.policy import decode, encode, estimate_values, score_tokens
from trainer.rollout.retokenised import tokenised_again
from trainer.rollout.sampling import draw_uniforms
from trainer.run.histograms import StepHistograms
from trainer.run.rollouts import FromEngine, Rollout, Sampled, gather_rollout
from trainer.run.samples import sample_rows
from trainer.run.stages import Config, Stage
from trainer.run.updates import Updates

if TYPE_CHECKING:
    from trainer.run.session import Session


class Step(Generic[Config]):
    """A step: the options in force, and what it does across all processes."""

    def __init__(
        self,
        session: "Session[Config]",
        number: int,
        stage: Stage[Config],
        *,
        seconds_before: float,
        steps_before: int,
    ) -> None:
        """This process started after `steps_before` steps and has spent `seconds_before` on its own steps so far."""
        self.number = number
        self.config, self.prompts, self.reward_funcs = stage
        self._session = session
        self._sampling = session.sampling(stage.config)
        self._training_started = time.perf_counter() - seconds_before
        self._steps_before = steps_before
        self._histograms = StepHistograms(number, stage.config.histogram_steps)

    @property
    def trainer_state(self) -> TrainerState:
        """The training state passed to reward functions."""
        return TrainerState(self.number - 1, self.config.total_steps)

    @property
    def completions_per_second(self) -> float:
        """Average since this process started."""
        done = self.number - self._steps_before
        return done * self.config.batch_size / (time.perf_counter() - self._training_started)

    def rollout(self, prompts: Sequence[Row], group_size: int = 1) -> Sampled:
        """Sample `group_size` completions of each prompt from the policy or its engine, in consecutive rows."""
        session, config = self._session, self.config
        texts = [row["prompt"] for row in prompts]
        encoded = encode(session.tokenizer, texts, session.device, config.max_prompt_length)
        ids_BQ, mask_BQ = (part_PQ.repeat_interleave(group_size, 0) for part_PQ in encoded)
        uniforms_BT, own = draw_uniforms(len(ids_BQ), self._sampling, session.generator), self._own_rows(len(ids_BQ))
        with session.stopwatch.timing("generate"), session.gathered_parameters() as module:
            if session.engine and config.separate_engine:
                model = session.engine.with_weights_for(config.separate_engine)
            else:
                model = session.policy_of(module)
            completions = generate(model, ids_BQ[own], mask_BQ[own], self._sampling, uniforms_BT[own])
        if config.separate_engine and not config.separate_engine.returns_ids:
            limit, pad_id = self._sampling.max_new_tokens, self._sampling.pad_id
            completions = tokenised_again(completions, session.tokenizer, limit, pad_id)
        return Sampled([row for row in prompts for _ in range(group_size)], ids_BQ, mask_BQ, completions, group_size)

    def score(self, sampled: Sampled) -> Rollout:
        """Call the reward functions on the samples, and gather the rows of all processes."""
        session, rows, own = self._session, sampled.rows, self._own_rows(len(sampled.rows))
        completions = sampled.own_completions
        responses = decode(session.tokenizer, completions.ids_BT, completions.mask_BT)
        ids, weights = completions.token_lists(), self.config.reward_weights
        with session.stopwatch.timing("score"):
            scores = score(self.reward_funcs, weights, rows[own], responses, ids, self.trainer_state)
        completions, scores = gather_rollout(session.processes, completions, scores, self._sampling)
        if session.processes.count > 1:
            responses = decode(session.tokenizer, completions.ids_BT, completions.mask_BT)
        return Rollout(
            rows,
            Tokens(sampled.prompt_ids_BQ, sampled.prompt_mask_BQ, completions.ids_BT, completions.mask_BT),
            completions.logprobs_BT,
            completions.terminated_B,
            responses,
            scores_on(session.device, scores),
            sampled.group_size,
        )

    def under_policy(self, rollout: Rollout) -> Rollout:
        """The rollout with the policy's log-probabilities, and the engine's beside them if one apart generated it."""
        session, tokens = self._session, rollout.tokens
        if not (session.engine and self.config.separate_engine):
            return rollout
        clock = session.stopwatch.timing("old_logprobs")
        with clock, torch.no_grad(), session.gathered_parameters() as module:
            own = tokens.rows(self._own_rows(len(tokens.ids_BT)))
            scores = score_tokens(session.policy_of(module), own, self.config.temperature, rollout.group_size)
            logprobs_BT = session.processes.gather(scores.logprobs_BT)
        from_engine = FromEngine(rollout.logprobs_BT, session.engine.staleness)
        return replace(rollout, logprobs_BT=logprobs_BT, from_engine=from_engine)

    def sync_engine(self) -> None:
        """Give the engine, if there is one apart from the trainer, the weights that this step's updates have made."""
        if self._session.engine:
            settings = self.config.separate_engine
            with self._session.stopwatch.timing("weight_sync"):
                self._session.engine.receive(settings is None or settings.is_synced)

    def share_out(self, function: Callable[[Sequence[Row]], Sequence[Tensor]], rows: Sequence[Row]) -> list[Tensor]:
        """A function's tensors for all rows, with each process computing its share."""
        with self._session.stopwatch.timing("score"):
            own = function(rows[self._own_rows(len(rows))])
        return self._session.processes.gather_together(*(part_B.to(self._session.device) for part_B in own))

    def reference_logprobs(self, rollout: Rollout) -> Tensor | None:
        """(B, T) log-probabilities of the completions under the reference; None without one."""
        session, tokens = self._session, rollout.tokens
        if session.reference is None:
            return None
        clock = session.stopwatch.timing("reference")
        with clock, torch.no_grad(), session.processes.accelerator.autocast():
            own = tokens.rows(self._own_rows(len(tokens.ids_BT)))
            scores = score_tokens(session.reference, own, self.config.temperature, rollout.group_size)
            return session.processes.gather(scores.logprobs_BT)

    def reference_logprobs_and_values(self, rollout: Rollout) -> tuple[Tensor, Tensor]:
        """(B, T) log-probabilities under the reference, which is required, and the value model's estimates."""
        session, tokens = self._session, rollout.tokens
        reference = cast(nn.Module, session.reference)
        clock = session.stopwatch.timing("reference")
        with clock, torch.no_grad(), session.gathered_parameters() as module:
            own = tokens.rows(self._own_rows(len(tokens.ids_BT)))
            ref_logprobs_BT, values_BT = session.processes.gather_together(
                score_tokens(reference, own, self.config.temperature).logprobs_BT,
                estimate_values(module.value_model, own),
            )
        return ref_logprobs_BT, values_BT

    def updates(self) -> Updates:
        """The updates to make from the rollout."""
        return Updates(self._session.learner, self.config, self._histograms, self._session.stopwatch)

    def log(
        self,
        metrics: Mapping[str, float],
        rollout: Rollout,
        advantages_BT: Tensor,
        ref_logprobs_BT: Tensor | None,
        estimator: Estimator = k3,
    ) -> None:
        """Write the step to the journal, with its samples and histograms; evaluate and save a checkpoint if due.

        Args:
            estimator: Estimates the KL to the reference, for its histogram.
        """
        session, step, scores = self._session, self.number, rollout.scores
        logged, clock = dict(metrics), session.stopwatch
        samples: list[Mapping[str, Any]] = [
            *sample_rows(
                rollout.rows,
                rollout.responses,
                rollout.tokens.mask_BT.sum(1),
                advantages_BT,
                scores,
                rollout.terminated_B,
                limit=self.config.num_completions_to_log,
                seed=step,
                group_size=rollout.group_size,
            )
        ]
        if session.held_out.is_due(step):
            with clock.timing("evaluate"), session.gathered_parameters() as module:
                found = session.held_out.answer_after(step, session.policy_of(module))
            logged |= found.metrics
            samples += found.samples
        bins = self._histograms.of(
            session.processes,
            scores.total_B[scores.scorable_B],
            rollout.tokens,
            rollout.logprobs_BT,
            advantages_BT,
            ref_logprobs_BT,
            estimator,
        )
        logged |= clock.lap()
        with clock.timing("log"):
            session.journal.record(step, logged, samples, bins)
        with clock.timing("checkpoint"):
            session.checkpoints.save_if_due(step, logged)

    def _own_rows(self, rows: int) -> slice:
        return self._session.processes.own_rows(rows)


def scores_on(device: torch.device, scores: Scores) -> Scores:
    """The same scores with their tensors on a device."""
    return replace(
        scores,
        rewards_FB=scores.rewards_FB.to(device),
        given_FB=scores.given_FB.to(device),
        weights_F=scores.weights_F.to(device),
    )
