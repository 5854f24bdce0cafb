"""Prompts and completions in their two forms: plain text, or the messages of a conversation."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Message: TypeAlias = Mapping[str, Any]
"""`{"role": …, "content": …}`, both texts."""
Prompt: TypeAlias = str | Sequence[Message]
Completion: TypeAlias = str | Sequence[Message]


def is_conversation(prompt: object) -> bool:
    """Whether this is a non-empty list of messages, each with a role and a text."""
    return (
        isinstance(prompt, Sequence)
        and not isinstance(prompt, str)
        and len(prompt) > 0
        and all(
            isinstance(message, Mapping)
            and isinstance(message.get("role"), str)
            and isinstance(message.get("content"), str)
            for message in prompt
        )
    )


def prompt_text(prompt: Prompt) -> str:
    """A prompt as one readable text: itself, its only message, or all messages with their roles."""
    if isinstance(prompt, str):
        return prompt
    if len(prompt) == 1:
        return str(prompt[0]["content"])
    return "\n".join(f"{message['role']}: {message['content']}" for message in prompt)


def completion_text(completion: Completion) -> str:
    """The completion as plain text."""
    return completion if isinstance(completion, str) else "".join(str(message["content"]) for message in completion)


def as_completion(text: str, prompt: Prompt) -> Completion:
    """The completion in the form of its prompt: text, or one assistant message, as TRL passes it."""
    return text if isinstance(prompt, str) else [{"role": "assistant", "content": text}]
