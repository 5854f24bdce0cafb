"""Prompts and completions in the two forms that datasets have: plain text, or the messages of a conversation."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Message: TypeAlias = Mapping[str, Any]
"""`{"role": …, "content": …}`, both texts."""
Prompt: TypeAlias = str | Sequence[Message]
Completion: TypeAlias = str | Sequence[Message]


def is_conversation(prompt: object) -> bool:
    """Whether this is a list of messages with a role and a text each; there is at least one."""
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
    """A prompt as one text to read: itself, its only message, or every message behind its role."""
    if isinstance(prompt, str):
        return prompt
    if len(prompt) == 1:
        return str(prompt[0]["content"])
    return "\n".join(f"{message['role']}: {message['content']}" for message in prompt)


def completion_text(completion: Completion) -> str:
    """What the model wrote."""
    return completion if isinstance(completion, str) else "".join(str(message["content"]) for message in completion)


def as_completion(text: str, prompt: Prompt) -> Completion:
    """The completion in the form of its prompt: text, or one assistant message, which is what TRL's functions get."""
    return text if isinstance(prompt, str) else [{"role": "assistant", "content": text}]
