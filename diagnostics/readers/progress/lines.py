"""Finds the step of a printed line, and its numbers by name, whatever the trainer's own format is.

Understood are `Step 10/40 | loss=0.39 | reward=0.8`, `[run] 1/100 | loss=…`, `Epoch:[1/1](195/500), Reward: 0.36`,
`epoch: 0|step: 3|loss: 0.2`, and the values behind a progress bar.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from diagnostics.readers.console.plain_text import strip_ansi

LONGEST_LINE = 1 << 18  # characters; a row of thousands of names
_COUNT = r"\d{1,18}"
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf(?:inity)?)"
_POSITIONS = (  # by how surely they are the step
    re.compile(
        r"(?<![\w/])(?:global[ _-]?step|step|iter(?:ation)?|update|episode|batch)\s{0,4}[:=#]?\s{0,4}[\[(]?"
        rf"(?P<step>{_COUNT})(?![.\d]*\d)(?:\s?(?:/|of)\s?(?P<total>{_COUNT}))?[\])]?",
        re.IGNORECASE,
    ),
    re.compile(rf"\((?P<step>{_COUNT})\s?/\s?(?P<total>{_COUNT})\)"),
    re.compile(rf"(?:^|(?<=[\]\s|]))(?P<step>{_COUNT})/(?P<total>{_COUNT})(?=\s|$)"),
)
_EPOCH = re.compile(
    rf"(?<![\w/])epoch\s{{0,4}}[:=#]?\s{{0,4}}[\[(]?(?P<step>{_COUNT})(?:\.\d+)?(?:\s?/\s?(?P<total>{_COUNT}))?[\])]?",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"""(?<![^\s|,;(){}\[\]<>"'])(?P<name>[^\s\d=:|,;\[\]{}"'<>(*#>.+/~-][^=:|,;\[\]{}"'<>]{0,99}?)\s?[=:]\s{0,8}(?:[\w.]{1,20}\()?"""
    rf"(?P<value>{_NUMBER})\)?(?:\s?%(?!\|)|[a-zA-Z]{{1,5}})?(?=[\s,|;)\]}}]|$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![^\s|,;])[^\s\d=:|,;\[\]]{1,100}(?=\s?[=:])")
_BETWEEN = re.compile(r"\(\d[\d.]*%\)|[\s|,;]+")


class ProgressLine(NamedTuple):
    """One line with a step. `form` is how it names the step, digits aside; `numbers` are those it names, as text.

    `total` is that of the epoch where the line names one of several. `unread` are names of a line without any number.
    """

    form: str
    step: int
    total: int | None
    epoch: int
    epochs: int
    numbers: Mapping[str, str]
    unread: tuple[str, ...] = ()


def parse_line(line: str) -> ProgressLine | None:
    """What a line says of a step; None for most lines."""
    if "=" not in line and ":" not in line:
        return None
    words = strip_ansi(line[:LONGEST_LINE])
    epoch = _EPOCH.search(words)
    rest = _without(words, epoch) if epoch else words
    position = next((match for pattern in _POSITIONS if (match := pattern.search(rest))), None)
    found = position or epoch
    if found is None:
        return None
    rest = _without(rest, position) if position else rest
    # what precedes the step may be the place in the code
    numbers = numbers_in(rest[found.start() :]) or numbers_in(rest)
    return ProgressLine(
        _form(*(match for match in (epoch, position) if match)),
        int(found["step"]),
        int(found["total"]) if found["total"] else None,
        int(epoch["step"]) if epoch and position else 0,
        int(epoch["total"] or 1) if epoch and position else 1,
        numbers,
        () if numbers else tuple(_NAME.findall(rest)),
    )


def numbers_of_pure_line(line: str) -> Mapping[str, str]:
    """The numbers of a line that holds nothing but names with numbers; none for any other line."""
    words = strip_ansi(line[:LONGEST_LINE]).strip(" \t|,;")
    if _PAIR.match(words) is None:
        return {}
    return {} if _BETWEEN.sub("", _PAIR.sub("", words)) else numbers_in(words)


def numbers_in(words: str) -> Mapping[str, str]:
    """The numbers of a text by their names, units dropped."""
    return {match["name"].strip(): match["value"] for match in _PAIR.finditer(words)}


def _form(*matches: re.Match[str]) -> str:
    """How the step is named, a sign in the place of each number."""
    return " ".join(re.sub(r"\d+", "#", " ".join(match[0] for match in matches)).split())


def _without(words: str, match: re.Match[str]) -> str:
    """A text with a bar in the place of a match, so that no name reaches across it."""
    return f"{words[: match.start()]}|{words[match.end() :]}"
