"""The fused decoder: a token through a Llama-like model in a dozen operations per layer instead of sixty.

Small models spend their decoding in calls, so what helps is fewer and larger operations: query, key and value in one
product, gate and up projection in another, rotary positions as one complex multiplication, keys and values written in
place. It computes what the model's own forward pass computes, to rounding.

Axes: B rows, P distinct prompts, Q prompt tokens, A rows still being generated, S tokens, V vocabulary, L layers,
W hidden size, H heads of queries, K heads of keys and of values, G = H / K, D size of a head.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import rms_norm
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
        self._keys_LAKSD = self._values_LAKSD = torch.empty(0)
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
        self._allocate(output.past_key_values.layers, prompt_of_B)
        self._place(mask_BQ, is_padded)
        logits_PV: Tensor = output.logits[:, -1]
        return logits_PV[prompt_of_B]

    def read(self, tokens_A: Tensor) -> Tensor:
        inner, at = self._model.model, self._length
        self._length += 1
        rotation = self._rotation_SD[at] if self._position_A is None else self._rotation_SD[self._position_A, None]
        mask_A11S = None if self._mask_A11S is None else self._mask_A11S[..., : at + 1]
        hidden_AW = inner.embed_tokens.weight[tokens_A]
        for layer, keys_AKSD, values_AKSD in zip(self._layers, self._keys_LAKSD, self._values_LAKSD, strict=True):
            query_AKGD, keys_AKSD[:, :, at], values_AKSD[:, :, at] = layer.project(hidden_AW, rotation)
            mixed_AW = _attention(query_AKGD, keys_AKSD[:, :, : at + 1], values_AKSD[:, :, : at + 1], mask_A11S)
            hidden_AW = layer.transform(hidden_AW, mixed_AW)
        if self._position_A is not None:
            self._position_A = self._position_A + 1
        return product(inner.norm(hidden_AW), self._model.lm_head.weight)

    def keep(self, kept: Tensor) -> bool:
        self._keys_LAKSD, self._values_LAKSD = self._keys_LAKSD[:, kept], self._values_LAKSD[:, kept]
        if self._position_A is not None and self._mask_A11S is not None:
            self._position_A, self._mask_A11S = self._position_A[kept], self._mask_A11S[kept]
        return True

    def _allocate(self, cached: Sequence[Any], prompt_of_B: Tensor) -> None:
        """Room for every key and value of the rollout, with those of the prompts written."""
        _, heads, prompt_length, size = cached[0].keys.shape
        shape = (len(cached), len(prompt_of_B), heads, prompt_length + self._max_new_tokens, size)
        self._keys_LAKSD, self._values_LAKSD = cached[0].keys.new_empty(shape), cached[0].keys.new_empty(shape)
        for index, layer in enumerate(cached):
            self._keys_LAKSD[index, :, :, :prompt_length] = _woven(layer.keys, 3)[prompt_of_B]
            self._values_LAKSD[index, :, :, :prompt_length] = layer.values[prompt_of_B]

    def _place(self, mask_BQ: Tensor, is_padded: bool) -> None:
        """The rotation of each position; where prompts are padded, also each row's own position and what it may see."""
        total = self._length + self._max_new_tokens
        cos_1SD, sin_1SD = self._model.model.rotary_emb(
            self._keys_LAKSD, torch.arange(total, device=mask_BQ.device).unsqueeze(0)
        )
        half = cos_1SD.shape[2] // 2
        self._rotation_SD = torch.complex(cos_1SD[0, :, :half], sin_1SD[0, :, :half])
        if is_padded:
            self._position_A = mask_BQ.sum(1)
            mask_AS = self._keys_LAKSD.new_zeros(len(mask_BQ), total)
            mask_AS[:, : self._length].masked_fill_(mask_BQ == 0, -torch.inf)
            self._mask_A11S = mask_AS[:, None, None]


@dataclass(frozen=True, slots=True)
class _Layer:
    """The packed weights of one layer; in queries and keys the two numbers that rotate together stand side by side."""

    qkv: Tensor
    """((H + 2K)·D, W), the queries' rows scaled as attention wants them."""
    qkv_bias: Tensor | None
    out: Tensor
    gate_up: Tensor
    down: Tensor
    attention_norm: Tensor
    mlp_norm: Tensor
    activation: nn.Module
    eps: float
    key_heads: int
    head_size: int

    def project(self, hidden_AW: Tensor, rotation: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """query_AKGD and key_AKD, rotated to their position, and value_AKD."""
        normed_AW = rms_norm(hidden_AW, hidden_AW.shape[1:], self.attention_norm, self.eps)
        qkv_AHD = product(normed_AW, self.qkv, self.qkv_bias).unflatten(1, (-1, self.head_size))
        turning_AHD = torch.view_as_complex(qkv_AHD[:, : -self.key_heads].unflatten(2, (-1, 2)))
        turned_AHD = torch.view_as_real(turning_AHD * rotation).flatten(2)
        query_AKGD = turned_AHD[:, : -self.key_heads].unflatten(1, (self.key_heads, -1))
        return query_AKGD, turned_AHD[:, -self.key_heads :], qkv_AHD[:, -self.key_heads :]

    def transform(self, hidden_AW: Tensor, mixed_AW: Tensor) -> Tensor:
        """The hidden state after the attention's output and the MLP are added."""
        hidden_AW = hidden_AW + product(mixed_AW, self.out)
        normed_AW = rms_norm(hidden_AW, hidden_AW.shape[1:], self.mlp_norm, self.eps)
        gate, up = product(normed_AW, self.gate_up).chunk(2, 1)
        return hidden_AW + product(self.activation(gate) * up, self.down)


def _packed(layer: Any, eps: float) -> _Layer:
    attention, mlp = layer.self_attn, layer.mlp
    parts = (attention.q_proj, attention.k_proj, attention.v_proj)
    has_bias = parts[0].bias is not None
    size = attention.head_dim
    return _Layer(
        qkv=_qkv([part.weight for part in parts], size, attention.scaling),
        qkv_bias=_qkv([part.bias for part in parts], size, attention.scaling) if has_bias else None,
        out=attention.o_proj.weight,
        gate_up=torch.cat([mlp.gate_proj.weight, mlp.up_proj.weight]),
        down=mlp.down_proj.weight,
        attention_norm=layer.input_layernorm.weight,
        mlp_norm=layer.post_attention_layernorm.weight,
        activation=mlp.act_fn,
        eps=eps,
        key_heads=parts[1].out_features // size,
        head_size=size,
    )


def _qkv(parts: Sequence[Tensor], size: int, scaling: float) -> Tensor:
    """Weights or biases of the three projections as one."""
    query, key = (_woven(part.unflatten(0, (-1, size)), 1).flatten(0, 1) for part in parts[:2])
    return torch.cat([query * scaling, key, parts[2]])


def _woven(heads: Tensor, axis: int) -> Tensor:
    """The axis of size D from (first halves, second halves), as transformers rotates it, to pairs side by side."""
    woven: Tensor = heads.unflatten(axis, (2, -1)).transpose(axis, axis + 1).flatten(axis, axis + 1)
    return woven


def _attention(query_AKGD: Tensor, keys_AKSD: Tensor, values_AKSD: Tensor, mask_A11S: Tensor | None) -> Tensor:
    """(A, H·D) mix of the values. By hand: torch's fused kernel is made for many queries and takes longer for one."""
    scores_AKGS = query_AKGD @ keys_AKSD.transpose(2, 3)
    if mask_A11S is not None:
        scores_AKGS = scores_AKGS + mask_A11S
    return (scores_AKGS.softmax(3) @ values_AKSD).flatten(1)
