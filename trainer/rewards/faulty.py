"""Deliberately bad rewards: controls without a signal, invitations to hack, and broken functions."""

import math
import random as randomness
from typing import Any

from trainer.rewards.function import Function


def exclamation(bonus: float) -> Function:
    """The function that gives `bonus` for each exclamation mark."""

    def exclamation(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [bonus * completion.count("!") for completion in completions]

    return exclamation


def constant(value: float) -> Function:
    """The function that gives every completion the same reward."""

    def constant(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [value] * len(completions)

    return constant


def random(seed: float) -> Function:
    """The function that draws uniformly from 0 … 1, whatever the completion."""
    return _Random(seed)


def nan_after(calls: float) -> Function:
    """The function that returns 0 for `calls` calls and NaN from then on."""
    return _NanAfter(calls)


class _Random:
    """Its draws continue after a resume as if never interrupted."""

    def __init__(self, seed: float) -> None:
        self._random = randomness.Random(seed)

    def __call__(self, prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [self._random.random() for _ in completions]

    def state_dict(self) -> dict[str, Any]:
        version, internal, gauss = self._random.getstate()
        return {"random": [version, list(internal), gauss]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        version, internal, gauss = state["random"]
        self._random.setstate((version, tuple(internal), gauss))


class _NanAfter:
    """Counts its calls, including those before a resume."""

    def __init__(self, calls: float) -> None:
        self._left = calls

    def __call__(self, prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        self._left -= 1
        return [math.nan if self._left < 0 else 0.0] * len(completions)

    def state_dict(self) -> dict[str, Any]:
        return {"left": self._left}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._left = state["left"]
