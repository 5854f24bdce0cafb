"""Log-probabilities of chosen tokens and entropies from logits, with one tensor of the logits' size in memory.

The obvious way, log-softmax, gather and the sum of p·log p, makes four of them and reads each several times; with a
vocabulary of any size these are what an update spends its memory on.
Axes: B completions, T tokens, V vocabulary.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

CHUNK_ON_CPU, CHUNK_ELSEWHERE = 1 << 18, 1 << 26
"""Logits that are worked on at a time: on a CPU few enough for its cache, on a GPU enough to keep it busy."""


def token_logprobs(logits_BTV: Tensor, ids_BT: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """logprobs_BT of the tokens (float32, with gradient) and entropy_BT (float32, nats, without) at `temperature`."""
    device = logits_BTV.device.type
    kept = torch.float32 if torch.is_autocast_enabled(device) else logits_BTV.dtype  # a bfloat16 near 1 is 1
    with torch.autocast(device, enabled=False):  # which would sum up the entropy in bfloat16
        results: tuple[Tensor, Tensor] = _TokenLogprobs.apply(logits_BTV, ids_BT, temperature, kept)  # type: ignore[no-untyped-call]
    return results


class _TokenLogprobs(torch.autograd.Function):
    """Keeps the probabilities for the backward pass, where they become the gradient: (1[token] − p) / temperature."""

    @staticmethod
    def forward(
        ctx: Any, logits_BTV: Tensor, ids_BT: Tensor, temperature: float, kept: torch.dtype
    ) -> tuple[Tensor, Tensor]:
        logprobs_BT = torch.empty(ids_BT.shape, device=ids_BT.device)
        entropy_BT = torch.empty_like(logprobs_BT)
        probs_BTV = torch.empty_like(logits_BTV, dtype=kept) if ctx.needs_input_grad[0] else None
        for part in _parts(logits_BTV):
            scaled_BTV = logits_BTV[part].float()
            scaled_BTV = scaled_BTV if temperature == 1 else scaled_BTV / temperature
            logprobs_BTV = scaled_BTV.log_softmax(2)
            in_place = probs_BTV[part] if probs_BTV is not None and kept == torch.float32 else None
            probs_part_BTV = torch.exp(logprobs_BTV, out=in_place)
            logprobs_BT[part] = logprobs_BTV.gather(2, ids_BT[part].unsqueeze(2)).squeeze(2)
            entropy_BT[part] = -torch.linalg.vecdot(probs_part_BTV, logprobs_BTV)
            if probs_BTV is not None and in_place is None:
                probs_BTV[part] = probs_part_BTV
        ctx.temperature = temperature
        ctx.save_for_backward(probs_BTV, ids_BT)
        ctx.mark_non_differentiable(entropy_BT)
        return logprobs_BT, entropy_BT

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_BT: Tensor, _: Tensor) -> tuple[Tensor, None, None, None]:
        probs_BTV, ids_BT = ctx.saved_tensors
        scaled_BT1 = (gradient_BT / ctx.temperature).unsqueeze(2).to(probs_BTV.dtype)
        gradient_BTV = probs_BTV.mul_(-scaled_BT1)
        return gradient_BTV.scatter_add_(2, ids_BT.unsqueeze(2), scaled_BT1), None, None, None


def _parts(logits_BTV: Tensor) -> Iterator[slice]:
    """Slices of the completions that make up a chunk each."""
    chunk = CHUNK_ON_CPU if logits_BTV.device.type == "cpu" else CHUNK_ELSEWHERE
    rows = max(chunk // logits_BTV[0].numel(), 1)
    return (slice(start, start + rows) for start in range(0, len(logits_BTV), rows))
