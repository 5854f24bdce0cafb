"""The models of a training: loading them, and scoring completions with them.

Every model stays in eval mode, also while it learns: gradients flow all the same, and dropout, which would make the
log-probabilities of rollout and update differ, stays off.
Axes: B completions, Q prompt tokens, T completion tokens, V vocabulary.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoModelForTokenClassification,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging as transformers_logging

from trainer.config import TrainConfig
from trainer.experience import Tokens
from trainer.rollout import prompt_positions
from trainer.tasks import get_task

transformers_logging.disable_progress_bar()  # "Loading weights" of a fraction of a second would fill the console


class TokenScores(NamedTuple):
    """logprobs_BT of the completion's tokens with gradient, and entropy_BT (nats) without; both 0 outside the mask."""

    logprobs_BT: Tensor
    entropy_BT: Tensor


def checkpoint_of(config: TrainConfig) -> Path:
    """The folder of the model that a configuration starts from: its own, or the demo task's."""
    return Path(config.model_name_or_path) if config.model_name_or_path else get_task(config.task).checkpoint


def load_policy(path: str | Path) -> PreTrainedModel:
    """The causal language model of a folder, in float32 whatever it was saved in."""
    model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    model.eval()
    return model


def load_reference(path: str | Path) -> PreTrainedModel:
    """The same model, frozen."""
    model = load_policy(path)
    model.requires_grad_(False)
    return model


def load_value_model(path: str | Path) -> PreTrainedModel:
    """A model of its own for the values: the policy's body with one output per token, which starts at 0."""
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()  # the head is new by design; a warning would say so at every start
    try:
        model: PreTrainedModel = AutoModelForTokenClassification.from_pretrained(
            path, num_labels=1, dtype=torch.float32
        )
    finally:
        transformers_logging.set_verbosity(verbosity)
    for parameter in _head(model).parameters():
        torch.nn.init.zeros_(parameter)
    model.eval()
    return model


def load_tokenizer(path: str | Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a folder, padding on the left; without a pad token the end token pads, since masks tell."""
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(path, padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def stop_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> tuple[int, ...]:
    """Every token id that ends a completion: the tokenizer's and those of the generation config (chat models: two)."""
    declared = model.generation_config.eos_token_id if model.generation_config else None
    ids = declared if isinstance(declared, list) else [declared]
    return tuple(sorted({id for id in (*ids, tokenizer.eos_token_id) if id is not None}))


def encode(tokenizer: PreTrainedTokenizerBase, prompts: Sequence[str], device: torch.device) -> tuple[Tensor, Tensor]:
    """prompt_ids_BQ and prompt_mask_BQ of the prompts, padded on the left."""
    encoded = tokenizer(list(prompts), padding=True, padding_side="left", return_tensors="pt")
    return encoded["input_ids"].to(device), encoded["attention_mask"].to(device)


def decode(tokenizer: PreTrainedTokenizerBase, ids_BT: Tensor, mask_BT: Tensor) -> list[str]:
    """The text of each completion, without padding and special tokens."""
    rows = zip(ids_BT.tolist(), mask_BT.sum(1).tolist(), strict=True)
    return [str(tokenizer.decode(ids[:length], skip_special_tokens=True)) for ids, length in rows]


def score_tokens(model: PreTrainedModel, tokens: Tokens, temperature: float) -> TokenScores:
    """Log-probability of each completion token, and the entropy there, under the policy at `temperature`."""
    logits_BTV = model(**_inputs(tokens), logits_to_keep=tokens.ids_BT.shape[1] + 1).logits[:, :-1].float()
    logprobs_BTV = (logits_BTV / temperature).log_softmax(2)
    logprobs_BT = logprobs_BTV.gather(2, tokens.ids_BT.unsqueeze(2)).squeeze(2)
    with torch.no_grad():
        entropy_BT = -(logprobs_BTV.exp() * logprobs_BTV).sum(2)
    return TokenScores(_masked(logprobs_BT, tokens), _masked(entropy_BT, tokens))


def estimate_values(value_model: PreTrainedModel, tokens: Tokens) -> Tensor:
    """(B, T) value of the state from which each completion token was drawn; 0 outside the mask."""
    values_BS = value_model(**_inputs(tokens)).logits.squeeze(2)
    return _masked(values_BS[:, -tokens.ids_BT.shape[1] - 1 : -1].float(), tokens)


def _inputs(tokens: Tokens) -> dict[str, Tensor | bool]:
    mask_BS = torch.cat([tokens.prompt_mask_BQ, tokens.mask_BT], 1).long()
    return {
        "input_ids": torch.cat([tokens.prompt_ids_BQ, tokens.ids_BT], 1),
        "attention_mask": mask_BS,
        "position_ids": prompt_positions(mask_BS),
        "use_cache": False,
    }


def _masked(values_BT: Tensor, tokens: Tokens) -> Tensor:
    return torch.where(tokens.mask_BT, values_BT, 0.0)


def _head(model: PreTrainedModel) -> torch.nn.Module:
    name = "score" if hasattr(model, "score") else "classifier"
    head: torch.nn.Module = getattr(model, name)
    return head
