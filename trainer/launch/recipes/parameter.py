"""A parameter of a launch recipe: its type, its bounds, and the word that a value becomes in the command."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from diagnostics.foreign_files.folders import resolved
from trainer.launch.error import LaunchError

LONGEST_VALUE = 1_000  # characters
_WORDS = {"true": "true", "false": "false"}


class Kind(StrEnum):
    """What a value is."""

    FLOAT = "float"
    INT = "int"
    BOOL = "bool"
    CHOICE = "choice"
    PATH = "path"
    STR = "str"


@dataclass(frozen=True, slots=True)
class Parameter:
    """`least` and `most` bound a number, `choices` a choice, `roots` a path, `pattern` a string.

    `default` is None where a value must be given.
    """

    name: str
    kind: Kind
    default: str | None = None
    help: str = ""
    least: float = -math.inf
    most: float = math.inf
    choices: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()
    pattern: str = ""

    def word(self, value: str) -> str:
        """The value as it stands in the command. Raises LaunchError where it is none, or out of bounds."""
        if len(value) > LONGEST_VALUE or not value.isprintable():
            raise self._refusal(value[:40], f"at most {LONGEST_VALUE} printable characters")
        match self.kind:
            case Kind.FLOAT | Kind.INT:
                return self._number(value)
            case Kind.BOOL:
                return self._one_of(value.lower(), tuple(_WORDS))
            case Kind.CHOICE:
                return self._one_of(value, self.choices)
            case Kind.PATH:
                return self._path(value)
            case Kind.STR:
                return self._text(value)

    @property
    def bounds(self) -> str:
        """What a value may be, in words."""
        match self.kind:
            case Kind.FLOAT | Kind.INT:
                return f"a {'whole ' if self.kind is Kind.INT else ''}number from {self.least:g} to {self.most:g}"
            case Kind.BOOL:
                return "true or false"
            case Kind.CHOICE:
                return f"one of {', '.join(self.choices)}"
            case Kind.PATH:
                return f"a path below {' or '.join(map(str, self.roots))}"
            case Kind.STR:
                return f"text that fits {self.pattern}"

    def _number(self, text: str) -> str:
        try:
            value: float = int(text) if self.kind is Kind.INT else float(text)
        except ValueError:
            raise self._refusal(text, self.bounds) from None
        if not self.least <= value <= self.most:  # so is NaN
            raise self._refusal(text, self.bounds)
        return repr(value)

    def _one_of(self, text: str, choices: Sequence[str]) -> str:
        if text not in choices:
            raise self._refusal(text, self.bounds)
        return text

    def _path(self, text: str) -> str:
        place = resolved(Path(text).expanduser())
        if not text or not any(place.is_relative_to(resolved(root)) for root in self.roots):
            raise self._refusal(text, self.bounds)
        return str(place)

    def _text(self, text: str) -> str:
        # A program would take a word that begins with a hyphen for one of its options.
        if text.startswith("-") or not re.fullmatch(self.pattern, text):
            raise self._refusal(text, self.bounds)
        return text

    def _refusal(self, value: str, wanted: str) -> LaunchError:
        return LaunchError(f"{self.name} must be {wanted}, but is {value!r}")
