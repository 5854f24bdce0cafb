"""Sampling of the next token: the options, the logits processors, and the draw itself.

Axes: B completions, T completion tokens, A rows still being generated, V vocabulary.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from trainer.config.options.rollout_engine import PROCESSED_LOGPROBS, RAW_LOGPROBS
from trainer.config.training import TrainConfig

LARGEST_UNIFORM = 1 - 2**-20
"""Below 1 by more than rounding, so that uniform × total stays below total and no token of probability 0 is drawn."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """A training's sampling options, with the token ids they need; without `eos_ids` no completion ends early."""

    max_new_tokens: int
    eos_ids: tuple[int, ...]
    pad_id: int
    temperature: float = 1.0
    rollout_temperature: float | None = None
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    do_sample: bool = True
    min_new_tokens: int = 0
    repetition_penalty: float = 1.0
    decode: str = "auto"
    logprobs_mode: str | None = None
    """The distribution that log-probabilities are of: None for the policy's, else an engine's, as vLLM names it."""

    @classmethod
    def of(cls, config: TrainConfig, eos_ids: tuple[int, ...], pad_id: int) -> "Sampling":
        """The sampling options of a configuration."""
        return cls(
            max_new_tokens=config.max_new_tokens,
            eos_ids=_stop_ids(config, eos_ids),
            pad_id=pad_id,
            temperature=config.temperature,
            rollout_temperature=config.rollout_temperature,
            top_k=config.top_k,
            top_p=config.top_p,
            min_p=config.min_p,
            do_sample=config.do_sample,
            min_new_tokens=config.min_new_tokens,
            repetition_penalty=config.repetition_penalty,
            decode=config.decode if config.acceleration else "generic",
            logprobs_mode=config.separate_engine.logprobs_mode if config.separate_engine else None,
        )

    @property
    def drawn_temperature(self) -> float:
        """The temperature that tokens are drawn at."""
        return self.rollout_temperature or self.temperature

    @property
    def penalises_repetition(self) -> bool:
        """Whether tokens seen before become less likely."""
        return self.repetition_penalty != 1

    @property
    def is_the_policy(self) -> bool:
        """Whether tokens are drawn from the same distribution that the log-probabilities come from."""
        neutral = (self.top_k, self.top_p, self.min_p, self.min_new_tokens, self.repetition_penalty) == (0, 1, 0, 0, 1)
        is_raw = self.logprobs_mode == RAW_LOGPROBS and self.temperature != 1
        return neutral and self.do_sample and self.drawn_temperature == self.temperature and not is_raw


def reported_logits(logits_AV: Tensor, bent_AV: Tensor, sampling: Sampling) -> Tensor:
    """The logits whose log-softmax are the log-probabilities to report: the policy's, or what an engine is set to."""
    if sampling.logprobs_mode == PROCESSED_LOGPROBS:
        return bent_AV
    return logits_AV if sampling.logprobs_mode == RAW_LOGPROBS else logits_AV / sampling.temperature


def bent_logits(logits_AV: Tensor, sampling: Sampling, position: int, seen_AV: Tensor | None) -> Tensor:
    """The logits to draw from, after all processors, in the order of transformers' `generate`.

    Args:
        position: Tokens generated so far.
        seen_AV: bool, tokens in the prompt and the completion so far; only the repetition penalty needs it.
    """
    if seen_AV is not None:
        penalised_AV = torch.where(
            logits_AV > 0, logits_AV / sampling.repetition_penalty, logits_AV * sampling.repetition_penalty
        )
        logits_AV = torch.where(seen_AV, penalised_AV, logits_AV)
    if position < sampling.min_new_tokens and sampling.eos_ids:
        logits_AV = logits_AV.index_fill(1, torch.tensor(sampling.eos_ids, device=logits_AV.device), -torch.inf)
    logits_AV = logits_AV / sampling.drawn_temperature
    if sampling.top_k:
        logits_AV = _keep_top_k(logits_AV, sampling.top_k)
    if sampling.top_p < 1:
        logits_AV = _keep_top_p(logits_AV, sampling.top_p)
    return _keep_min_p(logits_AV, sampling.min_p) if sampling.min_p else logits_AV


def _stop_ids(config: TrainConfig, eos_ids: tuple[int, ...]) -> tuple[int, ...]:
    if config.stop_token_id is not None:
        return (config.stop_token_id,)
    return eos_ids if config.stops_at_eos else ()


def draw_uniforms(rows: int, sampling: Sampling, generator: torch.Generator) -> Tensor:
    """(B, T) float32 on the CPU, in [0, 1): a rollout's random numbers, one for each possible token.

    Drawn at once for the rows of all processes, each of which takes its slice. A row's tokens thus depend only on its
    own numbers: not on which rows have ended, on padding, or on the number of processes and passes.
    """
    return torch.rand(rows, sampling.max_new_tokens, generator=generator).clamp_(max=LARGEST_UNIFORM)


def draw(probs_AV: Tensor, uniforms_A: Tensor) -> Tensor:
    """(A,) one token per row, by inverse transform sampling on a cumulative sum; much cheaper than `multinomial`.

    With NaN probabilities token 0 is drawn, as serving engines do: a broken policy keeps running and its NaNs are
    logged. The search then runs past all tokens, off the end.
    """
    cumulative_AV = probs_AV.cumsum(1)
    places_A1 = (cumulative_AV[:, -1] * uniforms_A).unsqueeze(1)
    return torch.searchsorted(cumulative_AV, places_A1, right=True).squeeze(1).remainder_(probs_AV.shape[1])


def _keep_top_k(logits_AV: Tensor, k: int) -> Tensor:
    smallest_kept_A1 = logits_AV.topk(min(k, logits_AV.shape[1])).values[:, -1:]
    return logits_AV.masked_fill(logits_AV < smallest_kept_A1, -torch.inf)


def _keep_top_p(logits_AV: Tensor, p: float) -> Tensor:
    """Keep the likeliest tokens until their probability reaches p; the token that reaches it is kept."""
    sorted_AV, order_AV = logits_AV.sort(descending=True)
    probs_AV = sorted_AV.softmax(1)
    dropped_AV = probs_AV.cumsum(1) - probs_AV >= p
    return logits_AV.masked_fill(torch.zeros_like(dropped_AV).scatter(1, order_AV, dropped_AV), -torch.inf)


def _keep_min_p(logits_AV: Tensor, share: float) -> Tensor:
    probs_AV = logits_AV.softmax(1)
    return logits_AV.masked_fill(probs_AV < share * probs_AV.amax(1, keepdim=True), -torch.inf)
