"""The fused decoder: a token through a Llama-like model in a dozen operations per layer instead of sixty.

Small models spend their decoding in calls, so what helps is fewer and larger operations: query, key and value in one
product, gate and up projection in another, rotary positions as one complex multiplication, keys and values written in
place. It computes what the model's own forward pass computes, to rounding.

Axes: B rows, P distinct prompts, Q prompt tokens, A rows still being generated, S tokens, V vocabulary, L layers,
W hidden size, H heads of queries, K heads of keys and of values, G = H / K, N = A·K, D size of a head.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from trainer.decoding import distinct_prompts, prompt_positions
from trainer.linear import product

FAMILIES = ("LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM")
ROPE_TYPES = ("default", "linear", "llama3")
"""Rotary embeddings whose frequencies do not depend on the length of the text."""
LARGEST = 10_000_000
"""Parameters; a larger model spends its time inside the products, and packing would copy its weights for nothing."""


def is_fusable(model: PreTrainedModel, length: int) -> bool:
    """Whether this is a plain float32 model of a known family, for texts of `length` tokens, prompt included.

    Plain is what is not quantised, adapted, sharded, under autocast or hooked, and whose window the text fits into.
    """
    config = model.config
    return (
        type(model).__name__ in FAMILIES
        and config.rope_parameters["rope_type"] in ROPE_TYPES
        and length <= (getattr(config, "sliding_window", None) or length)
        and not torch.is_autocast_enabled(model.device.type)
        and model.num_parameters() <= LARGEST
        and all(type(weight) is nn.Parameter and weight.dtype == torch.float32 for weight in model.parameters())
        and all(_is_plain(module) for module in model.modules())
        and all(layer.self_attn.o_proj.bias is None and layer.mlp.up_proj.bias is None for layer in model.model.layers)
    )


def _is_plain(module: nn.Module) -> bool:
    """Whether a module is torch's, transformers' or ours, computes what its class says, and nobody listens in."""
    is_hooked = bool(module._forward_hooks or module._forward_pre_hooks or "forward" in vars(module))
    is_known = type(module).__module__.startswith(("torch.nn.modules.", "transformers.", "trainer.linear"))
    return is_known and not is_hooked


class FusedDecoder:
    """One rollout of a model that `is_fusable`. Its weights are packed here, so a decoder serves one rollout."""

    def __init__(self, model: PreTrainedModel, max_new_tokens: int) -> None:
        self._model = model
        self._max_new_tokens = max_new_tokens
        self._layers = [_packed(layer, model.config.rms_norm_eps) for layer in model.model.layers]
        self._length = 0
        self._memory: list[_Memory] = []
        self._rotation_SD = torch.empty(0)
        self._position_A: Tensor | None = None
        self._mask_A11S: Tensor | None = None

    def read_prompts(self, ids_BQ: Tensor, mask_BQ: Tensor) -> Tensor:
        ids_PQ, mask_PQ, prompt_of_B = distinct_prompts(ids_BQ, mask_BQ)
        is_padded, self._length = not bool(mask_PQ.all()), ids_PQ.shape[1]
        output = self._model(
            input_ids=ids_PQ,
            attention_mask=mask_PQ if is_padded else None,
            position_ids=prompt_positions(mask_PQ),
            use_cache=True,
            logits_to_keep=1,
        )
        total = self._length + self._max_new_tokens
        self._memory = [_Memory.of_prompts(layer, prompt_of_B, total) for layer in output.past_key_values.layers]
        self._place(mask_BQ, total, is_padded)
        logits_PV: Tensor = output.logits[:, -1]
        return logits_PV[prompt_of_B]

    def read(self, tokens_A: Tensor) -> Tensor:
        inner, at = self._model.model, self._length
        self._length += 1
        rotation = self._rotation_SD[at if self._position_A is None else self._position_A[:, None, None]]
        mask_A11S = None if self._mask_A11S is None else self._mask_A11S[..., : at + 1]
        hidden_AW = inner.embed_tokens.weight.index_select(0, tokens_A)
        for layer, memory in zip(self._layers, self._memory, strict=True):
            query_NGD, key_ND, value_ND = layer.project(hidden_AW, rotation)
            memory.write(at, key_ND, value_ND)
            mixed_NGD = memory.attend(query_NGD, at + 1, mask_A11S)
            hidden_AW = layer.transform(hidden_AW, mixed_NGD.view(len(hidden_AW), -1))
        if self._position_A is not None:
            self._position_A = self._position_A + 1
        hidden_AW = _normed(hidden_AW, inner.norm.weight, inner.norm.variance_epsilon)
        return product(hidden_AW, self._model.lm_head.weight)

    def keep(self, kept: Tensor) -> bool:
        self._memory = [memory.of_rows(kept) for memory in self._memory]
        if self._position_A is not None and self._mask_A11S is not None:
            self._position_A, self._mask_A11S = self._position_A[kept], self._mask_A11S[kept]
        return True

    def _place(self, mask_BQ: Tensor, total: int, is_padded: bool) -> None:
        """The rotation of each position; where prompts are padded, also each row's own position and what it may see."""
        like = self._model.lm_head.weight
        cos_1SD, sin_1SD = self._model.model.rotary_emb(like, torch.arange(total, device=mask_BQ.device).unsqueeze(0))
        half = cos_1SD.shape[2] // 2
        self._rotation_SD = torch.complex(cos_1SD[0, :, :half], sin_1SD[0, :, :half])
        if is_padded:
            self._position_A = mask_BQ.sum(1)
            mask_AS = like.new_zeros(len(mask_BQ), total)
            mask_AS[:, : self._length].masked_fill_(mask_BQ == 0, -torch.inf)
            self._mask_A11S = mask_AS[:, None, None]


@dataclass(frozen=True, slots=True)
class _Memory:
    """One layer's keys and values of all rows, with room for those of the whole rollout."""

    keys_NSD: Tensor
    values_NSD: Tensor
    key_heads: int

    @classmethod
    def of_prompts(cls, cached: Any, prompt_of_B: Tensor, total: int) -> "_Memory":
        """With what a prompt left in a layer of transformers' cache written for each of its rows."""
        _, heads, length, size = cached.keys.shape
        keys_BKSD, values_BKSD = (cached.keys.new_empty(len(prompt_of_B), heads, total, size) for _ in range(2))
        keys_BKSD[:, :, :length] = _woven(cached.keys, 3)[prompt_of_B]
        values_BKSD[:, :, :length] = cached.values[prompt_of_B]
        return cls(keys_BKSD.flatten(0, 1), values_BKSD.flatten(0, 1), heads)

    def of_rows(self, kept: Tensor) -> "_Memory":
        """Of these rows alone."""
        keys_NSD, values_NSD = (
            part_NSD.unflatten(0, (-1, self.key_heads))[kept].flatten(0, 1)
            for part_NSD in (self.keys_NSD, self.values_NSD)
        )
        return _Memory(keys_NSD, values_NSD, self.key_heads)

    def write(self, at: int, key_ND: Tensor, value_ND: Tensor) -> None:
        """Remember one token of each row."""
        self.keys_NSD.select(1, at).copy_(key_ND)
        self.values_NSD.select(1, at).copy_(value_ND)

    def attend(self, query_NGD: Tensor, length: int, mask_A11S: Tensor | None) -> Tensor:
        """(N, G, D) mix of the values. By hand: torch's fused kernel is made for many queries, and slower for one."""
        scores_NGS = torch.bmm(query_NGD, self.keys_NSD.narrow(1, 0, length).transpose(1, 2))
        if mask_A11S is not None:
            scores_NGS = (scores_NGS.unflatten(0, (-1, self.key_heads)) + mask_A11S).flatten(0, 1)
        return torch.bmm(scores_NGS.softmax(2), self.values_NSD.narrow(1, 0, length))


@dataclass(frozen=True, slots=True)
class _Layer:
    """The packed weights of one layer; in queries and keys the two numbers that rotate together stand side by side."""

    qkv: Tensor
    """(K·(G + 2)·D, W): for each head of keys its queries, scaled as attention wants them, its key and its value."""
    qkv_bias: Tensor | None
    out: Tensor
    gate_up: Tensor
    down: Tensor
    attention_norm: Tensor
    mlp_norm: Tensor
    activation: Callable[[Tensor], Tensor]
    eps: float
    key_heads: int
    head_size: int

    def project(self, hidden_AW: Tensor, rotation: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """query_NGD and key_ND, rotated to their position, and value_ND."""
        qkv = product(_normed(hidden_AW, self.attention_norm, self.eps), self.qkv, self.qkv_bias)
        pairs_AKHD2 = qkv.view(len(hidden_AW), self.key_heads, -1, self.head_size // 2, 2)
        groups = pairs_AKHD2.shape[2] - 2
        turned = torch.view_as_complex(pairs_AKHD2.narrow(2, 0, groups + 1)) * rotation
        turned_NHD = torch.view_as_real(turned).view(-1, groups + 1, self.head_size)
        value_ND = qkv.view(-1, groups + 2, self.head_size).select(1, groups + 1)
        return turned_NHD.narrow(1, 0, groups), turned_NHD.select(1, groups), value_ND

    def transform(self, hidden_AW: Tensor, mixed_AW: Tensor) -> Tensor:
        """The hidden state after the attention's output and the MLP are added."""
        hidden_AW = hidden_AW + product(mixed_AW, self.out)
        gate, up = product(_normed(hidden_AW, self.mlp_norm, self.eps), self.gate_up).chunk(2, 1)
        return hidden_AW + product(self.activation(gate) * up, self.down)


def _normed(hidden_AW: Tensor, weight: Tensor, eps: float) -> Tensor:
    return torch.rms_norm(hidden_AW, weight.shape, weight, eps)


def _packed(layer: Any, eps: float) -> _Layer:
    attention, mlp = layer.self_attn, layer.mlp
    parts = (attention.q_proj, attention.k_proj, attention.v_proj)
    has_bias = parts[0].bias is not None
    size = attention.head_dim
    heads = parts[1].out_features // size
    return _Layer(
        qkv=_qkv([part.weight for part in parts], heads, size, attention.scaling),
        qkv_bias=_qkv([part.bias for part in parts], heads, size, attention.scaling) if has_bias else None,
        out=attention.o_proj.weight,
        gate_up=torch.cat([mlp.gate_proj.weight, mlp.up_proj.weight]),
        down=mlp.down_proj.weight,
        attention_norm=layer.input_layernorm.weight,
        mlp_norm=layer.post_attention_layernorm.weight,
        activation=mlp.act_fn.forward,
        eps=eps,
        key_heads=heads,
        head_size=size,
    )


def _qkv(parts: Sequence[Tensor], heads: int, size: int, scaling: float) -> Tensor:
    """Weights or biases of the three projections as one."""
    query, key, value = (part.unflatten(0, (heads, -1, size)) for part in parts)
    return torch.cat([_woven(query, 2) * scaling, _woven(key, 2), value], 1).flatten(0, 2)


def _woven(heads: Tensor, axis: int) -> Tensor:
    """The axis of size D from (first halves, second halves), as transformers rotates it, to pairs side by side."""
    woven: Tensor = heads.unflatten(axis, (2, -1)).transpose(axis, axis + 1).flatten(axis, axis + 1)
    return woven
