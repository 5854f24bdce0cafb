"""Scoring: the rewards of a batch of completions, per reward function and weighted together.

Axes: F reward functions, B completions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainer.data import Row
from trainer.messages import as_completion
from trainer.rewards import RewardFunc


@dataclass(frozen=True, slots=True)
class Scores:
    """The rewards of a batch, raw and weighted together.

    Where a function gave None, `given_FB` is False and `rewards_FB` is 0; a NaN that it gave stays a NaN, as evidence.
    """

    names: tuple[str, ...]
    rewards_FB: Tensor
    given_FB: Tensor
    weights_F: Tensor

    @property
    def total_B(self) -> Tensor:
        """Weighted sum of the rewards that were given."""
        return (self.weights_F.unsqueeze(1) * self.rewards_FB).sum(0)

    @property
    def scorable_B(self) -> Tensor:
        """True where at least one function gave a number."""
        return self.given_FB.any(0)

    def metrics(self) -> dict[str, float]:
        """`rewards/{name}/mean` and `/std` (sample deviation), unweighted; none for a function that gave no number."""
        found = {}
        for name, rewards_B, given_B in zip(self.names, self.rewards_FB, self.given_FB, strict=True):
            if given_B.any():
                found[f"rewards/{name}/mean"] = float(rewards_B[given_B].mean())
                found[f"rewards/{name}/std"] = float(sample_std(rewards_B[given_B]))
        return found

    def of_completion(self, index: int) -> dict[str, float]:
        """The raw rewards of one completion, by function."""
        return {
            name: float(self.rewards_FB[row, index]) for row, name in enumerate(self.names) if self.given_FB[row, index]
        }


def score(
    functions: Sequence[RewardFunc], weights: Sequence[float], rows: Sequence[Row], completions: Sequence[str]
) -> Scores:
    """Call every reward function on the batch; the rows' columns other than `prompt` are passed on by name.

    A column that some rows lack is passed with None there. Where the prompts are conversations the functions get the
    completions as TRL gives them, one assistant message each. Weights are 1 where none are given.
    """
    names = {name for row in rows for name in row} - {"prompt", "prompts", "completions"}
    columns: Mapping[str, list[object]] = {name: [row.get(name) for row in rows] for name in names}
    prompts = [row["prompt"] for row in rows]
    written = [as_completion(text, prompt) for text, prompt in zip(completions, prompts, strict=True)]
    given = [function(prompts, written, **columns) for function in functions]
    return Scores(
        names=tuple(function.name for function in functions),
        rewards_FB=torch.tensor([[0.0 if reward is None else reward for reward in rewards] for rewards in given]),
        given_FB=torch.tensor([[reward is not None for reward in rewards] for rewards in given]),
        weights_F=torch.tensor(list(weights) or [1.0] * len(functions)),
    )


def sample_std(values_N: Tensor) -> Tensor:
    """Deviation with divisor N − 1; 0 for a single value."""
    return values_N.std() if len(values_N) > 1 else torch.zeros(())
