"""A text of a model as turns of plain text and special tokens; put together again, they are the whole text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from diagnostics.language import N_, _
from diagnostics.visible_text import visible

_MOST_PIECES = 2000  # of one text; what follows is one piece, so that a text of nothing but tokens can be drawn

_ROLES = "system|developer|user|assistant|tool|environment|observation|ipython"
_OPENING = re.compile(
    rf"<\|im_start\|>(?P<chatml>\w+)\n?"
    rf"|<\|start_header_id\|>(?P<llama>\w+)<\|end_header_id\|>\n*"
    rf"|<start_of_turn>(?P<gemma>\w+)\n?"
    rf"|<[|｜](?P<named>{_ROLES})[|｜]>\n?"
    r"|(?P<inst>\[INST\])|(?P<answer>\[/INST\])"
    r"|<(?P<inner>think|thinking|tool_call|tool_response|tool_result)>",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"</(?:think|thinking|tool_call|tool_response|tool_result)>\n?", re.IGNORECASE)
_LINE = re.compile(rf"^(?P<line>{_ROLES}): ", re.MULTILINE)  # how a conversation of several roles is read
_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|\[/?(?:PAD|CLS|SEP|UNK|INST)\]"
    r"|</?(?:s|pad|eos|bos|unk|start_of_turn|end_of_turn|think|thinking|tool_call|tool_response|tool_result)>"
)
_NAMES = {
    "think": N_("thinking"),
    "tool_call": N_("tool call"),
    "tool_response": N_("tool result"),
    "tool_result": "tool result",
    "model": N_("assistant"),
    "ipython": N_("tool"),
    "observation": "tool",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a turn: text, or one special token."""

    kind: Literal["text", "token"]
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What one role says, or an inner part of it such as its thinking; the role is empty where nothing names one."""

    role: str
    pieces: tuple[Piece, ...]


def turns(text: str) -> tuple[Turn, ...]:
    """The turns of a text in order: by chat templates, tags of thinking and tool calls, or lines such as `user: `."""
    shown = visible(text)
    starts = list(_starts(shown))
    places = [*(place for place, _ in starts), len(shown)]
    roles = [role for _, role in starts]
    found: list[Turn] = []
    left = _MOST_PIECES
    for index, role in enumerate(roles):
        pieces = tuple(_pieces(shown[places[index] : places[index + 1]], left))
        left = max(1, left - len(pieces))
        if pieces:
            found.append(Turn(_(role), pieces))
    return tuple(found)


def _starts(text: str) -> Iterator[tuple[int, str]]:
    """Where turns begin, with their roles; the first begins at 0."""
    speaker = ""
    yield 0, speaker
    is_lines = _LINE.match(text) is not None
    markers = [*_OPENING.finditer(text), *_CLOSING.finditer(text), *(_LINE.finditer(text) if is_lines else ())]
    for marker in sorted(markers, key=lambda match: match.start())[:_MOST_PIECES]:
        if marker.re is _CLOSING:
            yield marker.end(), speaker
            continue
        kind, word = next((name, value) for name, value in marker.groupdict().items() if value is not None)
        role = {"inst": N_("user"), "answer": "assistant"}.get(kind, _NAMES.get(word.lower(), word.lower()))
        if kind != "inner":
            speaker = role
        yield marker.start(), role


def _pieces(text: str, most: int) -> Iterator[Piece]:
    """The pieces of one turn, at most so many."""
    done = 0
    for count, token in enumerate(_TOKEN.finditer(text)):
        if 2 * count + 3 > most:
            break
        if token.start() > done:
            yield Piece("text", text[done : token.start()])
        yield Piece("token", token[0])
        done = token.end()
    if done < len(text):
        yield Piece("text", text[done:])
