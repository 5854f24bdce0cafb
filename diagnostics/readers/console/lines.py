"""Finds rows of metrics, progress bars and steps among everything else on a console.

Rows are Python dictionaries as printed by transformers' Trainer and its descendants, recognised by their `epoch`
(`{'loss': '0.12', …, 'epoch': '0.5'}`), and verl's lines (`step:3 - actor/kl_loss:0.1 - …`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from diagnostics.readers.console.plain_text import LONGEST_ROW, strip_ansi
from diagnostics.readers.console.wrapping import wrapped_start

EVAL = "eval_"  # the Trainer's prefix of evaluation metrics
LONGEST_NAME = 300  # characters
MOST_PLACES = 1000  # candidates that are tried
_DICTIONARY = re.compile(r"\{['\"]")
_PAIR = re.compile(
    rf"""(?:^|,[ ])(?:'(?P<name>[^'\n]{{1,{LONGEST_NAME}}})'|"(?P<other>[^"\n]{{1,{LONGEST_NAME}}})"):[ ]"""
    r"""(?P<value>'[^']*'|"[^"]*"|[^,]*)"""
)
_STEP_LINE = re.compile(r"(?<![\w/])step:(?P<step>-?\d{1,18}) - (?P<pairs>\S.*)$")
_OUT_OF = re.compile(r"(?P<step>\d{1,18})/(?P<total>\d{1,18})")
_LABEL = r"(?:\[?[\w.-]{0,40}\d\]?:|\([^()]{0,80}\))"  # srun's task number, Ray's actor name
_BAR = re.compile(  # of a Trainer or verl; bars of other loops are preceded by a name
    rf"(?:^(?:{_LABEL}\s)?\s*(?:Training Progress:\s*)?|(?<=[^:\s\d])\s*)\d{{1,3}}%(?:\|[^|]{{0,500}}\|)?\s+"
    r"(?P<step>\d{1,18})/(?P<total>\d{1,18})\s\["
)
_PANEL = re.compile(r"╭─+ Step (?P<step>\d{1,18}) ─+╮")  # TRL's table of completions, printed after its row
_NUMBER = re.compile(r"(?:(?:np|numpy|torch)\.)?(?:\w+\()?(?P<number>[-+\w.]+?)(?:\.|\)|, .*)?")
_FIRST_PAIR = re.compile(rb"(?<![\w/])step:\d{1,18} - \S{1,300}?:(?:np\.\w{1,20}\()?[-+]?(?:\d|nan|inf)")
_BEGINNING = re.compile(  # verl's settings, or a traceback through a known trainer
    rb"\{'actor_rollout_ref': "
    rb'|File "[^"\n]{0,400}[/\\](?:trl|verl|unsloth_compiled_cache)[/\\][^"\n]{1,400}", line \d'
)
_THREE_DECIMALS = re.compile(r"-?(?:\d+\.\d{3}|nan|inf)")
_NARROWEST_BAR = 10  # characters
_SEVERAL = 4  # enough numbers that three decimals are no coincidence
_STEPS = ("step", "global_step", "global_step/max_steps")
_NOTHING = frozenset({"None", "True", "False"})


class Bar(NamedTuple):
    """The position of a progress bar."""

    step: int
    total: int


class Erasure(NamedTuple):
    """A progress bar was erased, to be drawn anew behind a line that is written in its place."""


class Panel(NamedTuple):
    """The step in the heading of a table of completions."""

    step: int


@dataclass(frozen=True, slots=True)
class Row:
    """The numbers of one row by name, with its step and the planned steps if printed. `misfits` counts other values.

    `is_rounded` if several values are all printed with three decimals, as older versions of verl do.
    """

    values: dict[str, float]
    step: int | None = None
    total: int | None = None
    misfits: int = 0
    is_rounded: bool = False


Printed = Row | Bar | Panel | Erasure


def parse_line(line: str) -> Iterator[Printed]:
    """What a line contains, in order; nothing for most lines. Text overwritten by a carriage return counts too."""
    for piece in line.split("\r"):
        if len(piece) >= _NARROWEST_BAR and piece.isspace():
            yield Erasure()
            continue
        words = strip_ansi(piece)
        dictionary = _DICTIONARY.search(words) if "'epoch': " in words else None
        before = words[: dictionary.start()] if dictionary else words
        if "%" in before and "[" in before:
            yield from (Bar(int(match["step"]), int(match["total"])) for match in _BAR.finditer(before))
        if "step:" in words and (match := _STEP_LINE.search(words)):
            yield _of_pairs(int(match["step"]), match["pairs"])
        elif dictionary:
            yield _of_dictionary(words[dictionary.start() + 1 : max(words.rfind("}"), dictionary.start() + 1)])
        elif match := _PANEL.match(words):
            yield Panel(int(match["step"]))


def is_whole_row(line: str) -> bool:
    """Whether a line without a line end is a complete dictionary row."""
    return "'epoch': " in line and strip_ansi(line).rstrip().endswith("}")


def _of_dictionary(body: str) -> Row:
    """A row of the Trainer: values are numbers, quoted numbers, or text, which is ignored."""
    values, misfits = dict[str, float](), 0
    step = total = None
    for match in _PAIR.finditer(body):
        name, value = match["name"] or match["other"], match["value"]
        is_text = value[:1] in ("'", '"')
        number = number_in(value[1:-1] if is_text else value)
        if name in _STEPS:
            counted = _OUT_OF.fullmatch(value.strip("'\""))
            step = int(counted["step"]) if counted else None if number is None else _whole_number(number)
            total = int(counted["total"]) if counted else total
        elif number is not None:
            values[name] = number
        else:
            misfits += not is_text and value not in _NOTHING
    return Row(values, step, total, misfits + (not values))


def _of_pairs(step: int, pairs: str) -> Row:
    """A row of verl: names may contain spaces and colons, values neither."""
    values, misfits, is_rounded = dict[str, float](), 0, True
    for pair in pairs.split(" - "):
        name, _, value = pair.rpartition(":")
        number = number_in(value.strip())
        if name and number is not None:
            values[name] = number
            is_rounded = is_rounded and _THREE_DECIMALS.fullmatch(value.strip()) is not None
        else:
            misfits += value.strip() not in _NOTHING
    return Row(values, step, None, misfits, is_rounded and len(values) >= _SEVERAL)


def number_in(text: str) -> float | None:
    """A number as Python, numpy or torch prints it (`np.float64(0.5)`, `tensor(0.5)`); None if it is none."""
    match = _NUMBER.fullmatch(text)
    try:
        return float(match["number"]) if match else None
    except ValueError:
        return None


def _whole_number(number: float) -> int | None:
    return int(number) if number.is_integer() and abs(number) < 2**53 else None


def holds_row(text: bytes) -> bool:
    """Whether these bytes contain a row."""
    return any(_FIRST_PAIR.match(text, place) for place in _first_occurrences(b"step:", text)) or any(
        text.find(b"{", _line_start(text, place), place) >= 0 or wrapped_start(text, place) >= 0
        for place in _first_occurrences(b"'epoch': ", text)
    )


def holds_beginning(text: bytes) -> bool:
    """Whether these bytes show that a training started, or failed to, even if no row was printed yet."""
    return _BEGINNING.search(text) is not None


def _first_occurrences(words: bytes, text: bytes) -> Iterator[int]:
    """The first occurrences of these words."""
    place = text.find(words)
    for _ in range(MOST_PLACES):
        if place < 0:
            return
        yield place
        place = text.find(words, place + 1)


def _line_start(text: bytes, place: int) -> int:
    earliest = max(0, place - LONGEST_ROW)
    return max(earliest, *(text.rfind(end, earliest, place) + 1 for end in (b"\n", b"\r")))
