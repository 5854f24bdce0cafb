"""Held-out prompts answered during training, to evaluate the policy and to follow single prompts.

Axes: N prompts of the set, T completion tokens.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from diagnostics.model.vocabulary import EVAL_PREFIX
from trainer.config.training import TrainConfig
from trainer.data.dataset import Row, load_eval_rows
from trainer.data.prompts import Prompts
from trainer.rewards import RewardFunc
from trainer.rewards.call_context import TrainerState
from trainer.rewards.scoring import Scores, score
from trainer.rollout.generation import generate
from trainer.rollout.policy import decode, encode
from trainer.rollout.sampling import Sampling, draw_uniforms
from trainer.run.checkpoint import RewardStates
from trainer.run.samples import choose_samples, sample_row

FOLLOWED_PROMPTS = 8


@dataclass(frozen=True, slots=True)
class HeldOutAnswers:
    """The policy's N answers with their rewards."""

    rows: Sequence[Row]
    responses: Sequence[str]
    scores: Scores
    lengths_N: Tensor
    """In tokens, including the end-of-sequence token."""
    terminated_N: Tensor
    state: TrainerState
    """The training state at the time of sampling."""


@dataclass(frozen=True, slots=True)
class HeldOutLog:
    """What a step logs about held-out prompts: metrics under `eval/` and sample rows; empty if nothing is due."""

    metrics: Mapping[str, float] = field(default_factory=dict)
    samples: Sequence[Mapping[str, Any]] = ()


class HeldOut:
    """A training's held-out prompts, answered with the same random numbers every time.

    The training's random state is not touched, so it runs identically with and without evaluation. Rewards and sampling
    stay those of the training's start, even if a fault changes them later.
    """

    def __init__(
        self,
        config: TrainConfig,
        prompts: Prompts,
        reward_funcs: Sequence[RewardFunc],
        tokenizer: PreTrainedTokenizerBase,
        sampling: Sampling,
        summarise: Callable[[HeldOutAnswers], Mapping[str, float]],
    ) -> None:
        """Read the held-out prompts; without any, the first training prompts can be followed.

        Args:
            summarise: Computes the metrics of an evaluation, under their training names without the prefix.

        Raises:
            ConfigError: An evaluation is asked for, and there are no held-out prompts.
        """
        self._config = config
        self._split = "eval" if config.has_held_out_prompts or config.eval_strategy != "no" else "train"
        self._rows = (load_eval_rows(config) if self._split == "eval" else prompts.first(FOLLOWED_PROMPTS))[
            : config.num_eval_prompts
        ]
        self._reward_funcs = reward_funcs
        self._reward_states = RewardStates(reward_funcs)
        self._tokenizer = tokenizer
        self._sampling = for_evaluation(sampling, config.eval_temperature)
        self._summarise = summarise
        self._uniforms_NT = draw_uniforms(len(self._rows), sampling, torch.Generator().manual_seed(config.seed))
        self._followed_steps = evenly_spaced(config.total_steps, config.num_sample_generations)

    def is_due(self, step: int) -> bool:
        """Whether anything is due after a step; if not, a sharded policy need not be gathered."""
        return self._is_evaluated(step) or step in self._followed_steps

    def answer_after(self, step: int, policy: PreTrainedModel) -> HeldOutLog:
        """Run whatever is due after a step's updates: an evaluation, answers to the followed prompts, or both."""
        is_evaluated, is_followed = self._is_evaluated(step), step in self._followed_steps
        if not (is_evaluated or is_followed):
            return HeldOutLog()
        state = self._reward_states.state_dict()
        rows = self._rows if is_evaluated else self._rows[:FOLLOWED_PROMPTS]
        answers = self._answers(policy, rows, TrainerState(step, self._config.total_steps))
        metrics = self._summarise(answers) if is_evaluated else {}
        self._reward_states.load_state_dict(state)
        return HeldOutLog(
            {EVAL_PREFIX + name: value for name, value in metrics.items()},
            self._sample_rows(answers, step, is_evaluated=is_evaluated, is_followed=is_followed),
        )

    def _is_evaluated(self, step: int) -> bool:
        config = self._config
        return config.eval_strategy == "steps" and (step % config.eval_steps == 0 or step == config.total_steps)

    def _answers(self, policy: PreTrainedModel, rows: Sequence[Row], state: TrainerState) -> HeldOutAnswers:
        """The answers to these rows, in passes of the per-device batch size."""
        responses, ids, lengths, terminated = list[str](), list[list[int]](), list[Tensor](), list[Tensor]()
        size = self._config.per_device_train_batch_size
        for first in range(0, len(rows), size):
            part = slice(first, min(first + size, len(rows)))
            prompts = [row["prompt"] for row in rows[part]]
            ids_BQ, mask_BQ = encode(self._tokenizer, prompts, policy.device, self._config.max_prompt_length)
            written = generate(policy, ids_BQ, mask_BQ, self._sampling, self._uniforms_NT[part])
            responses += decode(self._tokenizer, written.ids_BT, written.mask_BT)
            ids += written.token_lists()
            lengths.append(written.mask_BT.sum(1).cpu())
            terminated.append(written.terminated_B.cpu())
        scores = score(self._reward_funcs, self._config.reward_weights, rows, responses, ids, state)
        return HeldOutAnswers(rows, responses, scores, torch.cat(lengths), torch.cat(terminated), state)

    def _sample_rows(
        self, answers: HeldOutAnswers, step: int, *, is_evaluated: bool, is_followed: bool
    ) -> list[dict[str, Any]]:
        """The evaluation's answers, up to the log's limit, and the marked answers to the followed prompts."""
        limit = self._config.num_completions_to_log if is_evaluated else 0
        totals, rewards = answers.scores.totals(), answers.scores.of_completions()
        followed = range(min(FOLLOWED_PROMPTS, len(answers.rows))) if is_followed else range(0)
        return [
            {
                **answers.scores.notes.of_completion(index),
                **sample_row(answers.rows[index], answers.responses[index], totals[index], rewards[index]),
                "terminated": bool(answers.terminated_N[index]),
                "length": int(answers.lengths_N[index]),
                "split": self._split,
                **({"followed": True} if index in followed else {}),
            }
            for index in sorted({*choose_samples(totals, limit, step), *followed})
        ]


def for_evaluation(sampling: Sampling, temperature: float | None) -> Sampling:
    """Sampling at this temperature: greedy at 0, as in training if None."""
    if temperature is None:
        return sampling
    if temperature == 0:
        return replace(sampling, do_sample=False)
    return replace(sampling, temperature=temperature, rollout_temperature=None)


def evenly_spaced(total: int, count: int) -> frozenset[int]:
    """`count` evenly spaced steps from 1 to `total`, both included; only the last if `count` is 1."""
    return frozenset(total - (total - 1) * index // max(count - 1, 1) for index in range(count))
