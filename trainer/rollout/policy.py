"""Running a policy and its value model: encode prompts, decode completions, score tokens.

Axes: B completions, Q prompt tokens, T completion tokens, V vocabulary.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from diagnostics.language import _
from diagnostics.told import told
from trainer.acceleration.layers.decoder_layer import outputs_option
from trainer.acceleration.shared_prompts import can_share_prompts, token_logprobs_of_shared
from trainer.algorithms.experience import Tokens
from trainer.algorithms.logprobs import token_logprobs
from trainer.config.options import ConfigError
from trainer.console import say_once
from trainer.data.conversations import Message, Prompt, prompt_text
from trainer.decoding import bare_model, logits_option, prompt_positions, takes_padding
from trainer.rollout.models import ValueModel


class TokenScores(NamedTuple):
    """logprobs_BT of the completion's tokens with gradient, and entropy_BT (nats) without; both 0 outside the mask."""

    logprobs_BT: Tensor
    entropy_BT: Tensor


def stop_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> tuple[int, ...]:
    """All token ids that end a completion: the tokenizer's and the generation config's (chat models have two)."""
    declared = model.generation_config.eos_token_id if model.generation_config else None
    ids = declared if isinstance(declared, list) else [declared]
    return tuple(sorted({id for id in (*ids, tokenizer.eos_token_id) if id is not None}))


def encode(
    tokenizer: PreTrainedTokenizerBase,
    prompts: Sequence[Prompt],
    device: torch.device,
    max_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """prompt_ids_BQ and prompt_mask_BQ, left-padded; messages go through the chat template.

    Args:
        max_length: Longer prompts lose their first tokens, as in TRL; the console reports it once.

    Raises:
        ConfigError: A prompt has no tokens, or the prompts are messages and the tokenizer has no chat template.
    """
    rows = prompt_ids(tokenizer, prompts)
    if max_length is not None:
        rows = [_truncated(ids, max_length) for ids in rows]
    longest = max(len(ids) for ids in rows)
    prompt_ids_BQ = torch.tensor([[tokenizer.pad_token_id] * (longest - len(ids)) + ids for ids in rows])
    prompt_mask_BQ = torch.tensor([[0] * (longest - len(ids)) + [1] * len(ids) for ids in rows])
    return prompt_ids_BQ.to(device), prompt_mask_BQ.to(device)


def prompt_ids(tokenizer: PreTrainedTokenizerBase, prompts: Sequence[Prompt]) -> list[list[int]]:
    """The ids of each prompt in full; messages go through the chat template.

    Raises:
        ConfigError: A prompt has no tokens, or the prompts are messages and the tokenizer has no chat template.
    """
    texts = [prompt for prompt in prompts if isinstance(prompt, str)]
    of_texts = iter(
        tokenizer(texts)["input_ids"] if texts else ()
    )  # one call for all: a call per prompt would cost as much each
    rows = [next(of_texts) if isinstance(prompt, str) else _chat_ids(tokenizer, prompt) for prompt in prompts]
    for prompt, ids in zip(prompts, rows, strict=True):
        if not ids:
            raise ConfigError(
                told(
                    "the prompt {prompt_text!r} gives no tokens with this tokenizer; remove it",
                    prompt_text=prompt_text(prompt),
                )
            )
    return rows


def chat_text(tokenizer: PreTrainedTokenizerBase, messages: Sequence[Message]) -> str:
    """A conversation as the chat template renders it, up to where the assistant speaks or continues its last message.

    Raises:
        ConfigError: The tokenizer has no chat template.
    """
    if tokenizer.chat_template is None:
        raise ConfigError(
            told(
                "the prompts are lists of messages, but the model's tokenizer has no chat template; give prompts "
                "as plain text, or use a model trained for conversations"
            )
        )
    begun = messages[-1]["role"] == "assistant"
    return str(
        tokenizer.apply_chat_template(
            [dict(message) for message in messages],
            add_generation_prompt=not begun,
            continue_final_message=begun,
            tokenize=False,
        )
    )


def decode(tokenizer: PreTrainedTokenizerBase, ids_BT: Tensor, mask_BT: Tensor) -> list[str]:
    """The text of each completion, without padding and special tokens."""
    rows = zip(ids_BT.tolist(), mask_BT.sum(1).tolist(), strict=True)
    return [str(tokenizer.decode(ids[:length], skip_special_tokens=True)) for ids, length in rows]


def score_tokens(model: nn.Module, tokens: Tokens, temperature: float, group_size: int = 1) -> TokenScores:
    """Log-probability and entropy of each completion token under the policy at `temperature`.

    Args:
        group_size: Number of consecutive rows that share a prompt.
    """
    if can_share_prompts(model, tokens, group_size):
        logprobs_BT, entropy_BT = token_logprobs_of_shared(model, tokens, temperature, group_size)
    else:
        logprobs_BT, entropy_BT = token_logprobs(_output(model, tokens), tokens.ids_BT, temperature)
    return TokenScores(_masked(logprobs_BT, tokens), _masked(entropy_BT, tokens))


def estimate_values(value_model: nn.Module, tokens: Tokens) -> Tensor:
    """(B, T) value of the state from which each completion token was drawn; 0 outside the mask."""
    return _masked(_output(value_model, tokens).squeeze(2).float(), tokens)


class PolicyAndValue(nn.Module):
    """PPO's two models as one, because accelerate shards, and DeepSpeed updates, a single module."""

    def __init__(self, policy: PreTrainedModel, value_model: ValueModel) -> None:
        super().__init__()
        self.policy, self.value_model = policy, value_model

    @property
    def config(self) -> Any:
        """The policy's configuration, from which DeepSpeed derives its bucket sizes."""
        return self.policy.config

    @property
    def _no_split_modules(self) -> list[str]:
        """Layer classes that FSDP shards one by one; accelerate reads them from here."""
        return list(bare_model(self.policy)._no_split_modules or ())

    def forward(self, tokens: Tokens, temperature: float) -> tuple[TokenScores, Tensor]:
        """The results of `score_tokens` and `estimate_values`."""
        return score_tokens(self.policy, tokens, temperature), estimate_values(self.value_model, tokens)


def _chat_ids(tokenizer: PreTrainedTokenizerBase, messages: Sequence[Message]) -> list[int]:
    """A conversation's ids, up to where the assistant speaks next or continues its last message."""
    text = chat_text(tokenizer, messages)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])  # the template adds special tokens itself


def _truncated(ids: list[int], max_length: int) -> list[int]:
    if len(ids) > max_length:
        words = _("prompts of more than max_prompt_length = {most} tokens lose their first ones")
        say_once("long prompts", words.format(most=max_length))
    return ids[-max_length:]


def _output(model: nn.Module, tokens: Tokens) -> Tensor:
    """(B, T, ·) a model's outputs at the positions from which the completion tokens were drawn.

    The last token is not read, since nothing follows it. Padding after a completion needs no mask: attention is causal.
    """
    length, is_padded = tokens.ids_BT.shape[1], not bool(tokens.prompt_mask_BQ.all())
    ids_BS = torch.cat([tokens.prompt_ids_BQ, tokens.ids_BT[:, :-1]], 1)
    if is_padded and not takes_padding(model):
        return _output_of_shifted(model, ids_BS, tokens)
    inputs = {"input_ids": ids_BS}
    if is_padded:
        mask_BS = torch.cat([tokens.prompt_mask_BQ, tokens.mask_BT[:, :-1]], 1).long()
        inputs |= {"attention_mask": mask_BS, "position_ids": prompt_positions(mask_BS)}
    asked = {**logits_option(model, length), **outputs_option(bare_model(model), length)}
    logits_BSX: Tensor = model(**inputs, use_cache=False, **asked).logits
    is_whole = logits_BSX.shape[1] == length  # slicing the whole range would still copy the gradient
    return logits_BSX if is_whole else logits_BSX[:, -length:]


def _output_of_shifted(model: nn.Module, ids_BS: Tensor, tokens: Tokens) -> Tensor:
    """The same, with each row shifted left over its padding, for models that would read the padding."""
    padding_B1 = (1 - tokens.prompt_mask_BQ.long()).sum(1, keepdim=True)
    column_S = torch.arange(ids_BS.shape[1], device=ids_BS.device)
    moved_BS = ids_BS.gather(1, (column_S + padding_B1).clamp(max=len(column_S) - 1))
    logits_BSX: Tensor = model(input_ids=moved_BS, use_cache=False).logits
    place_BT = column_S[-tokens.ids_BT.shape[1] :] - padding_B1
    return logits_BSX.gather(1, place_BT.unsqueeze(2).expand(-1, -1, logits_BSX.shape[2]))


def _masked(values_BT: Tensor, tokens: Tokens) -> Tensor:
    return torch.where(tokens.mask_BT, values_BT, 0.0)
