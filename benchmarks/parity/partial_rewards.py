"""Reward functions that cannot score everything, so that the parity benchmark sees how None is handled."""

from typing import Any


def short_only(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float | None]:
    """Minus the length of a completion of at most six characters; longer ones cannot be scored."""
    return [-float(len(completion)) if len(completion) <= 6 else None for completion in completions]
