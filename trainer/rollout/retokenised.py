"""Completions that come as text and are tokenised again, as from a chat endpoint: the tokens may be others.

A model draws sequences of tokens that no tokenizer would write: "mov" "ie" for "movie". Their text is the same, the
tokens are not, and the log-probabilities that came with the text belong to the tokens that were drawn.
Axes: B completions, T completion tokens.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from trainer.rollout.generation import Completions
from trainer.rollout.policy import decode


def tokenised_again(
    completions: Completions, tokenizer: PreTrainedTokenizerBase, length: int, pad_id: int
) -> Completions:
    """The tokens that the completions' texts are divided into, at most `length`, with the log-probabilities by place.

    Nothing tells which token a log-probability was of, so that the first belongs to the first and so on, as trainers do
    that get text; where there are more tokens than before, the log-probability is 0. A completion that ended on its own
    ends with the token that ended it.
    """
    texts = decode(tokenizer, completions.ids_BT, completions.mask_BT)
    rows = tokenizer(texts, add_special_tokens=False)["input_ids"]
    drawn = completions.token_lists()
    kept = [
        _with_end(row, own, is_ended, length)
        for row, own, is_ended in zip(rows, drawn, completions.terminated_B.tolist(), strict=True)
    ]
    widest = max(map(len, kept))
    ids_BT = _padded(kept, widest, pad_id).to(completions.ids_BT)
    mask_BT = _padded([[True] * len(ids) for ids in kept], widest, False).to(completions.mask_BT)
    logprobs_BT = completions.padded(max(widest, completions.ids_BT.shape[1]), pad_id).logprobs_BT[:, :widest]
    return Completions(ids_BT, mask_BT, torch.where(mask_BT, logprobs_BT, 0.0), completions.terminated_B)


def _with_end(ids: Sequence[int], drawn: Sequence[int], is_ended: bool, length: int) -> list[int]:
    """The new tokens, at least one; the end that the text does not show stands last."""
    end = [drawn[-1]] if is_ended or not ids else []
    return [*ids[: length - len(end)], *end]


def _padded(rows: Sequence[Sequence[int | bool]], width: int, pad: int | bool) -> Tensor:
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows])
