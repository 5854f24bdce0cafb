"""Conversations as the `prompt` and `completion` cells of a sample table."""

from collections.abc import Sequence
from typing import Any

ASSISTANT = "assistant"


def asked_and_answered(messages: Any, answers_from: int | None = None) -> dict[str, Any]:
    """The cells `prompt` and `completion`; none if these are not messages.

    Args:
        answers_from: Index of the first message written by the model; by default the first of an assistant.
    """
    if not isinstance(messages, list):
        return {}
    known = [message for message in messages if isinstance(message, dict) and "role" in message]
    first = _first_answer(known) if answers_from is None else answers_from
    return {"prompt": known[:first], "completion": known[first:]} if known else {}


def _first_answer(messages: Sequence[dict[str, Any]]) -> int:
    found = (index for index, message in enumerate(messages) if message["role"] == ASSISTANT)
    return next(found, len(messages))
