"""Log-probabilities of chosen tokens and entropies from logits, using one tensor of the logits' size.

The obvious way, log-softmax, gather and the sum of p·log p, makes four of them and reads each several times; with a
vocabulary of any size, they dominate an update's memory.

Axes: B completions, T tokens, V vocabulary, P prompts, G completions of each, R rows of logits, K tokens chosen in
each.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

CHUNK_ON_CPU, CHUNK_ELSEWHERE = 1 << 18, 1 << 26
"""Logits processed at a time: few enough to fit a CPU's cache, enough to keep a GPU busy."""


def token_logprobs(logits_BTV: Tensor, ids_BT: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """logprobs_BT of the tokens (float32, with gradient) and entropy_BT (float32, nats, without) at `temperature`."""
    logprobs_BT1, entropy_BT = _of_spans(logits_BTV, temperature, ids_BT.unsqueeze(2))
    return logprobs_BT1.squeeze(2), entropy_BT


def token_logprobs_of_groups(
    logits_1RV: Tensor, first_PG: Tensor, others_BT: Tensor, temperature: float
) -> tuple[Tensor, Tensor]:
    """The same when a group's first tokens share one row of logits, with the rows of the other tokens after them.

    Args:
        logits_1RV: P rows, then those of each completion's other tokens.

    Returns:
        As `token_logprobs`, starting with the first tokens.
    """
    ids = (first_PG.unsqueeze(1), others_BT.unsqueeze(2))
    first_P1G, of_others_BT1, entropy_P1, entropy_BT = _of_spans(logits_1RV, temperature, *ids)
    return (
        torch.cat([first_P1G.reshape(-1, 1), of_others_BT1.squeeze(2)], 1),
        torch.cat([entropy_P1.repeat_interleave(first_PG.shape[1], 0), entropy_BT], 1),
    )


def _of_spans(logits: Tensor, temperature: float, *ids: Tensor) -> tuple[Tensor, ...]:
    """Log-probabilities of the (B, T, K) tokens of each span of rows, then the (B, T) entropies of each."""
    device = logits.device.type
    kept = torch.float32 if torch.is_autocast_enabled(device) else logits.dtype  # bfloat16 rounds values near 1 to 1
    with torch.autocast(device, enabled=False):  # autocast would sum the entropy in bfloat16
        results: tuple[Tensor, ...] = _TokenLogprobs.apply(logits, temperature, kept, *ids)  # type: ignore[no-untyped-call]
    return results


class _TokenLogprobs(torch.autograd.Function):
    """Keeps the probabilities for the backward pass, where they become the gradient: (1[token] − p) / temperature."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, temperature: float, kept: torch.dtype, *ids: Tensor) -> tuple[Tensor, ...]:
        probs = torch.empty_like(logits, dtype=kept) if ctx.needs_input_grad[0] else None
        logprobs = [torch.empty(ids_BTK.shape, device=logits.device) for ids_BTK in ids]
        entropies = [logprobs_BTK.new_empty(logprobs_BTK.shape[:2]) for logprobs_BTK in logprobs]
        of_probs = _spans(probs, ids) if probs is not None else [None] * len(ids)
        for span in zip(_spans(logits, ids), ids, of_probs, logprobs, entropies, strict=True):
            _write_span(*span, temperature=temperature)
        ctx.temperature = temperature
        ctx.save_for_backward(probs, *ids)
        ctx.mark_non_differentiable(*entropies)
        return *logprobs, *entropies

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        probs, *ids = ctx.saved_tensors
        for probs_BTV, ids_BTK, gradient_BTK in zip(_spans(probs, ids), ids, gradients, strict=False):
            scaled_BTK = (gradient_BTK / ctx.temperature).to(probs.dtype)
            probs_BTV.mul_(-scaled_BTK.sum(2, keepdim=True)).scatter_add_(2, ids_BTK, scaled_BTK)
        return probs, None, None, *(None for _ in ids)


def _spans(rows: Tensor, ids: Sequence[Tensor]) -> Sequence[Tensor]:
    """(B, T, V) views of the rows that belong to the tokens of each span."""
    if len(ids) == 1:
        return (rows,)
    shapes = [ids_BTK.shape[:2] for ids_BTK in ids]
    parts = rows.squeeze(0).split([shape.numel() for shape in shapes])
    return [part.view(*shape, -1) for part, shape in zip(parts, shapes, strict=True)]


def _write_span(
    logits_BTV: Tensor,
    ids_BTK: Tensor,
    probs_BTV: Tensor | None,
    logprobs_BTK: Tensor,
    entropy_BT: Tensor,
    *,
    temperature: float,
) -> None:
    for part in _chunks(logits_BTV):
        scaled_BTV = logits_BTV[part].float()
        scaled_BTV = scaled_BTV if temperature == 1 else scaled_BTV / temperature
        all_BTV = scaled_BTV.log_softmax(2)
        in_place = probs_BTV[part] if probs_BTV is not None and probs_BTV.dtype == torch.float32 else None
        probs_part_BTV = torch.softmax(scaled_BTV, 2, out=in_place)  # faster than exp of the logarithms on a CPU
        logprobs_BTK[part] = all_BTV.gather(2, ids_BTK[part])
        entropy_BT[part] = -torch.linalg.vecdot(probs_part_BTV, all_BTV)
        if probs_BTV is not None and in_place is None:
            probs_BTV[part] = probs_part_BTV


def _chunks(logits_BTV: Tensor) -> Iterator[slice]:
    """Slices of the texts, one chunk each."""
    chunk = CHUNK_ON_CPU if logits_BTV.device.type == "cpu" else CHUNK_ELSEWHERE
    rows = max(chunk // logits_BTV[0].numel(), 1)
    return (slice(start, start + rows) for start in range(0, len(logits_BTV), rows))
