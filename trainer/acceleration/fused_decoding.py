"""The fused decoder: one token through a Llama-like model in a dozen operations per layer instead of sixty.

Decoding with a small model is dominated by call overhead, so it uses fewer and larger operations: query, key and value
in one matrix product, gate and up projection in another, norm weights folded into both, rotary embeddings as one
complex multiplication, keys and values written in place with one copy, residual additions fused into the products. Keys
and values are contiguous, so that the processor can prefetch what does not fit into its cache. With a large model the
products dominate, and they are faster with prepacked weights. The results match the model's own forward pass, to
rounding.

Axes: B rows, P distinct prompts, Q prompt tokens, A rows still being generated, S tokens, V vocabulary, L layers, W
hidden size, H query heads, K key-value heads, G = H / K, N = A·K, R slots for S keys, D head size, J = D / 2.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, scaled_dot_product_attention
from transformers import PreTrainedModel

from trainer.acceleration.layers.decoder_layer import interleave_halves
from trainer.acceleration.layers.linear import has_onednn, linear_product, packed_weight, sum_with_product
from trainer.decoding import distinct_prompts, keeps_plain_memory, prompt_positions

KNOWN_OF_OURS = (
    "trainer.acceleration.layers.linear",
    "trainer.acceleration.layers.mlp",
    "trainer.acceleration.layers.decoder_layer",
)
"""Modules whose layers replace transformers' with the same results."""
NAIVE_BELOW = 400
"""Multiplications in one product of a batch below which torch uses a scalar loop (its `LinearAlgebra.cpp`)."""
ROOM = 8
"""Tokens by which a full cache grows: 4 and 16 are no faster."""
LARGEST = 10_000_000
"""Parameters up to which fusing pays without oneDNN's packing; in a larger model the products dominate, and copying the
weights gains nothing."""


def is_fusable(model: PreTrainedModel, length: int) -> bool:
    """Whether this is a plain float32 model of a known family, for texts of `length` tokens including the prompt.

    Plain means not quantised, adapted, sharded, hooked or under autocast, with a window that fits the text.
    """
    weights = list(model.parameters())
    return (
        keeps_plain_memory(model, length)
        and not torch.is_autocast_enabled(model.device.type)
        and all(type(weight) is nn.Parameter and weight.dtype == torch.float32 for weight in weights)
        and (has_onednn() or sum(weight.numel() for weight in weights) <= LARGEST)
        and all(_is_plain(module) for module in model.modules())
        and all(layer.self_attn.o_proj.bias is None and layer.mlp.up_proj.bias is None for layer in model.model.layers)
    )


def _is_plain(module: nn.Module) -> bool:
    """Whether a module comes from torch, transformers or this package, with no forward hooks or patched forward."""
    is_hooked = bool(module._forward_hooks or module._forward_pre_hooks or "forward" in vars(module))
    is_known = type(module).__module__.startswith(("torch.nn.modules.", "transformers.", *KNOWN_OF_OURS))
    return is_known and not is_hooked


class FusedDecoder:
    """Decodes one rollout of a model that `is_fusable`; weights are packed on creation, so each rollout needs its own.

    Runs in inference mode: autograd bookkeeping is a tenth of the cost of calls this small.
    """

    def __init__(self, model: PreTrainedModel, max_new_tokens: int) -> None:
        self._model = model
        self._max_new_tokens = max_new_tokens
        self._layers = [_packed(layer, max_new_tokens) for layer in model.model.layers]
        self._norm = _Norm.of(model.model.norm)
        self._head = packed_weight(model.lm_head.weight, max_new_tokens)
        self._length = 0
        self._memory: list[_Memory] = []
        self._rotation_SXJ = torch.empty(0)
        self._position_A: Tensor | None = None
        self._mask_A11R: Tensor | None = None

    @torch.inference_mode()
    def read_prompts(self, ids_BQ: Tensor, mask_BQ: Tensor) -> Tensor:
        ids_PQ, mask_PQ, prompt_of_B = distinct_prompts(ids_BQ, mask_BQ)
        is_padded, self._length = not bool(mask_PQ.all()), ids_PQ.shape[1]
        self._set_positions(mask_BQ, self._length + self._max_new_tokens, is_padded)
        rotation = self._rotation_SXJ[prompt_positions(mask_PQ).flatten()].unsqueeze(1)
        seen_P1QQ = _causal_mask(mask_PQ) if is_padded else None
        hidden_AW = self._model.model.embed_tokens.weight[ids_PQ.flatten()]
        for layer in self._layers:
            projected_NXD = layer.project(hidden_AW, rotation)
            projected_PKXQD = projected_NXD.unflatten(0, (*ids_PQ.shape, -1)).permute(0, 2, 3, 1, 4)
            self._memory.append(_Memory.of_prompts(projected_PKXQD[:, :, -2:], prompt_of_B))
            hidden_AW = layer.transform(hidden_AW, _prompt_attention(projected_PKXQD, seen_P1QQ))
        return self._logits(hidden_AW.unflatten(0, ids_PQ.shape)[:, -1])[prompt_of_B]

    @torch.inference_mode()
    def next_logits(self, tokens_A: Tensor) -> Tensor:
        at = self._length
        self._length += 1
        rotation = self._rotation_SXJ[at if self._position_A is None else self._position_A.unsqueeze(1)]
        hidden_AW = self._model.model.embed_tokens.weight.index_select(0, tokens_A)
        for layer, memory in zip(self._layers, self._memory, strict=True):
            projected_NXD = layer.project(hidden_AW, rotation)
            memory.write(at, projected_NXD)
            mixed_NGD = memory.attend(projected_NXD, at + 1, self._mask_A11R)
            hidden_AW = layer.transform(hidden_AW, mixed_NGD.view(hidden_AW.shape[0], -1))
        if self._position_A is not None:
            self._position_A = self._position_A + 1
        return self._logits(hidden_AW)

    def keep_rows(self, kept: Tensor) -> bool:
        self._memory = [memory.of_rows(kept) for memory in self._memory]
        if self._position_A is not None and self._mask_A11R is not None:
            self._position_A, self._mask_A11R = self._position_A[kept], self._mask_A11R[kept]
        return True

    def _logits(self, hidden_AW: Tensor) -> Tensor:
        return linear_product(self._norm.scaled(hidden_AW) * self._norm.weight, self._head)

    def _set_positions(self, mask_BQ: Tensor, total: int, is_padded: bool) -> None:
        """Set the rotation of every position and, for padded prompts, each row's own position and attention mask."""
        like, config = self._model.lm_head.weight, self._model.config
        cos_1SD, sin_1SD = self._model.model.rotary_emb(like, torch.arange(total, device=mask_BQ.device).unsqueeze(0))
        half = cos_1SD.shape[2] // 2
        rotation_SJ = torch.complex(cos_1SD[0, :, :half], sin_1SD[0, :, :half])
        groups = config.num_attention_heads // config.num_key_value_heads
        self._rotation_SXJ = rotation_SJ.unsqueeze(1).repeat(1, groups + 2, 1)
        self._rotation_SXJ[:, -1] = 1
        if is_padded:
            self._position_A = mask_BQ.sum(1)
            mask_AR = like.new_zeros(len(mask_BQ), _slots_for(total, self._layers[0].head_size))
            mask_AR[:, : self._length].masked_fill_(mask_BQ == 0, -torch.inf)
            self._mask_A11R = mask_AR[:, None, None]


@dataclass(slots=True)
class _Memory:
    """One layer's key-value cache for all rows, read in full for every token."""

    pairs_2NRD: Tensor
    """All keys, then all values; unused slots are 0."""
    key_heads: int

    @classmethod
    def of_prompts(cls, pairs_PK2QD: Tensor, prompt_of_B: Tensor) -> "_Memory":
        """The cache with each prompt's keys and values copied to all its rows."""
        _, heads, _, length, size = pairs_PK2QD.shape
        pairs_2BKRD = pairs_PK2QD.new_empty(2, len(prompt_of_B), heads, _slots_for(length + 1, size), size)
        pairs_2BKRD[..., :length, :] = pairs_PK2QD[prompt_of_B].permute(2, 0, 1, 3, 4)
        pairs_2BKRD[..., length:, :] = 0
        return cls(pairs_2BKRD.flatten(1, 2), heads)

    def of_rows(self, kept: Tensor) -> "_Memory":
        """The cache of these rows only."""
        return _Memory(self.pairs_2NRD.unflatten(1, (-1, self.key_heads))[:, kept].flatten(1, 2), self.key_heads)

    def write(self, at: int, projected_NXD: Tensor) -> None:
        """Store the keys and values of one token per row."""
        if at == self.pairs_2NRD.shape[2]:
            self.pairs_2NRD = pad(self.pairs_2NRD, (0, 0, 0, ROOM))
        self.pairs_2NRD.select(2, at).copy_(projected_NXD.narrow(1, projected_NXD.shape[1] - 2, 2).transpose(0, 1))

    def attend(self, projected_NXD: Tensor, length: int, mask_A11R: Tensor | None) -> Tensor:
        """(N, G, D) attention output, by plain products: torch's fused kernel is slower for a single query."""
        query_NGD, (key_NRD, value_NRD) = projected_NXD.narrow(1, 0, projected_NXD.shape[1] - 2), self.pairs_2NRD
        scores_NGR, places = torch.bmm(query_NGD, key_NRD.transpose(1, 2)), key_NRD.shape[1]
        if places > length:
            scores_NGR.narrow(2, length, places - length).fill_(-torch.inf)
        if mask_A11R is not None:
            scores_NGR = (scores_NGR.unflatten(0, (-1, self.key_heads)) + mask_A11R[..., :places]).flatten(0, 1)
        return torch.bmm(scores_NGR.softmax(2), value_NRD)


def _slots_for(tokens: int, size: int) -> int:
    """Slots to allocate for this many tokens: enough for torch not to use its slow loop for small products."""
    return ROOM * math.ceil(max(tokens, NAIVE_BELOW / size) / ROOM)


@dataclass(frozen=True, slots=True)
class _Norm:
    """An RMS norm split into a division by a length, `scaled`, and a weight folded into the next product."""

    weight: Tensor
    """(W,), times √W: a root mean square is a length over √W."""
    floor: Tensor
    """√(W·ε): the divisor is the hypotenuse of a right triangle with this and the length as its legs."""

    @classmethod
    def of(cls, norm: Any) -> "_Norm":
        """Split a norm of the model."""
        width = math.sqrt(len(norm.weight))
        return cls(norm.weight.detach() * width, norm.weight.new_tensor(math.sqrt(norm.variance_epsilon) * width))

    def scaled(self, hidden_AW: Tensor) -> Tensor:
        """The hidden state divided by its length, before the multiplication by `weight`."""
        length_A1 = torch.linalg.vector_norm(hidden_AW, dim=1, keepdim=True)
        return hidden_AW / torch.hypot(length_A1, self.floor)


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer's packed weights; in queries and keys, the two components that rotate together are adjacent."""

    attention_norm: _Norm
    qkv: Tensor
    """(K·X·D, W), X = G + 2: for each key-value head, its queries (with the attention scaling applied), its key, its
    value."""
    qkv_bias: Tensor | None
    out: Tensor
    mlp_norm: _Norm
    gate_up: Tensor
    down: Tensor
    activation: Callable[[Tensor], Tensor]
    key_heads: int
    head_size: int

    def project(self, hidden_AW: Tensor, rotation: Tensor) -> Tensor:
        """(N, X, D) queries and key, rotated to their position, and the value, which `rotation` leaves unchanged."""
        qkv = linear_product(self.attention_norm.scaled(hidden_AW), self.qkv, self.qkv_bias)
        pairs_AKXJ2 = qkv.view(hidden_AW.shape[0], self.key_heads, -1, self.head_size // 2, 2)
        turned_AKXJ = torch.view_as_complex(pairs_AKXJ2) * rotation
        return torch.view_as_real(turned_AKXJ).view(-1, turned_AKXJ.shape[2], self.head_size)

    def transform(self, hidden_AW: Tensor, mixed_AW: Tensor) -> Tensor:
        """Hidden state after adding the attention output and the MLP."""
        hidden_AW = sum_with_product(hidden_AW, mixed_AW, self.out)
        gate, up = linear_product(self.mlp_norm.scaled(hidden_AW), self.gate_up).chunk(2, 1)
        return sum_with_product(hidden_AW, self.activation(gate) * up, self.down)


def _causal_mask(mask_PQ: Tensor) -> Tensor:
    """(P, 1, Q, Q) bool attention mask of padded prompts, keys last: causal over real tokens; padding sees itself."""
    causal_QQ = torch.ones(2 * mask_PQ.shape[1:], dtype=torch.bool, device=mask_PQ.device).tril()
    itself_QQ = torch.eye(len(causal_QQ), dtype=torch.bool, device=mask_PQ.device)
    return causal_QQ & (mask_PQ != 0)[:, None, None] | itself_QQ


def _prompt_attention(projected_PKXQD: Tensor, seen_P1QQ: Tensor | None) -> Tensor:
    """(P·Q, H·D) attention output for every prompt token; causal unless a mask is given."""
    query_PHQD = projected_PKXQD[:, :, :-2].flatten(1, 2)
    key_PKQD, value_PKQD = projected_PKXQD[:, :, -2:].unbind(2)
    mixed_PHQD = scaled_dot_product_attention(
        query_PHQD, key_PKQD, value_PKQD, seen_P1QQ, is_causal=seen_P1QQ is None, scale=1.0, enable_gqa=True
    )
    return mixed_PHQD.transpose(1, 2).flatten(2).flatten(0, 1)


def _packed(layer: Any, tokens: int) -> _Layer:
    """One layer's weights, packed for generating `tokens` tokens per row."""
    attention, mlp = layer.self_attn, layer.mlp
    parts = (attention.q_proj, attention.k_proj, attention.v_proj)
    has_bias = parts[0].bias is not None
    size = attention.head_dim
    heads = parts[1].out_features // size
    attention_norm, mlp_norm = _Norm.of(layer.input_layernorm), _Norm.of(layer.post_attention_layernorm)
    qkv = _qkv([part.weight for part in parts], heads, size, attention.scaling).mul_(attention_norm.weight)
    gate_up = torch.cat([mlp.gate_proj.weight, mlp.up_proj.weight]).mul_(mlp_norm.weight)
    return _Layer(
        attention_norm=attention_norm,
        qkv=packed_weight(qkv, tokens),
        qkv_bias=_qkv([part.bias for part in parts], heads, size, attention.scaling) if has_bias else None,
        out=packed_weight(attention.o_proj.weight, tokens),
        mlp_norm=mlp_norm,
        gate_up=packed_weight(gate_up, tokens),
        down=packed_weight(mlp.down_proj.weight, tokens),
        activation=mlp.act_fn.forward,
        key_heads=heads,
        head_size=size,
    )


def _qkv(parts: Sequence[Tensor], heads: int, size: int, scaling: float) -> Tensor:
    """The three projections' weights or biases, concatenated by key-value head."""
    query, key, value = (part.unflatten(0, (heads, -1, size)) for part in parts)
    return torch.cat([interleave_halves(query, 2) * scaling, interleave_halves(key, 2), value], 1).flatten(0, 2)
