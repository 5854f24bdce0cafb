"""Log-probabilities for GRPO updates that read each prompt once for its whole group of completions.

Axes: P prompts, G completions of each, B = P·G, Q prompt tokens, T completion tokens, R rows of logits, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from transformers import PreTrainedModel

from trainer.acceleration.layers.attention import NAME
from trainer.acceleration.layers.decoder_layer import outputs_option
from trainer.acceleration.packing import Packing
from trainer.algorithms.experience import Tokens
from trainer.algorithms.logprobs import token_logprobs_of_groups
from trainer.decoding import FAMILIES as FUSABLE
from trainer.decoding import bare_model, keeps_plain_memory, logits_option, prompt_positions

FAMILIES = (*FUSABLE, "Qwen3ForCausalLM")
"""transformers classes that pass the packed row's layout on to the attention."""


def can_share_prompts(model: nn.Module, tokens: Tokens, group_size: int) -> bool:
    """Whether each group's prompt can be read just once with the same results; a group's rows must be adjacent."""
    bare = bare_model(model)
    are_whole = group_size > 1 and len(tokens.ids_BT) % group_size == 0 and tokens.ids_BT.shape[1] > 1
    is_known = isinstance(model, PreTrainedModel | DistributedDataParallel) or hasattr(model, "peft_config")
    length = tokens.prompt_ids_BQ.shape[1] + tokens.ids_BT.shape[1]
    may_be_packed = bare.config._attn_implementation == NAME and keeps_plain_memory(bare, length, FAMILIES)
    return are_whole and is_known and may_be_packed


def token_logprobs_of_shared(model: nn.Module, tokens: Tokens, temperature: float, group: int) -> tuple[Tensor, Tensor]:
    """logprobs_BT and entropy_BT as from `token_logprobs`; the completions need at least two tokens."""
    ids_PQ, mask_PQ, read_BT = tokens.prompt_ids_BQ[::group], tokens.prompt_mask_BQ[::group], tokens.ids_BT[:, :-1]
    (prompts, length), padding_PQ = ids_PQ.shape, None if mask_PQ.all() else mask_PQ.bool()
    packing = Packing(prompts, length, group, read_BT.shape[1], padding_PQ)
    after_B1 = tokens.prompt_mask_BQ.long().sum(1, keepdim=True)
    position_BT = after_B1 + torch.arange(packing.length, device=after_B1.device)
    inputs: dict[str, Any] = {
        "input_ids": packing.concatenated(ids_PQ, read_BT).unsqueeze(0),
        "position_ids": packing.concatenated(prompt_positions(mask_PQ), position_BT).unsqueeze(0),
        "attention_mask": mask_PQ.new_ones(1, 1, 1, 1),  # four axes, so that transformers does not build its own
        "packing": packing,
    }
    asked = {**logits_option(model, packing.outputs), **outputs_option(bare_model(model), packing.outputs)}
    logits_1RV = model(**inputs, use_cache=False, **asked).logits
    first_PG = tokens.ids_BT[:, 0].unflatten(0, (-1, group))
    return token_logprobs_of_groups(logits_1RV, first_PG, tokens.ids_BT[:, 1:], temperature)
