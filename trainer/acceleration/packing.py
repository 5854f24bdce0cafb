"""Prompts and the completions of each in one row of tokens, so that a model reads a prompt once for a whole group.

A causal model computes a token from itself, its position and, where it attends, from what stands before it. In the row
stand the prompts' tokens but the last of each, then these last ones, then the completions: whose log-probabilities are
asked for follow from the outputs at the end of the row.
Axes: P prompts, Q tokens of each, G completions of each prompt, B = P·G, T tokens that are read of each completion,
M = P·Q + B·T, X any other axes.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Which token of a row is which."""

    prompts: int
    prompt_length: int
    group: int
    length: int
    mask_PQ: Tensor | None = None
    """bool, False where a prompt is padded; None where none is."""

    @property
    def outputs(self) -> int:
        """Tokens at the end of the row from whose outputs completions follow: the prompts' last ones and their own."""
        return self.prompts + self.prompts * self.group * self.length

    @property
    def longest(self) -> int:
        """Tokens that the last one of a completion attends to."""
        return self.prompt_length + self.length

    def together(self, of_prompts: Tensor, of_completions: Tensor, axis: int = 0) -> Tensor:
        """(X, M, X) from what is known of the prompts' tokens, (X, P, Q, X), and of the completions', (X, B, T, X)."""
        parts = (*_before_and_last(of_prompts, axis), of_completions.flatten(axis, axis + 1))
        return torch.cat(parts, axis)

    def prompts_of(self, of_tokens: Tensor, axis: int = 0) -> Tensor:
        """(X, P, Q, X) of (X, M, X): a copy. Where only the tokens at the end of the row are known, Q is 1."""
        count = of_tokens.shape[axis] - self.prompts * self.group * self.length
        before, last, _ = of_tokens.split([count - self.prompts, self.prompts, of_tokens.shape[axis] - count], axis)
        lengths = (count // self.prompts - 1, 1)
        parts = [
            part.unflatten(axis, (self.prompts, length)) for part, length in zip((before, last), lengths, strict=True)
        ]
        return torch.cat(parts, axis + 1)

    def completions_of(self, of_tokens: Tensor, axis: int = 0) -> Tensor:
        """(X, B, T, X) of (X, M, X): a view."""
        texts = self.prompts * self.group
        part = of_tokens.narrow(axis, of_tokens.shape[axis] - texts * self.length, texts * self.length)
        texts_apart: Tensor = part.unflatten(axis, (texts, self.length))
        return texts_apart

    def write_prompts(self, of_tokens: Tensor, of_prompts: Tensor) -> None:
        """The opposite of `prompts_of`."""
        torch.cat(_before_and_last(of_prompts, 0), out=of_tokens[: of_prompts.shape[0] * of_prompts.shape[1]])


def _before_and_last(of_prompts: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    before, last = of_prompts.split([of_prompts.shape[axis + 1] - 1, 1], axis + 1)
    return before.flatten(axis, axis + 1), last.flatten(axis, axis + 1)
