"""The prompt of a group, read once for all its completions: GRPO's updates need not read it for each of them.

What a model says of a completion's tokens depends on the prompt through the keys and values that the prompt leaves
behind, so the completions are read after those of a prompt that was read once; gradients flow back through them.
Axes: P prompts, G completions of each, B = P·G, Q prompt tokens, T completion tokens, V vocabulary.
"""

from typing import Any, cast

import torch
from torch import LongTensor, Tensor, nn
from torch.distributed.fsdp import FSDPModule
from torch.nn.parallel import DistributedDataParallel
from transformers import PreTrainedModel

from trainer.config import GRPOConfig
from trainer.decoding import bare_model, keeps_plain_memory, logits_option, prompt_positions
from trainer.experience import Tokens

LEAST_SAVED = 100_000_000
"""Multiplications in a layer's weights, from which on not doing them again takes less time than a pass of its own."""


def sharing(model: nn.Module, config: GRPOConfig, tokens: Tokens, *rows: int) -> int:
    """How many neighbouring rows share a prompt that is to be read once for all of them: a group, or 1 for none.

    Args:
        rows: Of this process, and of each of its passes; one that ends within a group shares nothing.
    """
    group, prompt_length = config.num_generations, tokens.prompt_ids_BQ.shape[1]
    are_whole = all(count % group == 0 for count in rows)
    is_known = isinstance(model, PreTrainedModel | DistributedDataParallel) or hasattr(model, "peft_config")
    may_be_read_twice = is_known and not isinstance(model, FSDPModule) and not config.gradient_checkpointing
    if not (are_whole and may_be_read_twice):
        return 1
    bare, length = bare_model(model), prompt_length + tokens.ids_BT.shape[1]
    again = (min(rows) - min(rows) // group) * prompt_length
    return group if keeps_plain_memory(bare, length) and again * _layer_size(bare) >= LEAST_SAVED else 1


def _layer_size(model: Any) -> int:
    """Numbers in the weights of one layer."""
    return sum(weight.numel() for weight in model.model.layers[0].parameters())


def logits_of_groups(model: nn.Module, tokens: Tokens, group: int) -> tuple[Tensor, Tensor]:
    """The logits of each completion's first token, (B, 1, V), and of the others, (B, T - 1, V)."""
    mask_PQ, length = tokens.prompt_mask_BQ[::group], tokens.prompt_ids_BQ.shape[1]
    inputs: dict[str, Any] = {"input_ids": tokens.prompt_ids_BQ[::group]}
    is_padded = not bool(mask_PQ.all())
    if is_padded:
        inputs |= {"attention_mask": mask_PQ, "position_ids": prompt_positions(mask_PQ)}
    of_prompts = model(**inputs, use_cache=True, **logits_option(model, 1))
    cache = of_prompts.past_key_values
    cache.reorder_cache(cast(LongTensor, torch.arange(len(mask_PQ), device=mask_PQ.device).repeat_interleave(group)))
    inputs = {"input_ids": tokens.ids_BT[:, :-1]}
    if is_padded:
        mask_BS = torch.cat([tokens.prompt_mask_BQ, tokens.mask_BT[:, :-1]], 1).long()
        inputs |= {"attention_mask": mask_BS, "position_ids": prompt_positions(mask_BS)[:, length:]}
    first_B1V = of_prompts.logits[:, -1:].repeat_interleave(group, 0)
    return first_B1V, model(**inputs, past_key_values=cache, use_cache=True).logits
