"""The attention of a `LeanLayer`, forward and backward, from the queries, keys and values of all tokens.

The input is rotated in place. In a packed row, prompts attend to themselves and completions also to their prompt; the
gradients that a group's completions send to their prompt's keys and values are summed.

Axes: B texts, S tokens, T last tokens that need outputs, P prompts of Q tokens each, b 1 or B, H query heads, K key-
value heads, G = H / K, E = H + K, Y = E + K, N = K·B, X = G·T, or any other axis, R slots for S keys, D head size, J =
D / 2, O = Y·D.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from trainer.acceleration.layers.attention import attention_output, kept_out, mixed_gradients, padded_length
from trainer.acceleration.packing import Packing


@dataclass(frozen=True, slots=True)
class LayerShape:
    """A layer's settings other than weights, and the layout of its texts."""

    head_size: int
    key_heads: int
    groups: int
    scaling: float
    epsilons: tuple[float, float]
    """Of the norms before the attention and before the MLP."""
    packing: Packing | None
    turns: tuple[Tensor, ...]
    """(b, S, E, J) complex rotary factors of queries and keys; in a packed row, those of the prompts and of the
    completions."""
    masks: tuple[Tensor | None, ...]
    """(b, 1, S, S) bool, True where a key is visible, for the same texts; None if attention is purely causal."""

    @classmethod
    def of(
        cls, layer: Any, packing: Packing | None, rotation: tuple[Tensor, Tensor], masks: tuple[Tensor | None, ...]
    ) -> "LayerShape":
        """The shape of a transformers layer in a pass with this rotary embedding (cosines and sines) of all tokens."""
        attention, norms = layer.self_attn, (layer.input_layernorm, layer.post_attention_layernorm)
        epsilons = (norms[0].variance_epsilon, norms[1].variance_epsilon)
        key_heads, groups = attention.k_proj.out_features // attention.head_dim, attention.num_key_value_groups
        turns = _rotations(*rotation, key_heads * (groups + 1), packing)
        return cls(attention.head_dim, key_heads, groups, attention.scaling, epsilons, packing, turns, masks)

    @property
    def query_heads(self) -> int:
        return self.key_heads * self.groups


@lru_cache(1)  # all layers of a pass share it
def _rotations(cos_bSD: Tensor, sin_bSD: Tensor, heads: int, packing: Packing | None) -> tuple[Tensor, ...]:
    turn_bSJ = torch.complex(cos_bSD.chunk(2, 2)[0], sin_bSD.chunk(2, 2)[0])
    parts = [turn_bSJ] if packing is None else [packing.prompts_of(turn_bSJ[0]), packing.completions_of(turn_bSJ[0])]
    if packing is not None and packing.mask_PQ is None:  # the same for every text
        parts = [part[:1] for part in parts]
    return tuple(part.unsqueeze(2).repeat(1, 1, heads, 1) for part in parts)


def by_heads(numbers_XO: Tensor, texts: int, shape: LayerShape) -> Tensor:
    """(B, ·, ·, D) view by texts, tokens and heads."""
    return numbers_XO.view(texts, len(numbers_XO) // texts, -1, shape.head_size)


def _rotate(heads_BSYD: Tensor, turn_bSEJ: Tensor) -> None:
    """Apply the rotary embedding to queries and keys, in place."""
    pairs_BSEJ = torch.view_as_complex(heads_BSYD[:, :, : turn_bSEJ.shape[2]].unflatten(3, (-1, 2)))
    torch.mul(pairs_BSEJ, turn_bSEJ, out=pairs_BSEJ)


def rotate_and_attend(heads_BSYD: Tensor, mixed_BTHD: Tensor, shape: LayerShape) -> tuple[Tensor, ...]:
    """Rotate queries and keys, write the attention output to `mixed_BTHD` and return what its gradients need."""
    packing, masks = shape.packing, shape.masks
    if packing is None:
        _rotate(heads_BSYD, shape.turns[0])
        return _attend_texts(heads_BSYD, None, mixed_BTHD, masks[0], shape)
    heads_PQYD, completions_BTYD = packing.prompts_of(heads_BSYD[0]), packing.completions_of(heads_BSYD[0])
    for part_XSYD, turn_bSEJ in zip((heads_PQYD, completions_BTYD), shape.turns, strict=True):
        _rotate(part_XSYD, turn_bSEJ)
    mixed_PTHD = packing.prompts_of(mixed_BTHD[0])  # a copy to write to
    of_prompts = _attend_texts(heads_PQYD, None, mixed_PTHD, masks[0], shape)
    packing.write_prompts(mixed_BTHD[0], mixed_PTHD)
    of_completions = _attend_texts(completions_BTYD, heads_PQYD, packing.completions_of(mixed_BTHD[0]), masks[1], shape)
    return *of_prompts, *of_completions


def rotate_and_attend_gradients(
    mixed_gradient_BTHD: Tensor, readings: Sequence[Tensor], heads_BSYD: Tensor, shape: LayerShape
) -> None:
    """Write the gradients of queries, keys and values, before rotation, to `heads_BSYD`."""
    packing, backs = shape.packing, [turn_bSEJ.conj().resolve_conj() for turn_bSEJ in shape.turns]
    if packing is None:
        _attend_texts_gradients(mixed_gradient_BTHD, readings, heads_BSYD, None, shape)
        _rotate(heads_BSYD, backs[0])
        return
    mixed_gradient_XHD, heads_SYD = mixed_gradient_BTHD[0], heads_BSYD[0]
    heads_PQYD = heads_SYD.new_empty(packing.prompts, packing.prompt_length, *heads_SYD.shape[1:])
    _attend_texts_gradients(packing.prompts_of(mixed_gradient_XHD), readings[:4], heads_PQYD, None, shape)
    completions_BTHD, completions_BTYD = (packing.completions_of(part) for part in (mixed_gradient_XHD, heads_SYD))
    _attend_texts_gradients(completions_BTHD, readings[4:], completions_BTYD, heads_PQYD, shape)
    for part_XSYD, back_bSEJ in zip((heads_PQYD, completions_BTYD), backs, strict=True):
        _rotate(part_XSYD, back_bSEJ)
    packing.write_prompts(heads_SYD, heads_PQYD)


def _attend_texts(
    heads_BSYD: Tensor,
    prompts_PQYD: Tensor | None,
    mixed_BTHD: Tensor,
    mask_B1SS: Tensor | None,
    shape: LayerShape,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`rotate_and_attend`, after rotation, for separate texts, or for completions with the prompts before them."""
    length, kept, before = heads_BSYD.shape[1], mixed_BTHD.shape[1], _length(prompts_PQYD)
    query_NXD = _of_groups(heads_BSYD[:, length - kept :], shape).reshape(-1, shape.groups * kept, shape.head_size)
    key_NRD, value_NRD = _keys_and_values(heads_BSYD, prompts_PQYD, shape)
    bias = None
    if mask_B1SS is not None:
        bias = kept_out(mask_B1SS, kept, shape.key_heads, shape.groups, key_NRD.shape[1])
    mixed_NXD, share_NXR = attention_output(
        query_NXD, key_NRD, value_NRD, before + length, shape.groups, shape.scaling, bias
    )
    mixed_KBGTD = _of_groups(mixed_BTHD, shape)
    mixed_KBGTD[:] = mixed_NXD.view(mixed_KBGTD.shape)
    return query_NXD, key_NRD, value_NRD, share_NXR


def _attend_texts_gradients(
    mixed_gradient_BTHD: Tensor,
    reading: Sequence[Tensor],
    heads_BSYD: Tensor,
    prompts_PQYD: Tensor | None,
    shape: LayerShape,
) -> None:
    """Write the gradients to `heads_BSYD`, and add those of the prompts to `prompts_PQYD`."""
    query_NXD, key_NRD, value_NRD, share_NXR = reading
    gradient_NXD = _of_groups(mixed_gradient_BTHD, shape).reshape(query_NXD.shape)
    of_query_NXD, *of_pair_NRD = mixed_gradients(gradient_NXD, query_NXD, key_NRD, value_NRD, share_NXR, shape.scaling)
    length, kept, before = heads_BSYD.shape[1], mixed_gradient_BTHD.shape[1], _length(prompts_PQYD)
    heads_BSYD[:, : length - kept, : shape.query_heads] = 0
    query_KBGTD = _of_groups(heads_BSYD[:, length - kept :], shape)
    query_KBGTD[:] = of_query_NXD.view(query_KBGTD.shape)
    for place, gradient_NRD in enumerate(of_pair_NRD):
        first = shape.query_heads + place * shape.key_heads
        gradient_KBRD = gradient_NRD.unflatten(0, (shape.key_heads, -1))
        own_KBSD = heads_BSYD[:, :, first : first + shape.key_heads].permute(2, 0, 1, 3)
        own_KBSD[:] = gradient_KBRD[:, :, before : before + length]
        if prompts_PQYD is not None:
            of_prompt_KPQD = prompts_PQYD[:, :, first : first + shape.key_heads].permute(2, 0, 1, 3)
            of_prompt_KPQD += gradient_KBRD[:, :, :before].unflatten(1, (len(prompts_PQYD), -1)).sum(2)


def _length(texts: Tensor | None) -> int:
    return 0 if texts is None else texts.shape[1]


def _of_groups(heads_BTYD: Tensor, shape: LayerShape) -> Tensor:
    """(K, B, G, T, D) view of the queries, grouped by the keys they share."""
    grouped_BTKGD: Tensor = heads_BTYD[:, :, : shape.query_heads].unflatten(2, (-1, shape.groups))
    return grouped_BTKGD.permute(2, 0, 3, 1, 4)


def _keys_and_values(heads_BSYD: Tensor, prompts_PQYD: Tensor | None, shape: LayerShape) -> tuple[Tensor, ...]:
    """(N, R, D) keys and values, each completion's after those of its prompt; unused slots are 0."""
    texts, length, _, size = heads_BSYD.shape
    before = _length(prompts_PQYD)
    both_YBRD = heads_BSYD.new_empty(2 * shape.key_heads, texts, padded_length(before + length), size)
    if prompts_PQYD is not None:
        both_YPGRD = both_YBRD.unflatten(1, (len(prompts_PQYD), -1))
        both_YPGRD[:, :, :, :before] = prompts_PQYD[:, :, shape.query_heads :].permute(2, 0, 1, 3).unsqueeze(2)
    both_YBRD[:, :, before : before + length] = heads_BSYD[:, :, shape.query_heads :].permute(2, 0, 1, 3)
    both_YBRD[:, :, before + length :] = 0
    return both_YBRD.view(2, -1, both_YBRD.shape[2], size).unbind()
