"""Scoring: the rewards of a batch of completions, per reward function and as a weighted sum.

Axes: F reward functions, B completions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from diagnostics.told import told
from trainer.data.conversations import as_completion
from trainer.data.dataset import Row
from trainer.rewards import RewardError, RewardFunc
from trainer.rewards.call_context import CallContext, Notes, TrainerState
from trainer.rewards.function import IDS_COLUMN


@dataclass(frozen=True, slots=True)
class Scores:
    """The rewards of a batch, raw and as a weighted sum.

    Where a function returned None, `given_FB` is False and `rewards_FB` is 0. A returned NaN stays NaN, as evidence.
    """

    names: tuple[str, ...]
    rewards_FB: Tensor
    given_FB: Tensor
    weights_F: Tensor
    notes: Notes = field(default_factory=Notes)

    @property
    def total_B(self) -> Tensor:
        """Weighted sum of the rewards that were given."""
        return (self.weights_F.unsqueeze(1) * self.rewards_FB).sum(0)

    @property
    def scorable_B(self) -> Tensor:
        """True where at least one function returned a number."""
        return self.given_FB.any(0)

    def metrics(self) -> dict[str, float]:
        """`rewards/{name}/mean` and `/std` (sample deviation), unweighted; omitted if a function returned no number."""
        found = {}
        for name, rewards_B, given_B in zip(self.names, self.rewards_FB, self.given_FB, strict=True):
            if given_B.any():
                found[f"rewards/{name}/mean"] = float(rewards_B[given_B].mean())
                found[f"rewards/{name}/std"] = float(sample_std(rewards_B[given_B]))
        return found

    def totals(self) -> list[float | None]:
        """The weighted sum of each completion's rewards; None if it has none."""
        pairs = zip(self.total_B.tolist(), self.scorable_B.tolist(), strict=True)
        return [total if is_scorable else None for total, is_scorable in pairs]

    def of_completions(self) -> list[dict[str, float]]:
        """The raw rewards of each completion, by function."""
        rows = zip(self.rewards_FB.t().tolist(), self.given_FB.t().tolist(), strict=True)
        return [
            {name: reward for name, reward, is_given in zip(self.names, rewards, given, strict=True) if is_given}
            for rewards, given in rows
        ]


def load_reward_funcs(functions: Sequence[RewardFunc]) -> None:
    """Load what the reward functions score with, so that anything missing fails before the first step.

    Raises:
        RewardError: One of them failed.
    """
    for function in functions:
        function.load()


def score(
    functions: Sequence[RewardFunc],
    weights: Sequence[float],
    rows: Sequence[Row],
    completions: Sequence[str],
    completion_ids: Sequence[Sequence[int]] | None = None,
    state: TrainerState | None = None,
) -> Scores:
    """Call every reward function on the batch, passing the rows' columns other than `prompt` by name.

    A column is None in rows that lack it. For conversational prompts each completion is one assistant message, as in
    TRL. Weights default to 1.

    Args:
        completion_ids: The completions' tokens, if a model wrote them.
        state: The progress of the training, if there is one.

    Raises:
        RewardError: A function failed, or logged a column with the wrong number of values.
    """
    names = {name for row in rows for name in row} - {"prompt", "prompts", "completions", IDS_COLUMN}
    columns: dict[str, Sequence[object]] = {name: [row.get(name) for row in rows] for name in names}
    if completion_ids is not None:
        columns[IDS_COLUMN] = completion_ids
    context = CallContext() if state is None else CallContext(state)
    prompts = [row["prompt"] for row in rows]
    written = [as_completion(text, prompt) for text, prompt in zip(completions, prompts, strict=True)]
    given = [function(prompts, written, context, **columns) for function in functions]
    _check_columns(context.notes, len(rows))
    return Scores(
        names=tuple(function.name for function in functions),
        rewards_FB=torch.tensor([[0.0 if reward is None else reward for reward in rewards] for rewards in given]),
        given_FB=torch.tensor([[reward is not None for reward in rewards] for rewards in given]),
        weights_F=torch.tensor(list(weights) or [1.0] * len(functions)),
        notes=context.notes,
    )


def _check_columns(notes: Notes, rows: int) -> None:
    for column, values in notes.columns.items():
        if len(values) != rows:
            raise RewardError(
                told(
                    "a reward function called log_extra({column!r}, …) with {count} values for {rows} completions: "
                    "give one for each",
                    column=column,
                    count=len(values),
                    rows=rows,
                )
            )


def sample_std(values_N: Tensor) -> Tensor:
    """Deviation with divisor N − 1; 0 for a single value."""
    return values_N.std() if len(values_N) > 1 else torch.zeros(())
