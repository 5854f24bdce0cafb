"""Rows that a trainer printed as tables: numbers below the names of columns, or a block of names and numbers."""

import re
from collections.abc import Mapping, Sequence

from diagnostics.readers.console.plain_text import strip_ansi
from diagnostics.readers.progress.lines import OF_TRAINING, ProgressLine

MOST_CHARACTERS = 1000  # of a line with names; longer ones are no head of a table
_STEPS = frozenset(("step", "steps", "global_step", "iter", "iteration", "update", "episode", "epoch", "rollout"))
_SHORTEST = ("step", "iter", "update", "episode", "epoch", "rollout")
"""A line with the names of columns has one of these: most lines of a text need not be taken apart."""
_BETWEEN = re.compile(r"\s*[|│┃]\s*|\t+|\s{2,}")
_EDGES = " \t\r|│┃"
_OF_NUMBERS = re.compile(r"[-+.\d]")
_NAME_AND_NUMBER = re.compile(r"\s*[|│┃]\s*(?P<name>[^|│┃]{1,80}?)\s*[|│┃]\s*(?P<value>[^\s|│┃]{1,40})\s*[|│┃]\s*")
_SECTION = re.compile(r"\s*[|│┃]\s*[\w ]{1,40}/\s*[|│┃]\s*[|│┃]\s*")
_STEPS_OF_BLOCK = ("iterations", "n_updates", "total_timesteps", *sorted(_STEPS))
_EMPTY = frozenset(("", "-", "--", "n/a", "none"))


class PrintedTable:
    """The table that is being printed, if one is."""

    def __init__(self) -> None:
        self._names: Sequence[str] = ()
        self._axis = -1

    def row(self, line: str) -> ProgressLine | None:
        """The row that a line is below the names of the columns; None for those names and all other lines."""
        if self._names:
            words = strip_ansi(line[:MOST_CHARACTERS]).strip(_EDGES)
            if _OF_NUMBERS.match(words) and (cells := _split(words, len(self._names))):
                return self._row_of(cells)
        if len(line) <= MOST_CHARACTERS and any(map(line.lower().__contains__, _SHORTEST)):
            self._look_for_names(strip_ansi(line).strip(_EDGES))
        return None

    def _look_for_names(self, words: str) -> None:
        for names in (_BETWEEN.split(words), words.split()):
            axis = next((place for place, name in enumerate(names) if name.lower() in _STEPS), None)
            if axis is not None and len(names) > 2 and _are_names(names):
                self._names, self._axis = names, axis
                return

    def _row_of(self, cells: Sequence[str]) -> ProgressLine | None:
        step, numbers = cells[self._axis], dict[str, str]()
        for name, cell in zip(self._names, cells, strict=True):
            if name != self._names[self._axis] and cell.lower() not in _EMPTY:
                numbers[name] = cell.rstrip("%")
        if not re.fullmatch(r"\d{1,18}", step) or not numbers or not all(map(_is_number, numbers.values())):
            return None
        return ProgressLine(f"{self._names[self._axis]} | …", int(step), None, 0, 1, numbers)


class PrintedBlock:
    """The block that is being printed, if one is: a name and a number in each line, as of Stable-Baselines3."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def ended_by(self, line: str) -> Mapping[str, str]:
        """The numbers of the block that this line ends; none while it goes on, and for lines of other text."""
        found = _NAME_AND_NUMBER.fullmatch(strip_ansi(line)) if len(line) <= MOST_CHARACTERS else None
        if found is not None and _is_number(found["value"]) and found["name"] not in self._numbers:
            self._numbers[found["name"]] = found["value"]
            return {}
        if len(line) <= MOST_CHARACTERS and _SECTION.fullmatch(line):
            return {}
        ended, self._numbers = self._numbers, {}
        return ended


def row_of_block(numbers: Mapping[str, str]) -> ProgressLine | None:
    """The row of a block that names its step; None where it does not."""
    axis = next((name for name in _STEPS_OF_BLOCK if re.fullmatch(r"\d{1,18}", numbers.get(name, ""))), None)
    if axis is None:
        return None
    others = {name: value for name, value in numbers.items() if name != axis}
    return ProgressLine(f"{axis} | …", int(numbers[axis]), None, 0, 1, others) if others else None


def _split(words: str, count: int) -> Sequence[str]:
    """The cells of a line if there are so many of them; none otherwise."""
    return next((cells for cells in (_BETWEEN.split(words), words.split()) if len(cells) == count), ())


def _are_names(names: Sequence[str]) -> bool:
    return (
        len(set(names)) == len(names)
        and not any(map(_is_number, names))
        and any(map(OF_TRAINING.search, names))
        and all(name and len(name) <= 40 for name in names)
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
