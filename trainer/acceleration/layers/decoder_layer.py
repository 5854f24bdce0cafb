"""Whole decoder layers of small Llama-like models as one autograd function, on the CPU.

Small layers spend much of their time on overhead: module calls, tiny operations, autograd nodes. Here one product
computes queries, keys and values, and one complex multiplication applies the rotary embedding: the weight rows are
interleaved, so that the two components that rotate together are adjacent. Norm outputs are recomputed in the backward
pass instead of stored. The last layer computes only the outputs that are needed; its other tokens only provide keys and
values. The results match transformers' layer, to rounding.

Axes: B texts, S tokens, M = B·S, T last tokens whose outputs are needed, L = B·T, b 1 or B, W hidden size, H query
heads, K key-value heads, E = H + K, Y = E + K, D head size, J = D / 2, I inner size of the MLP, O = Y·D outputs of the
three projections, C = H·D.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from transformers import Cache, PreTrainedModel

from trainer.acceleration.layers.attention import NAME, are_short, masks_of
from trainer.acceleration.layers.layer_attention import (
    LayerShape,
    by_heads,
    rotate_and_attend,
    rotate_and_attend_gradients,
)
from trainer.acceleration.layers.linear import is_plain, is_plain_layer, linear_product, weight_gradient
from trainer.acceleration.layers.mlp import LeanMLP, gated_gradients, gated_mlp, is_of_transformers
from trainer.acceleration.packing import Packing

FAMILIES = ("LlamaDecoderLayer", "MistralDecoderLayer", "Qwen2DecoderLayer")
"""transformers classes that these layers can replace."""
LARGEST = 200_000
"""Elements in the query, key and value weights up to which concatenating them in every pass costs almost nothing."""

Model = TypeVar("Model", bound=nn.Module)


def with_lean_layers(model: Model) -> Model:
    """The same model with its small layers of known families replaced by a `LeanLayer` with the same submodules."""
    for name, layer in [
        (name, layer) for name, layer in model.named_modules() if _is_known(layer) and _is_small(layer)
    ]:
        lean = object.__new__(_lean_subclass(cast(Any, type(layer))))
        lean.__dict__ = layer.__dict__
        model.set_submodule(name, lean)
    return model


def outputs_option(model: PreTrainedModel, count: int) -> dict[str, int]:
    """Keyword arguments that limit the last layer's outputs to each text's last `count` tokens.

    Empty for models whose last layer always returns all; a `LeanLayer` also returns all if it falls back to its class.
    """
    layers = getattr(model.base_model, "layers", ())
    return {"outputs_to_keep": count} if layers and isinstance(layers[-1], LeanLayer) else {}


def _is_known(module: nn.Module) -> bool:
    return is_of_transformers(module, FAMILIES) and isinstance(module.mlp, LeanMLP)


def _is_small(layer: Any) -> bool:
    numbers: int = sum(part.weight.numel() for part in _projections(layer))
    return numbers <= LARGEST


@cache
def _lean_subclass(kind: type[nn.Module]) -> type[nn.Module]:
    """A subclass with the same name, since FSDP's configuration selects the modules to shard by class name."""
    return type(kind.__name__, (LeanLayer, kind), {})


class LeanLayer(nn.Module):
    """Replaces a decoder layer; falls back to the original class for anything but a plain pass."""

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        past_key_values: Cache | None = None,
        use_cache: bool | None = False,
        position_embeddings: tuple[Tensor, Tensor] | None = None,
        outputs_to_keep: int | None = None,
        packing: Packing | None = None,
        **options: Any,
    ) -> Tensor:
        """(B, S, W) the layer's output, or (B, T, W) if this is the last layer and `outputs_to_keep` limits it."""
        layer, length = cast(Any, self), hidden_states.shape[1]
        is_asked_for_more = any(value is not None for value in (past_key_values, *options.values()))
        is_told_of_all = packing is not None or attention_mask is None or _is_of_texts(attention_mask, length)
        longest = length if packing is None else packing.longest
        is_plain_pass = is_told_of_all and not is_asked_for_more
        weights = _plain_weights(layer, hidden_states, longest) if is_plain_pass else ()
        if position_embeddings is None or not weights:
            options |= {} if packing is None else {"packing": packing}
            result: Tensor = super().forward(
                hidden_states,
                attention_mask=attention_mask,
                position_ids=position_ids,
                past_key_values=past_key_values,
                use_cache=use_cache,
                position_embeddings=position_embeddings,
                **options,
            )
            return result
        masks = (attention_mask,) if packing is None else masks_of(packing)
        shape = LayerShape.of(layer, packing, position_embeddings, masks)
        kept = length if outputs_to_keep is None or not _is_last(layer) else min(outputs_to_keep, length)
        outputs_BTW: Tensor = _Layer.apply(hidden_states, shape, kept, *weights)  # type: ignore[no-untyped-call]
        return outputs_BTW


def _is_of_texts(mask: object, length: int) -> bool:
    """Whether this is a per-text boolean mask over tokens; some attention implementations use other kinds."""
    return isinstance(mask, Tensor) and mask.dtype == torch.bool and mask.shape[1:] == (1, length, length)


def _is_last(layer: Any) -> bool:
    attention = layer.self_attn
    return bool(attention.layer_idx == attention.config.num_hidden_layers - 1)


def _plain_weights(layer: Any, hidden_BSW: Tensor, longest: int) -> tuple[Tensor, ...]:
    """The weights of `_Layer`; empty if the pass is not plain or only some of the weights are trainable.

    Args:
        longest: Tokens of the longest text.
    """
    attention, mlp = layer.self_attn, layer.mlp
    if (
        attention.config._attn_implementation != NAME
        or not attention.is_causal
        or (layer.training and attention.attention_dropout)
        or not is_plain(hidden_BSW)
    ):
        return ()
    projections, norms = _projections(layer), (layer.input_layernorm, layer.post_attention_layernorm)
    products = (attention.o_proj, mlp.gate_proj, mlp.up_proj, mlp.down_proj)
    if (
        not are_short(longest, attention.head_dim, projections[0].out_features)
        or not all(is_plain_layer(part) for part in (*projections, *products))
        or any(_is_heard(part) for part in (attention, mlp, *norms))
        or any(part.bias is not None for part in products)
    ):
        return ()
    weights = (
        *(part.weight for part in (*norms, *products, *projections)),
        *(part.bias for part in projections if part.bias is not None),
    )
    return weights if not torch.is_grad_enabled() or all(weight.requires_grad for weight in weights) else ()


def _is_heard(module: nn.Module) -> bool:
    """Whether this module has hooks or a patched forward."""
    hooks = (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks)
    return any(hooks) or "forward" in vars(module)


def _projections(layer: Any) -> tuple[Any, Any, Any]:
    attention = layer.self_attn
    return attention.q_proj, attention.k_proj, attention.v_proj


class _Layer(torch.autograd.Function):
    """A decoder layer's forward and backward pass."""

    @staticmethod
    def forward(ctx: Any, hidden_BSW: Tensor, shape: LayerShape, kept: int, *weights: Tensor) -> Tensor:
        before_attention, before_mlp, out_WC, *of_mlp = weights[:6]
        (texts, length, width), hidden_MW = hidden_BSW.shape, hidden_BSW.flatten(0, 1)
        normed_MW, scale_M1 = _rms_normed(hidden_MW, before_attention, shape.epsilons[0])
        joint_OW, bias_O = _joined_projections(weights[6:], shape)
        heads_BSYD = by_heads(linear_product(normed_MW, joint_OW, bias_O), texts, shape)
        mixed_BTHD = heads_BSYD.new_empty(texts, kept, shape.query_heads, shape.head_size)
        readings = rotate_and_attend(heads_BSYD, mixed_BTHD, shape)
        mixed_LC = mixed_BTHD.view(texts * kept, -1)
        between_BTW = linear_product(mixed_LC, out_WC).view(texts, kept, width).add_(hidden_BSW[:, length - kept :])
        between_LW = between_BTW.flatten(0, 1)
        normed_LW, between_scale_L1 = _rms_normed(between_LW, before_mlp, shape.epsilons[1])
        outputs_LW, gate_LI, up_LI = gated_mlp(normed_LW, of_mlp)
        inner = (between_LW, between_scale_L1, gate_LI, up_LI)
        ctx.save_for_backward(hidden_MW, scale_M1, joint_OW, mixed_LC, *inner, *weights, *readings)
        ctx.shape, ctx.weights = shape, len(weights)
        return outputs_LW.add_(between_LW).view(between_BTW.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_BTW: Tensor) -> tuple[Tensor | None, ...]:
        saved = ctx.saved_tensors  # read once, as activation checkpointing requires
        hidden_MW, scale_M1, joint_OW, mixed_LC, between_LW, between_scale_L1, gate_LI, up_LI = saved[:8]
        weights, readings = saved[8 : 8 + ctx.weights], saved[8 + ctx.weights :]
        (before_attention, before_mlp, out_WC, *of_mlp), projections = weights[:6], weights[6:]
        shape, (texts, kept, width) = ctx.shape, gradient_BTW.shape
        length, gradient_LW = len(hidden_MW) // texts, gradient_BTW.flatten(0, 1)

        normed_LW = _renormed(between_LW, between_scale_L1, before_mlp)
        normed_gradient_LW, *mlp_gradients = gated_gradients(gradient_LW, normed_LW, gate_LI, up_LI, of_mlp)
        between_gradient_LW, before_mlp_gradient = _norm_gradients(
            cast(Tensor, normed_gradient_LW), between_LW, between_scale_L1, before_mlp
        )
        between_gradient_LW += gradient_LW

        mixed_gradient_BTHD = by_heads(linear_product(between_gradient_LW, out_WC.t()), texts, shape)
        joint_gradient_MO = hidden_MW.new_empty(len(hidden_MW), len(joint_OW))
        heads_BSYD = by_heads(joint_gradient_MO, texts, shape)
        rotate_and_attend_gradients(mixed_gradient_BTHD, readings, heads_BSYD, shape)
        normed_MW = _renormed(hidden_MW, scale_M1, before_attention)
        of_projections = _split_gradient(weight_gradient(joint_gradient_MO, normed_MW), projections[:3], shape)
        if len(projections) > 3:
            of_projections += _split_gradient(joint_gradient_MO.sum(0), projections[:3], shape)

        hidden_gradient_MW, before_attention_gradient = _norm_gradients(
            linear_product(joint_gradient_MO, joint_OW.t()), hidden_MW, scale_M1, before_attention
        )
        hidden_gradient_BSW = hidden_gradient_MW.view(texts, length, width)
        hidden_gradient_BSW[:, length - kept :] += between_gradient_LW.view(gradient_BTW.shape)
        return (
            hidden_gradient_BSW,
            None,
            None,
            before_attention_gradient,
            before_mlp_gradient,
            weight_gradient(between_gradient_LW, mixed_LC),
            *mlp_gradients,
            *of_projections,
        )


def _rms_normed(hidden_MW: Tensor, norm_W: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """(M, W) the RMS norm's output, and the (M, 1) factors that scaled each row."""
    squares_M1 = torch.linalg.vector_norm(hidden_MW, dim=1, keepdim=True).square_()
    scale_M1 = squares_M1.div_(hidden_MW.shape[1]).add_(epsilon).rsqrt_()
    return _renormed(hidden_MW, scale_M1, norm_W), scale_M1


def _renormed(hidden_MW: Tensor, scale_M1: Tensor, norm_W: Tensor) -> Tensor:
    return (hidden_MW * scale_M1).mul_(norm_W)


def _norm_gradients(gradient_MW: Tensor, hidden_MW: Tensor, scale_M1: Tensor, norm_W: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of the hidden state, written over `gradient_MW`, and of the norm's weight."""
    unit_MW = hidden_MW * scale_M1
    product_MW = gradient_MW * unit_MW
    along_M1 = torch.mv(product_MW, norm_W).div_(-len(norm_W)).unsqueeze(1)
    return gradient_MW.mul_(norm_W).addcmul_(unit_MW, along_M1).mul_(scale_M1), product_MW.sum(0)


def _joined_projections(parts: Sequence[Tensor], shape: LayerShape) -> tuple[Tensor, Tensor | None]:
    """(O, W) the concatenated weights of queries, keys and values, and their (O,) biases if there are any."""
    of_heads = [part.unflatten(0, (-1, shape.head_size)) for part in parts]
    turned = [part if place % 3 == 2 else interleave_halves(part, 1) for place, part in enumerate(of_heads)]
    joint = [torch.cat(turned[first : first + 3]).flatten(0, 1) for first in range(0, len(turned), 3)]
    return joint[0], joint[1] if len(joint) > 1 else None


def _split_gradient(joint: Tensor, weights: Sequence[Tensor], shape: LayerShape) -> list[Tensor]:
    """Split a gradient of `_joined_projections` into those of its three parts."""
    query, key, value = joint.split([len(weight) for weight in weights])
    return [_deinterleave_halves(query, shape), _deinterleave_halves(key, shape), value]


def interleave_halves(heads: Tensor, axis: int) -> Tensor:
    """Reorder an axis of size D from (first halves, second halves), transformers' rotary layout, to adjacent pairs."""
    pairs: Tensor = heads.unflatten(axis, (2, -1)).transpose(axis, axis + 1).flatten(axis, axis + 1)
    return pairs


def _deinterleave_halves(rows: Tensor, shape: LayerShape) -> Tensor:
    """Undo `interleave_halves` for the rows of all heads."""
    halves: Tensor = rows.unflatten(0, (-1, shape.head_size // 2, 2)).transpose(1, 2).flatten(0, 2)
    return halves
