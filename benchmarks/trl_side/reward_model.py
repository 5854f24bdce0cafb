"""A reward model, in the form that TRL's PPO requires, whose scores are known or computed from text."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

ScoreRows = Callable[[Tensor, Tensor], Tensor]
"""(input_ids_BS, attention_mask_BS) → (B,) scores; padding holds 0 and is masked."""


class _Body(nn.Module):
    def __init__(self, score_rows: ScoreRows) -> None:
        super().__init__()
        self._score_rows = score_rows

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **ignored: Any) -> SimpleNamespace:
        scores_B = self._score_rows(input_ids, attention_mask)
        return SimpleNamespace(hidden_states=[scores_B[:, None, None].expand(*input_ids.shape, 1)])


class ScoringModel(nn.Module):
    """TRL takes the output of `score` at the last token; here every token has the row's score."""

    base_model_prefix = "body"

    def __init__(self, score_rows: ScoreRows) -> None:
        super().__init__()
        self.body = _Body(score_rows)

    def score(self, hidden_BS1: Tensor) -> Tensor:
        return hidden_BS1.to(torch.float32)
