"""Whole decoder layers of small Llama-like models as one autograd function, on the CPU.

Much of what such a layer costs is calls: of modules, of operations on few numbers, of nodes in torch's graph. Here
queries, keys and values come out of one product, and one multiplication rotates what has to be: the rows of the weights
are woven, so that the two numbers which rotate together stand side by side as one complex number. What the norms give
is computed again in the backward pass instead of kept. Of the last layer only those tokens are computed that somebody
asks for: the others serve as keys and values. The results are those of transformers' layer, to rounding.
Axes: B texts, S tokens, M = B·S, T the last of them whose outputs are asked for, L = B·T, b 1 or B, W hidden size,
H heads of queries, K heads of keys and of values, G = H / K, E = H + K, Y = E + K, N = K·B, X = G·T, R places for S
keys, D size of a head, J = D / 2, I inner size of the MLP, O = Y·D outputs of the three projections, C = H·D.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from transformers import Cache, PreTrainedModel

from trainer.attention import NAME, are_short, mixed, mixed_gradients, places
from trainer.linear import is_plain, is_plain_layer, product, weight_gradient
from trainer.mlp import LeanMLP, gated, gated_gradients, is_of_transformers
from trainer.packing import Packing

FAMILIES = ("LlamaDecoderLayer", "MistralDecoderLayer", "Qwen2DecoderLayer")
"""Classes of transformers whose layers this computes."""
LARGEST = 200_000
"""Numbers in the weights of queries, keys and values up to which joining them in every pass takes next to nothing."""

Model = TypeVar("Model", bound=nn.Module)


def with_lean_layers(model: Model) -> Model:
    """The same model, its small layers of the known families replaced by `LeanLayer` with the same parts."""
    for name, layer in [
        (name, layer) for name, layer in model.named_modules() if _is_known(layer) and _is_small(layer)
    ]:
        lean = object.__new__(_lean(cast(Any, type(layer))))
        lean.__dict__ = layer.__dict__
        model.set_submodule(name, lean)
    return model


def outputs_option(model: PreTrainedModel, count: int) -> dict[str, int]:
    """How to ask a model for its last layer's outputs of each text's last `count` tokens only.

    Nothing for models whose last layer gives all anyway; a `LeanLayer` does so too where it leaves a pass to its class.
    """
    layers = getattr(model.base_model, "layers", ())
    return {"outputs_to_keep": count} if layers and isinstance(layers[-1], LeanLayer) else {}


def _is_known(module: nn.Module) -> bool:
    return is_of_transformers(module, FAMILIES) and isinstance(module.mlp, LeanMLP)


def _is_small(layer: Any) -> bool:
    numbers: int = sum(part.weight.numel() for part in _projections(layer))
    return numbers <= LARGEST


@cache
def _lean(kind: type[nn.Module]) -> type[nn.Module]:
    """A class of the same name, by which FSDP is told what to split."""
    return type(kind.__name__, (LeanLayer, kind), {})


class LeanLayer(nn.Module):
    """What a layer becomes; where a pass is not a plain one, the class that it was does it."""

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
        """(B, S, W) the layer's output, or (B, T, W) of the last layer's where `outputs_to_keep` asks for no more."""
        layer, length = cast(Any, self), hidden_states.shape[1]
        mask = attention_mask if packing is None else packing.mask_PQ
        is_asked_for_more = any(value is not None for value in (mask, past_key_values, *options.values()))
        longest = length if packing is None else packing.longest
        weights = () if is_asked_for_more else _plain_weights(layer, hidden_states, longest)
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
        shape, rotation = _Shape.of(layer, packing), list(position_embeddings)
        if packing is not None:
            rotation = [packing.of_first(part[0]).unsqueeze(0) for part in rotation]  # the same for every text
        cos_bSJ, sin_bSJ = (part.chunk(2, 2)[0] for part in rotation)
        turn_bSEJ = torch.complex(cos_bSJ, sin_bSJ).unsqueeze(2).repeat(1, 1, shape.rotated, 1)
        kept = length if outputs_to_keep is None or not _is_last(layer) else min(outputs_to_keep, length)
        outputs_BTW: Tensor = _Layer.apply(hidden_states, turn_bSEJ, shape, kept, *weights)  # type: ignore[no-untyped-call]
        return outputs_BTW


def _is_last(layer: Any) -> bool:
    attention = layer.self_attn
    return bool(attention.layer_idx == attention.config.num_hidden_layers - 1)


def _plain_weights(layer: Any, hidden_BSW: Tensor, longest: int) -> tuple[Tensor, ...]:
    """The weights of `_Layer`; none where something else has a part in this pass, or some learn and others do not.

    Args:
        longest: Tokens of a text.
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
    """Whether somebody listens to this module, or has put something in the place of what its class does."""
    hooks = (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks)
    return any(hooks) or "forward" in vars(module)


def _projections(layer: Any) -> tuple[Any, Any, Any]:
    attention = layer.self_attn
    return attention.q_proj, attention.k_proj, attention.v_proj


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a layer is beside its weights, and how its texts lie."""

    head_size: int
    key_heads: int
    groups: int
    scaling: float
    epsilons: tuple[float, float]
    """Of the norm before the attention, and of that before the MLP."""
    packing: Packing | None

    @classmethod
    def of(cls, layer: Any, packing: Packing | None) -> "_Shape":
        attention, norms = layer.self_attn, (layer.input_layernorm, layer.post_attention_layernorm)
        epsilons = (norms[0].variance_epsilon, norms[1].variance_epsilon)
        key_heads = attention.k_proj.out_features // attention.head_dim
        return cls(attention.head_dim, key_heads, attention.num_key_value_groups, attention.scaling, epsilons, packing)

    @property
    def query_heads(self) -> int:
        return self.key_heads * self.groups

    @property
    def rotated(self) -> int:
        """Heads of queries and keys."""
        return self.query_heads + self.key_heads


class _Layer(torch.autograd.Function):
    """A layer and its gradients."""

    @staticmethod
    def forward(ctx: Any, hidden_BSW: Tensor, turn_bSEJ: Tensor, shape: _Shape, kept: int, *weights: Tensor) -> Tensor:
        before_attention, before_mlp, out_WC, *of_mlp = weights[:6]
        (texts, length, width), hidden_MW = hidden_BSW.shape, hidden_BSW.flatten(0, 1)
        normed_MW, scale_M1 = _normed(hidden_MW, before_attention, shape.epsilons[0])
        joint_OW, bias_O = _joint(weights[6:], shape)
        heads_BSYD = _heads(product(normed_MW, joint_OW, bias_O), texts, shape)
        mixed_BTHD = heads_BSYD.new_empty(texts, kept, shape.query_heads, shape.head_size)
        readings = _read(heads_BSYD, turn_bSEJ, mixed_BTHD, shape)
        mixed_LC = mixed_BTHD.view(texts * kept, -1)
        between_BTW = product(mixed_LC, out_WC).view(texts, kept, width).add_(hidden_BSW[:, length - kept :])
        between_LW = between_BTW.flatten(0, 1)
        normed_LW, between_scale_L1 = _normed(between_LW, before_mlp, shape.epsilons[1])
        outputs_LW, gate_LI, up_LI = gated(normed_LW, of_mlp)
        inner = (between_LW, between_scale_L1, gate_LI, up_LI)
        ctx.save_for_backward(hidden_MW, scale_M1, turn_bSEJ, joint_OW, mixed_LC, *inner, *weights, *readings)
        ctx.shape, ctx.weights = shape, len(weights)
        return outputs_LW.add_(between_LW).view(between_BTW.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_BTW: Tensor) -> tuple[Tensor | None, ...]:
        saved = ctx.saved_tensors  # read once, as activation checkpointing wants it
        hidden_MW, scale_M1, turn_bSEJ, joint_OW, mixed_LC, between_LW, between_scale_L1, gate_LI, up_LI = saved[:9]
        weights, readings = saved[9 : 9 + ctx.weights], saved[9 + ctx.weights :]
        (before_attention, before_mlp, out_WC, *of_mlp), projections = weights[:6], weights[6:]
        shape, (texts, kept, width) = ctx.shape, gradient_BTW.shape
        length, gradient_LW = len(hidden_MW) // texts, gradient_BTW.flatten(0, 1)

        normed_LW = _renormed(between_LW, between_scale_L1, before_mlp)
        normed_gradient_LW, *mlp_gradients = gated_gradients(gradient_LW, normed_LW, gate_LI, up_LI, of_mlp)
        between_gradient_LW, before_mlp_gradient = _norm_gradients(
            cast(Tensor, normed_gradient_LW), between_LW, between_scale_L1, before_mlp
        )
        between_gradient_LW += gradient_LW

        mixed_gradient_BTHD = _heads(product(between_gradient_LW, out_WC.t()), texts, shape)
        joint_gradient_MO = hidden_MW.new_empty(len(hidden_MW), len(joint_OW))
        heads_BSYD = _heads(joint_gradient_MO, texts, shape)
        _read_gradients(mixed_gradient_BTHD, readings, heads_BSYD, turn_bSEJ.conj().resolve_conj(), shape)
        normed_MW = _renormed(hidden_MW, scale_M1, before_attention)
        of_projections = _apart(weight_gradient(joint_gradient_MO, normed_MW), projections[:3], shape)
        if len(projections) > 3:
            of_projections += _apart(joint_gradient_MO.sum(0), projections[:3], shape)

        hidden_gradient_MW, before_attention_gradient = _norm_gradients(
            product(joint_gradient_MO, joint_OW.t()), hidden_MW, scale_M1, before_attention
        )
        hidden_gradient_BSW = hidden_gradient_MW.view(texts, length, width)
        hidden_gradient_BSW[:, length - kept :] += between_gradient_LW.view(gradient_BTW.shape)
        return (
            hidden_gradient_BSW,
            None,
            None,
            None,
            before_attention_gradient,
            before_mlp_gradient,
            weight_gradient(between_gradient_LW, mixed_LC),
            *mlp_gradients,
            *of_projections,
        )


def _normed(hidden_MW: Tensor, norm_W: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """(M, W) of unit root mean square times the norm's weight, and the (M, 1) factors that made it unit."""
    squares_M1 = torch.linalg.vector_norm(hidden_MW, dim=1, keepdim=True).square_()
    scale_M1 = squares_M1.div_(hidden_MW.shape[1]).add_(epsilon).rsqrt_()
    return _renormed(hidden_MW, scale_M1, norm_W), scale_M1


def _renormed(hidden_MW: Tensor, scale_M1: Tensor, norm_W: Tensor) -> Tensor:
    return (hidden_MW * scale_M1).mul_(norm_W)


def _norm_gradients(gradient_MW: Tensor, hidden_MW: Tensor, scale_M1: Tensor, norm_W: Tensor) -> tuple[Tensor, Tensor]:
    """Of the hidden state, written over `gradient_MW`, and of the norm's weight."""
    unit_MW = hidden_MW * scale_M1
    product_MW = gradient_MW * unit_MW
    along_M1 = torch.mv(product_MW, norm_W).div_(-len(norm_W)).unsqueeze(1)
    return gradient_MW.mul_(norm_W).addcmul_(unit_MW, along_M1).mul_(scale_M1), product_MW.sum(0)


def _joint(parts: Sequence[Tensor], shape: _Shape) -> tuple[Tensor, Tensor | None]:
    """(O, W) the weights of queries, keys and values as one, and the (O,) biases if there are any."""
    of_heads = [part.unflatten(0, (-1, shape.head_size)) for part in parts]
    turned = [part if place % 3 == 2 else woven(part, 1) for place, part in enumerate(of_heads)]
    joint = [torch.cat(turned[first : first + 3]).flatten(0, 1) for first in range(0, len(turned), 3)]
    return joint[0], joint[1] if len(joint) > 1 else None


def _apart(joint: Tensor, weights: Sequence[Tensor], shape: _Shape) -> list[Tensor]:
    """The gradients of the three parts of what `_joint` gave."""
    query, key, value = joint.split([len(weight) for weight in weights])
    return [_unwoven(query, shape), _unwoven(key, shape), value]


def woven(heads: Tensor, axis: int) -> Tensor:
    """The axis of size D from (first halves, second halves), as transformers rotates it, to pairs side by side."""
    pairs: Tensor = heads.unflatten(axis, (2, -1)).transpose(axis, axis + 1).flatten(axis, axis + 1)
    return pairs


def _unwoven(rows: Tensor, shape: _Shape) -> Tensor:
    """The rows of all heads as they were before `woven`."""
    halves: Tensor = rows.unflatten(0, (-1, shape.head_size // 2, 2)).transpose(1, 2).flatten(0, 2)
    return halves


def _heads(numbers_XO: Tensor, texts: int, shape: _Shape) -> Tensor:
    """(B, ·, ·, D)."""
    return numbers_XO.view(texts, len(numbers_XO) // texts, -1, shape.head_size)


def _turn(heads_BSYD: Tensor, turn_bSEJ: Tensor) -> None:
    """Rotate the numbers of queries and keys to the positions of their tokens, where they lie."""
    pairs_BSEJ = torch.view_as_complex(heads_BSYD[:, :, : turn_bSEJ.shape[2]].unflatten(3, (-1, 2)))
    torch.mul(pairs_BSEJ, turn_bSEJ, out=pairs_BSEJ)


def _read(heads_BSYD: Tensor, turn_bSEJ: Tensor, mixed_BTHD: Tensor, shape: _Shape) -> tuple[Tensor, ...]:
    """Rotate queries and keys and write what the last tokens read to `mixed_BTHD`; what `_read_gradients` needs."""
    packing = shape.packing
    if packing is None:
        _turn(heads_BSYD, turn_bSEJ)
        return _read_texts(heads_BSYD, None, mixed_BTHD, shape)
    heads_PQYD, completions_BTYD = packing.prompts_of(heads_BSYD[0]), packing.completions_of(heads_BSYD[0])
    for part_XSYD, turn in zip((heads_PQYD, completions_BTYD), _turns(turn_bSEJ, packing), strict=True):
        _turn(part_XSYD, turn)
    mixed_PTHD = packing.prompts_of(mixed_BTHD[0])  # to be written
    of_prompts = _read_texts(heads_PQYD, None, mixed_PTHD, shape)
    packing.write_prompts(mixed_BTHD[0], mixed_PTHD)
    of_completions = _read_texts(completions_BTYD, heads_PQYD, packing.completions_of(mixed_BTHD[0]), shape)
    return *of_prompts, *of_completions


def _read_gradients(
    mixed_gradient_BTHD: Tensor, readings: Sequence[Tensor], heads_BSYD: Tensor, back_bSEJ: Tensor, shape: _Shape
) -> None:
    """Write the gradients of queries, keys and values, not rotated, to `heads_BSYD`."""
    packing = shape.packing
    if packing is None:
        _read_texts_gradients(mixed_gradient_BTHD, readings, heads_BSYD, None, shape)
        _turn(heads_BSYD, back_bSEJ)
        return
    mixed_gradient_XHD, heads_SYD = mixed_gradient_BTHD[0], heads_BSYD[0]
    heads_PQYD = heads_SYD.new_empty(packing.prompts, packing.prompt_length, *heads_SYD.shape[1:])
    _read_texts_gradients(packing.prompts_of(mixed_gradient_XHD), readings[:4], heads_PQYD, None, shape)
    completions_BTHD, completions_BTYD = (packing.completions_of(part) for part in (mixed_gradient_XHD, heads_SYD))
    _read_texts_gradients(completions_BTHD, readings[4:], completions_BTYD, heads_PQYD, shape)
    for part_XSYD, back in zip((heads_PQYD, completions_BTYD), _turns(back_bSEJ, packing), strict=True):
        _turn(part_XSYD, back)
    packing.write_prompts(heads_SYD, heads_PQYD)


def _turns(turn_1SEJ: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
    """For the tokens of prompts, and for those of completions."""
    return turn_1SEJ[:, : packing.prompt_length], turn_1SEJ[:, packing.prompt_length :]


def _read_texts(
    heads_BSYD: Tensor, prompts_PQYD: Tensor | None, mixed_BTHD: Tensor, shape: _Shape
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`_read` of texts that lie side by side, or of completions and the prompts before them."""
    length, kept, before = heads_BSYD.shape[1], mixed_BTHD.shape[1], _length(prompts_PQYD)
    query_NXD = _of_groups(heads_BSYD[:, length - kept :], shape).reshape(-1, shape.groups * kept, shape.head_size)
    key_NRD, value_NRD = _keys_and_values(heads_BSYD, prompts_PQYD, shape)
    mixed_NXD, share_NXR = mixed(query_NXD, key_NRD, value_NRD, before + length, shape.groups, shape.scaling)
    mixed_KBGTD = _of_groups(mixed_BTHD, shape)
    mixed_KBGTD[:] = mixed_NXD.view(mixed_KBGTD.shape)
    return query_NXD, key_NRD, value_NRD, share_NXR


def _read_texts_gradients(
    mixed_gradient_BTHD: Tensor,
    reading: Sequence[Tensor],
    heads_BSYD: Tensor,
    prompts_PQYD: Tensor | None,
    shape: _Shape,
) -> None:
    """Write to `heads_BSYD`, and add to what stands in `prompts_PQYD`."""
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


def _of_groups(heads_BTYD: Tensor, shape: _Shape) -> Tensor:
    """(K, B, G, T, D) view of the queries, those that read the same keys together."""
    grouped_BTKGD: Tensor = heads_BTYD[:, :, : shape.query_heads].unflatten(2, (-1, shape.groups))
    return grouped_BTKGD.permute(2, 0, 3, 1, 4)


def _keys_and_values(heads_BSYD: Tensor, prompts_PQYD: Tensor | None, shape: _Shape) -> tuple[Tensor, ...]:
    """(N, R, D) keys and values, those of its prompt before each completion's; 0 in the places left over."""
    texts, length, _, size = heads_BSYD.shape
    before = _length(prompts_PQYD)
    both_YBRD = heads_BSYD.new_empty(2 * shape.key_heads, texts, places(before + length), size)
    if prompts_PQYD is not None:
        both_YPGRD = both_YBRD.unflatten(1, (len(prompts_PQYD), -1))
        both_YPGRD[:, :, :, :before] = prompts_PQYD[:, :, shape.query_heads :].permute(2, 0, 1, 3).unsqueeze(2)
    both_YBRD[:, :, before : before + length] = heads_BSYD[:, :, shape.query_heads :].permute(2, 0, 1, 3)
    both_YBRD[:, :, before + length :] = 0
    return both_YBRD.view(2, -1, both_YBRD.shape[2], size).unbind()
