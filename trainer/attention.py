"""Attention to short texts with few small heads on the CPU by plain products: torch's fused kernel is made for more.

From 64 tokens on, with heads of 64 numbers, or with 256 numbers in all heads together, the kernel is as fast or faster,
and it keeps no probabilities for the backward pass. Everything else that a model may ask for goes to transformers' own
function around the kernel.
Axes: B texts, K heads of keys and of values, G heads of queries for each of them, H = K·G, S tokens, D size of a head.
"""

from functools import lru_cache
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

LONGEST, WIDEST, WIDEST_IN_ALL = 48, 32, 192
"""Tokens of a text, numbers of a head, and numbers of all its heads of queries that products still serve better."""
NAME = "sdpa_or_products"
"""By which models name it in their configuration; it is never saved."""

Model = TypeVar("Model", bound=PreTrainedModel)


def with_short_attention(model: Model) -> Model:
    """The same model, which attends to short texts by products if it would leave attention to torch."""
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
    **options: Any,
) -> tuple[Tensor, Tensor | None]:
    """(B, S, H, D) what each token reads, in the signature of transformers' `AttentionInterface`."""
    is_causal = options.get("is_causal")
    is_plain = (
        attention_mask is None  # `sdpa_mask` leaves it out where each text is whole: no padding, no window, no cache
        and query_BHSD.shape[2] == key_BKSD.shape[2] <= LONGEST
        and max(query_BHSD.shape[3], value_BKSD.shape[3]) <= WIDEST
        and query_BHSD.shape[1] * query_BHSD.shape[3] <= WIDEST_IN_ALL
        and (query_BHSD.dtype, query_BHSD.device.type) == (torch.float32, "cpu")
        and not torch.is_autocast_enabled("cpu")
        and dropout == 0
        and (getattr(module, "is_causal", True) if is_causal is None else is_causal)
        and not any(options.get(name) is not None for name in ("softcap", "position_bias", "cache"))
    )
    if is_plain:
        scale = query_BHSD.shape[3] ** -0.5 if scaling is None else scaling
        return _by_products(query_BHSD, key_BKSD, value_BKSD, scale), None
    result: tuple[Tensor, Tensor | None] = sdpa_attention_forward(
        module, query_BHSD, key_BKSD, value_BKSD, attention_mask, dropout=dropout, scaling=scaling, **options
    )
    return result


def _by_products(query_BHSD: Tensor, key_BKSD: Tensor, value_BKSD: Tensor, scale: float) -> Tensor:
    """What each token reads of itself and those before it."""
    (texts, heads, length, size), groups = query_BHSD.shape, query_BHSD.shape[1] // key_BKSD.shape[1]
    query_NGSD = query_BHSD.reshape(-1, groups * length, size)
    key_NSD, value_NSD = key_BKSD.flatten(0, 1), value_BKSD.flatten(0, 1)
    scores_NGSS = torch.baddbmm(_before(length, groups), query_NGSD, key_NSD.transpose(1, 2), alpha=scale)
    mixed_NGSD = torch.bmm(scores_NGSS.softmax(2), value_NSD)
    return mixed_NGSD.view(texts, heads, length, -1).transpose(1, 2).contiguous()


@lru_cache(LONGEST)
def _before(length: int, groups: int) -> Tensor:
    """(G·S, S), 0 where a token stands at or before another one, else -∞."""
    with torch.inference_mode(False):  # it outlives the mode in which it is asked for
        return torch.full((length, length), -torch.inf).triu(1).repeat(groups, 1)


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)
