"""Reward functions that cannot score every completion, so that the parity benchmark covers None."""

from typing import Any


def short_only(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float | None]:
    """Minus the length of a completion of at most six characters; None for longer ones."""
    return [-float(len(completion)) if len(completion) <= 6 else None for completion in completions]
