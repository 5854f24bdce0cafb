"""Decoders read prompts, then one new token per row at a time, and keep the state in between.

Axes: B rows, P distinct prompts, Q prompt tokens, S tokens so far, A rows still being generated, V vocabulary.
"""

import inspect
from collections.abc import Callable, Collection
from functools import cache
from typing import Protocol, cast

import torch
from torch import LongTensor, Tensor, nn
from transformers import Cache, PreTrainedModel

FAMILIES = ("LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM")
ROPE_TYPES = ("default", "linear", "llama3")
"""Rotary embeddings whose frequencies do not depend on the length of the text."""


class Decoder(Protocol):
    """Runs one model for one rollout. Rows can be dropped along the way, never added."""

    def read_prompts(self, ids_BQ: Tensor, mask_BQ: Tensor) -> Tensor:
        """(B, V) logits of each row's first token; prompts are left-padded. Called once, first."""

    def next_logits(self, tokens_A: Tensor) -> Tensor:
        """(A, V) logits of the next token, given the latest token of each remaining row."""

    def keep_rows(self, kept: Tensor) -> bool:
        """Drop all rows but these (increasing indices); False if the model's cache cannot be indexed by row."""


class CachedDecoder:
    """Runs any transformers causal language model through its own forward pass and cache.

    Consecutive rows with the same prompt share one prefill. A model whose cache transformers cannot reorder keeps all
    its rows; one without a cache re-reads the whole text for every token, which is slow but correct. Padded prompts
    need a model that `takes_padding`.
    """

    def __init__(self, model: PreTrainedModel, max_new_tokens: int) -> None:
        self._model = model
        self._max_new_tokens = max_new_tokens
        self._cache_name = "cache_params" if "cache_params" in _accepted(model) else "past_key_values"
        self._options = {"use_cache": True, **logits_option(model, 1)}
        self._cache: object = None
        self._mask_AS: Tensor | None = None
        self._ids_AS = torch.empty(0)
        self._length = 0

    def read_prompts(self, ids_BQ: Tensor, mask_BQ: Tensor) -> Tensor:
        ids_PQ, mask_PQ, prompt_of_B = distinct_prompts(ids_BQ, mask_BQ)
        logits_PV = self._begin(ids_PQ, mask_PQ)
        if len(ids_PQ) == len(ids_BQ):
            return logits_PV
        return logits_PV[prompt_of_B] if self.keep_rows(prompt_of_B) else self._begin(ids_BQ, mask_BQ)

    def next_logits(self, tokens_A: Tensor) -> Tensor:
        self._length += 1
        if self._cache is None:
            self._ids_AS = torch.cat([self._ids_AS, tokens_A.unsqueeze(1)], 1)
            return self._forward(self._ids_AS)
        return self._forward(tokens_A.unsqueeze(1))

    def keep_rows(self, kept: Tensor) -> bool:
        if isinstance(self._cache, Cache):
            self._cache.reorder_cache(
                cast(LongTensor, kept)
            )  # every cache that supports beam search has it, including hybrid ones
        elif self._cache is not None:
            return False
        self._ids_AS = self._ids_AS[kept]
        self._mask_AS = None if self._mask_AS is None else self._mask_AS[kept]
        return True

    def _begin(self, ids_BQ: Tensor, mask_BQ: Tensor) -> Tensor:
        self._cache, self._ids_AS, self._length = None, ids_BQ, ids_BQ.shape[1]
        if not bool(mask_BQ.all()):  # without padding, attention is faster unmasked
            self._mask_AS = torch.cat([mask_BQ, mask_BQ.new_ones(len(mask_BQ), self._max_new_tokens)], 1)
        return self._forward(ids_BQ)

    def _forward(self, ids_AN: Tensor) -> Tensor:
        """(A, V) logits after the last of the N tokens that are not in the cache yet."""
        inputs: dict[str, object] = {"input_ids": ids_AN, self._cache_name: self._cache, **self._options}
        if self._mask_AS is not None:
            mask_AS = self._mask_AS[:, : self._length]
            inputs |= {"attention_mask": mask_AS, "position_ids": prompt_positions(mask_AS)[:, -ids_AN.shape[1] :]}
        output = self._model(**inputs)
        self._cache = output.get(self._cache_name)
        logits_AV: Tensor = output.logits[:, -1]
        return logits_AV


def bare_model(model: nn.Module) -> PreTrainedModel:
    """The transformers model inside any PEFT and distributed wrappers."""
    return next(module for module in model.modules() if isinstance(module, PreTrainedModel))


def logits_option(model: nn.Module, count: int) -> dict[str, int]:
    """Keyword arguments that limit the logits to the last `count` positions; empty if the model always returns all."""
    return {"logits_to_keep": count} if "logits_to_keep" in _accepted(bare_model(model)) else {}


def keeps_plain_memory(model: PreTrainedModel, length: int, families: Collection[str] = FAMILIES) -> bool:
    """Whether the model's family is known to cache only one key and value per token, for a text of `length` tokens.

    Each key and value then depends only on its token, its position and the preceding text, and none is evicted.
    """
    return (
        type(model).__name__ in families
        and model.config.rope_parameters["rope_type"] in ROPE_TYPES
        and length <= (getattr(model.config, "sliding_window", None) or length)
    )


def takes_padding(model: nn.Module) -> bool:
    """Whether the model can ignore left padding. Recurrent models read it like any other token, mask or no mask."""
    return "position_ids" in _accepted(bare_model(model))


def _accepted(model: PreTrainedModel) -> Collection[str]:
    """Parameter names of the model's forward pass."""
    return _parameters(type(model).forward)


@cache
def _parameters(function: Callable[..., object]) -> Collection[str]:
    return inspect.signature(function).parameters


def distinct_prompts(ids_BQ: Tensor, mask_BQ: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """ids_PQ and mask_PQ without consecutive duplicates, and (B,) the prompt index of each row."""
    stacked_B2Q = torch.stack([ids_BQ, mask_BQ.to(ids_BQ.dtype)], 1)
    distinct_P2Q, prompt_of_B = torch.unique_consecutive(stacked_B2Q, dim=0, return_inverse=True)
    return distinct_P2Q[:, 0], distinct_P2Q[:, 1], prompt_of_B


def prompt_positions(mask_BS: Tensor) -> Tensor:
    """(B, S) position of each token, counted from the first real one; padding gets 0."""
    return (mask_BS.long().cumsum(1) - 1).clamp(min=0)
