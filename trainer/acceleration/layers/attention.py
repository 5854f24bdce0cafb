"""Attention for short texts with few small heads on the CPU, as plain matrix products instead of torch's fused kernel.

From 64 tokens, heads of size 64 or a total width of 256 on, the kernel is as fast or faster, and it keeps no
probabilities for the backward pass. Any other case falls back to transformers' own function around the kernel.

Axes: B texts, K key-value heads, G query heads for each of them, H = K·G, S tokens, R slots for them (`padded_length`),
D head size, N = B·K, X = G·S.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import torch
from torch import Tensor, _softmax_backward_data, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad
from transformers import AttentionInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

from trainer.acceleration.packing import Packing

LONGEST, WIDEST, WIDEST_IN_ALL = 48, 32, 192
"""Largest text length, head size and total width of the query heads for which plain products are still faster."""
_NARROWEST, _STEP = 16, 4
"""Fewer columns than the first make a product up to three times slower; the second is how many are computed together:
one too few costs more than one extra."""
_LOWEST = torch.finfo(torch.float32).min / 2
"""Masks a key: far below every score, and still finite when a score is added."""
NAME = "sdpa_or_products"
"""The name in a model's configuration; it is never saved."""

Model = TypeVar("Model", bound=PreTrainedModel)


def with_short_attention(model: Model) -> Model:
    """The same model with short texts attended to by plain products, if its attention implementation is torch's."""
    if model.config._attn_implementation == "sdpa":
        model.set_attn_implementation(NAME)
    return model


def attend(
    module: nn.Module,
    query_BHSD: Tensor,
    key_BKSD: Tensor,
    value_BKSD: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    packing: Packing | None = None,
    **options: Any,
) -> tuple[Tensor, Tensor | None]:
    """(B, S, H, D) attention output, with the signature of transformers' `AttentionInterface`.

    Args:
        packing: Layout of a single packed row; the attention mask is then ignored.
    """
    if packing is not None:
        settings = {"dropout": dropout, "scaling": scaling, **options}
        return _attend_apart(module, packing, (query_BHSD, key_BKSD, value_BKSD), settings), None
    is_causal, size = options.get("is_causal"), query_BHSD.shape[3]
    is_plain = (
        are_short(key_BKSD.shape[2], max(size, value_BKSD.shape[3]), query_BHSD.shape[1] * size)
        and (query_BHSD.dtype, query_BHSD.device.type) == (torch.float32, "cpu")
        and not torch.is_autocast_enabled("cpu")
        and dropout == 0
        and (getattr(module, "is_causal", True) if is_causal is None else is_causal)
        and not any(options.get(name) is not None for name in ("softcap", "position_bias", "cache"))
    )
    if is_plain and _is_in_order(attention_mask, query_BHSD.shape[2], key_BKSD.shape[2]):
        scale = size**-0.5 if scaling is None else scaling
        return _Products.apply(query_BHSD, key_BKSD, value_BKSD, scale), None  # type: ignore[no-untyped-call]
    result: tuple[Tensor, Tensor | None] = sdpa_attention_forward(
        module, query_BHSD, key_BKSD, value_BKSD, attention_mask, dropout=dropout, scaling=scaling, **options
    )
    return result


def _attend_apart(
    module: nn.Module, packing: Packing, heads_1YMD: tuple[Tensor, ...], settings: dict[str, Any]
) -> Tensor:
    """(1, M, H, D) attention output of a packed row: each token sees its own text, a completion also its prompt."""
    of_prompts = [packing.prompts_of(part[0], 1).transpose(0, 1) for part in heads_1YMD]
    query_BHTD, *own = (packing.completions_of(part[0], 1).transpose(0, 1) for part in heads_1YMD)
    key_BKSD, value_BKSD = (
        torch.cat([before_PKQD.repeat_interleave(packing.group, 0), own_BKTD], 2)
        for before_PKQD, own_BKTD in zip(of_prompts[1:], own, strict=True)
    )
    query_PHQD, key_PKQD, value_PKQD = of_prompts
    prompts_PQHD, _ = attend(module, query_PHQD, key_PKQD, value_PKQD, _prompts_mask(packing), **settings)
    mask_B1TS = _completions_mask(packing, query_BHTD.device)
    completions_BTHD, _ = attend(module, query_BHTD, key_BKSD, value_BKSD, mask_B1TS, **settings)
    return packing.concatenated(prompts_PQHD, completions_BTHD).unsqueeze(0)


def _prompts_mask(packing: Packing) -> Tensor | None:
    """(P, 1, Q, Q), True where a key is visible; padding sees itself, since a fully masked query gives NaN."""
    if packing.mask_PQ is None:
        return None
    own_QQ = torch.eye(packing.prompt_length, dtype=torch.bool, device=packing.mask_PQ.device)
    return (packing.mask_PQ[:, None, None] & own_QQ.new_ones(own_QQ.shape).tril()) | own_QQ


def _completions_mask(packing: Packing, device: torch.device) -> Tensor:
    """(B, 1, T, Q + T), True where a key is visible."""
    length, keys = packing.length, packing.prompt_length + packing.length
    read_TS = torch.ones(length, keys, dtype=torch.bool, device=device).tril(packing.prompt_length)
    if packing.mask_PQ is None:
        return read_TS.expand(packing.prompts * packing.group, 1, -1, -1)
    real_BQ = packing.mask_PQ.repeat_interleave(packing.group, 0)
    return pad(real_BQ, (0, length), value=True)[:, None, None] & read_TS


def _is_in_order(mask_B1SS: Tensor | None, queries: int, keys: int) -> bool:
    """Whether attention is purely causal in every text; the queries belong to the last keys.

    `sdpa_mask` returns None for whole texts (no padding, window or cache), and does not copy a mask that all texts
    share.
    """
    if mask_B1SS is None:
        return queries == keys
    is_the_same = mask_B1SS.shape[1] == 1 and (len(mask_B1SS) == 1 or mask_B1SS.stride(0) == 0)
    return (
        is_the_same
        and mask_B1SS.dtype == torch.bool
        and mask_B1SS[0, 0].equal(_future_mask(queries, keys, 1, keys) == 0)
    )


class _Products(torch.autograd.Function):
    """Causal attention from matrix products, with gradients from matrix products."""

    @staticmethod
    def forward(ctx: Any, query_BHSD: Tensor, key_BKSD: Tensor, value_BKSD: Tensor, scale: float) -> Tensor:
        groups = query_BHSD.shape[1] // key_BKSD.shape[1]
        query_NXD = query_BHSD.reshape(-1, groups * query_BHSD.shape[2], query_BHSD.shape[3])
        length = key_BKSD.shape[2]
        key_NRD, value_NRD = (with_room(heads_BKSD).flatten(0, 1) for heads_BKSD in (key_BKSD, value_BKSD))
        mixed_NXD, share_NXR = attention_output(query_NXD, key_NRD, value_NRD, length, groups, scale)
        ctx.save_for_backward(query_NXD, key_NRD, value_NRD, share_NXR)
        ctx.shapes, ctx.scale = (query_BHSD.shape, key_BKSD.shape, value_BKSD.shape), scale
        return mixed_NXD.view(*query_BHSD.shape[:3], -1).transpose(1, 2).contiguous()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_BSHD: Tensor) -> tuple[Tensor | None, ...]:
        query_NXD, key_NRD, value_NRD, share_NXR = ctx.saved_tensors
        gradient_NXD = gradient_BSHD.transpose(1, 2).reshape(*query_NXD.shape[:2], -1)
        of_query_NXD, *others = mixed_gradients(gradient_NXD, query_NXD, key_NRD, value_NRD, share_NXR, ctx.scale)
        of_query, *of_others = ctx.shapes
        of_tokens = (without_room(gradient, shape) for gradient, shape in zip(others, of_others, strict=True))
        return of_query_NXD.view(of_query), *of_tokens, None


def are_short(length: int, size: int, width: int) -> bool:
    """Whether plain products are faster for this text length, head size and total width of the query heads."""
    return length <= LONGEST and size <= WIDEST and width <= WIDEST_IN_ALL


def padded_length(length: int) -> int:
    """Slots for the keys and values of `length` tokens; unused ones are zero and never attended to."""
    return max(length + (length % _STEP == _STEP - 1), _NARROWEST)


def with_room(heads_BKSD: Tensor) -> Tensor:
    """(B, K, R, D), padded with zeros."""
    left_over = padded_length(heads_BKSD.shape[2]) - heads_BKSD.shape[2]
    return pad(heads_BKSD, (0, 0, 0, left_over)) if left_over else heads_BKSD


def without_room(gradient_NRD: Tensor, shape: Sequence[int]) -> Tensor:
    """The gradient of the real tokens in the original (B, K, S, D) shape, without the unused slots."""
    gradient_BKRD: Tensor = gradient_NRD.unflatten(0, shape[:2])
    return gradient_BKRD[:, :, : shape[2]]


def attention_output(
    query_NXD: Tensor,
    key_NRD: Tensor,
    value_NRD: Tensor,
    length: int,
    groups: int,
    scale: float,
    kept_out_NXR: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """(N, X, D) attention output, and the (N, X, R) attention probabilities.

    Args:
        length: Number of tokens behind the keys and values, without unused slots.
        kept_out_NXR: The mask from `kept_out`, if attention is not purely causal.
    """
    if kept_out_NXR is None:
        kept_out_NXR = _future_mask(query_NXD.shape[1] // groups, length, groups, key_NRD.shape[1])
    share_NXR = torch.baddbmm(kept_out_NXR, query_NXD, key_NRD.transpose(1, 2), alpha=scale).softmax(2)
    return torch.bmm(share_NXR, value_NRD), share_NXR


def mixed_gradients(
    gradient_NXD: Tensor, query_NXD: Tensor, key_NRD: Tensor, value_NRD: Tensor, share_NXR: Tensor, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of the queries, keys and values of `attention_output`."""
    of_share_NXR = torch.bmm(gradient_NXD, value_NRD.transpose(1, 2))
    of_score_NXR = _softmax_backward_data(of_share_NXR, share_NXR, 2, share_NXR.dtype).mul_(scale)
    return (
        torch.bmm(of_score_NXR, key_NRD),
        torch.bmm(of_score_NXR.transpose(1, 2), query_NXD),
        torch.bmm(share_NXR.transpose(1, 2), gradient_NXD),
    )


@lru_cache(4)  # all layers of a pass share their masks, and the last one may need fewer tokens
def kept_out(mask_bTS: Tensor, queries: int, key_heads: int, groups: int, columns: int) -> Tensor:
    """(N, X, columns) or (1, X, columns) additive mask of the last `queries` tokens: 0 for visible keys, else about -∞.

    Finite, because a fully masked padding query would give NaN; its output is never used.

    Args:
        mask_bTS: (b, 1, T, S) bool, True where a key is visible; b is 1 if all texts share the mask.
    """
    with torch.inference_mode(False):
        read_bTS = mask_bTS[:, 0, mask_bTS.shape[2] - queries :]
        kept_out_bTR = torch.full((*read_bTS.shape[:2], columns), _LOWEST)
        kept_out_bTR[:, :, : read_bTS.shape[2]].masked_fill_(read_bTS, 0.0)
        return kept_out_bTR.repeat(1 if len(mask_bTS) == 1 else key_heads, groups, 1)


@lru_cache(1)
def masks_of(packing: Packing) -> tuple[Tensor | None, Tensor | None]:
    """(P, 1, Q, Q) and (B, 1, T, Q + T) bool attention masks of a packed row's prompts and completions.

    None if attention is purely causal.
    """
    if packing.mask_PQ is None:
        return None, None
    return _prompts_mask(packing), _completions_mask(packing, packing.mask_PQ.device)


@lru_cache(LONGEST)
def _future_mask(queries: int, keys: int, groups: int, columns: int) -> Tensor:
    """(X, columns) causal mask: -∞ for later keys and unused slots, else 0; the queries belong to the last keys."""
    with torch.inference_mode(False):  # the cached mask outlives the caller's mode
        return torch.full((queries, columns), -torch.inf).triu(1 + keys - queries).repeat(groups, 1)


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)
