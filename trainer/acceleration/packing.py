"""Packs prompts and their completions into one row of tokens, so that a model reads each prompt once per group.

A causal model computes a token from itself, its position and, through attention, the tokens before it. The row contains
all but the last token of each prompt, then these last tokens, then the completions: all outputs that predict completion
tokens are at the end of the row.

Axes: P prompts, Q tokens of each, G completions of each prompt, B = P·G, T input tokens of each completion, M = P·Q +
B·T, X any other axes.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Layout of a packed row."""

    prompts: int
    prompt_length: int
    group: int
    length: int
    mask_PQ: Tensor | None = None
    """bool, False for padding; None if no prompt is padded."""

    @property
    def outputs(self) -> int:
        """Tokens at the end of the row whose outputs predict completion tokens: last prompt tokens and completions."""
        return self.prompts + self.prompts * self.group * self.length

    @property
    def longest(self) -> int:
        """Tokens that a completion's last token attends to."""
        return self.prompt_length + self.length

    def concatenated(self, of_prompts: Tensor, of_completions: Tensor, axis: int = 0) -> Tensor:
        """(X, M, X) from values per prompt token, (X, P, Q, X), and per completion token, (X, B, T, X)."""
        parts = (*_before_and_last(of_prompts, axis), of_completions.flatten(axis, axis + 1))
        return torch.cat(parts, axis)

    def prompts_of(self, of_tokens: Tensor, axis: int = 0) -> Tensor:
        """(X, P, Q, X) of (X, M, X), as a copy. If only the end of the row is given, Q is 1."""
        count = of_tokens.shape[axis] - self.prompts * self.group * self.length
        before, last, _ = of_tokens.split([count - self.prompts, self.prompts, of_tokens.shape[axis] - count], axis)
        lengths = (count // self.prompts - 1, 1)
        parts = [
            part.unflatten(axis, (self.prompts, length)) for part, length in zip((before, last), lengths, strict=True)
        ]
        return torch.cat(parts, axis + 1)

    def completions_of(self, of_tokens: Tensor, axis: int = 0) -> Tensor:
        """(X, B, T, X) of (X, M, X), as a view."""
        texts = self.prompts * self.group
        part = of_tokens.narrow(axis, of_tokens.shape[axis] - texts * self.length, texts * self.length)
        texts_apart: Tensor = part.unflatten(axis, (texts, self.length))
        return texts_apart

    def write_prompts(self, of_tokens: Tensor, of_prompts: Tensor) -> None:
        """The inverse of `prompts_of`."""
        torch.cat(_before_and_last(of_prompts, 0), out=of_tokens[: of_prompts.shape[0] * of_prompts.shape[1]])


def _before_and_last(of_prompts: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    before, last = of_prompts.split([of_prompts.shape[axis + 1] - 1, 1], axis + 1)
    return before.flatten(axis, axis + 1), last.flatten(axis, axis + 1)
