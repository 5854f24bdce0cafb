"""Whether a chat template keeps what it rendered: made-up conversations, turn by turn."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from transformers import PreTrainedTokenizerBase

Turn = dict[str, Any]

_SHOWN_BEFORE, _SHOWN_AFTER = 24, 48  # characters of a rendering around its first difference
_LONGEST_REASON = 160  # characters of what a template raised
_THOUGHTS, _THOUGHT_FIELD = "Two and two.", "reasoning_content"
_OPENING, _CLOSING = "<think>", "</think>"
_ARGUMENTS = {"a": 2, "b": 2}
_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds two numbers.",
        "parameters": {
            "type": "object",
            "properties": {name: {"type": "integer", "description": "A number."} for name in _ARGUMENTS},
            "required": list(_ARGUMENTS),
        },
    },
}


@dataclass(frozen=True, slots=True)
class _Conversation:
    """Turns of user, assistant and tools; `thinks` where the assistant's turns begin with its thoughts."""

    kind: str
    turns: Sequence[Turn]
    tools: list[Any] | None = None
    thinks: bool = False


@dataclass(frozen=True, slots=True)
class _Change:
    """A rendering, and what became of it."""

    earlier: str
    later: str
    is_same_text: bool


def grown_conversations(tokenizer: PreTrainedTokenizerBase) -> list[Mapping[str, Any]]:
    """What becomes of the rendering of each conversation as turns are added, in the words of the model.

    The assistant's turns are compared with the prompt that asks for them, as TRL's and verl's rollouts grow.
    """
    return [_grown(tokenizer, conversation) for conversation in _conversations(tokenizer)]


def _conversations(tokenizer: PreTrainedTokenizerBase) -> Iterator[_Conversation]:
    reads_thoughts = _THOUGHT_FIELD in tokenizer.get_chat_template()
    yield _Conversation("plain", _dialogue({"content": "Four."}))
    yield _Conversation("thinking", _dialogue(_thinking_answer(reads_thoughts=reads_thoughts)), thinks=True)
    if "tool_calls" in tokenizer.get_chat_template(tools=[_TOOL]):
        yield _tool_conversation(tokenizer)


def _dialogue(answer: Turn) -> list[Turn]:
    answered = {"role": "assistant", **answer}
    return [{"role": "user", "content": "What is 2 + 2?"}, answered, {"role": "user", "content": "Sure?"}, answered]


def _thinking_answer(*, reads_thoughts: bool) -> Turn:
    """An answer with its thoughts where the template reads them: in a field of their own, or before the answer."""
    if reads_thoughts:
        return {"content": "Four.", _THOUGHT_FIELD: _THOUGHTS}
    return {"content": f"{_OPENING}\n{_THOUGHTS}\n{_CLOSING}\n\nFour."}


def _tool_conversation(tokenizer: PreTrainedTokenizerBase) -> _Conversation:
    """A tool is called with an object, or with its JSON for a template that can only join texts, such as DeepSeek's."""
    conversation = _Conversation("tool-call", _tool_dialogue(_ARGUMENTS), [_TOOL])
    try:
        _rendered(tokenizer, conversation, 2)
    except TypeError:
        return replace(conversation, turns=_tool_dialogue(json.dumps(_ARGUMENTS)))
    except Exception:  # whatever else it raises is told with the conversation
        return conversation
    return conversation


def _tool_dialogue(arguments: object) -> list[Turn]:
    call = {"type": "function", "id": "call00001", "function": {"name": "add", "arguments": arguments}}
    return [
        {"role": "user", "content": "What is 2 + 2?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": "add", "tool_call_id": "call00001", "content": "4"},
        {"role": "assistant", "content": "Four."},
    ]


def _grown(tokenizer: PreTrainedTokenizerBase, conversation: _Conversation) -> Mapping[str, Any]:
    known = {"kind": conversation.kind, "turns": len(conversation.turns)}
    try:
        found = _first_change(tokenizer, conversation)
    except Exception as error:  # a template is a program of somebody else's, and may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return {**known, "refused": reason[:_LONGEST_REASON]}
    if found is None:
        return known
    turn, change = found
    shown = {"earlier": change.earlier, "later": change.later, "is_same_text": change.is_same_text}
    return {**known, "changed_by": turn, **shown}


def _first_change(tokenizer: PreTrainedTokenizerBase, conversation: _Conversation) -> tuple[int, _Change] | None:
    """The first turn that changes what was rendered before it, counted from 1."""
    for count, turn in enumerate(conversation.turns[1:], start=1):
        earlier = _before(tokenizer, conversation, count, is_asked=turn["role"] == "assistant")
        if change := _change(tokenizer, earlier, _rendered(tokenizer, conversation, count + 1)):
            return count + 1, change
    return None


def _before(tokenizer: PreTrainedTokenizerBase, conversation: _Conversation, count: int, *, is_asked: bool) -> str:
    """The first turns, up to where the assistant speaks if it is asked.

    A prompt that itself opens the thoughts, or closes them, is not one for an answer without any, or with some.
    """
    prompt = _rendered(tokenizer, conversation, count, is_asked=is_asked)
    unlike = _CLOSING if conversation.thinks else _OPENING
    return _rendered(tokenizer, conversation, count) if is_asked and prompt.rstrip().endswith(unlike) else prompt


def _rendered(
    tokenizer: PreTrainedTokenizerBase, conversation: _Conversation, count: int, *, is_asked: bool = False
) -> str:
    return str(
        tokenizer.apply_chat_template(
            list(conversation.turns[:count]),
            tools=conversation.tools,
            add_generation_prompt=is_asked,
            tokenize=False,
        )
    )


def _change(tokenizer: PreTrainedTokenizerBase, earlier: str, later: str) -> _Change | None:
    """How a rendering changed; None where what follows was only added to it, in text and in tokens."""
    if not later.startswith(earlier):
        place = _common(earlier, later)
        around = slice(max(0, place - _SHOWN_BEFORE), place + _SHOWN_AFTER)
        return _Change(earlier[around], later[around], is_same_text=False)
    before, after = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (earlier, later))
    place = _common(before, after)
    if place == len(before):
        return None
    around = slice(max(0, place - 2), place + 3)
    return _Change(_pieces(tokenizer, before[around]), _pieces(tokenizer, after[around]), is_same_text=True)


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The length of what both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _pieces(tokenizer: PreTrainedTokenizerBase, ids: Sequence[int]) -> str:
    """The texts of tokens, with a bar between them."""
    return "|".join(str(tokenizer.decode([token])) for token in ids)[: _SHOWN_BEFORE + _SHOWN_AFTER]
