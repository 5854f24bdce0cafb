"""The settings that a trainer prints when it begins: a nested Python dictionary, pretty-printed over many lines."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from diagnostics.readers.console.plain_text import strip_ansi

MOST_CHARACTERS = 1 << 18  # ten times what the longest known settings take
_NESTED = "': {"
_FIRST = re.compile(r"\{'\w+': \{")
_PREFIX = re.compile(r"\([^()]{0,80}\)\s")
_GLUED = re.compile(  # before the label of another process, whose words follow without a line end
    r"(?<=[,{}\[\]])(?=\((?:[\w:.]{1,80} ){0,3}pid=\d{1,10}[^()]{0,80}\) )"
)
_PART = re.compile(r"\s+['\"\[{(]")  # pprint's indentation of every line but the first


class PrintedSettings:
    """Complete once the closing brace was printed; lines from other processes in between are ignored.

    Of several dictionaries the longest one counts. One on a single line is a row or a message.
    """

    def __init__(self) -> None:
        self.found: Mapping[str, Any] = {}
        self._lines: list[str] = []
        self._prefix = ""
        self._characters = 0
        self._open = 0  # braces
        self._longest = 0  # characters of what was found

    def feed(self, line: str) -> None:
        """Process the next line of the console."""
        if self._lines or _NESTED in line:
            for piece in _GLUED.split(strip_ansi(line)):
                self._take(piece)

    def _take(self, line: str) -> None:
        words = line.rstrip()
        label = _PREFIX.match(words)
        prefix, words = (label[0], words[label.end() :]) if label else ("", words)
        if _FIRST.match(words) and (not self._lines or prefix == self._prefix):
            self._lines, self._prefix, self._characters, self._open = [words], prefix, 0, 0
        elif self._lines and prefix == self._prefix and _PART.match(words):
            self._lines.append(words)
        else:
            return
        self._characters += len(words)
        self._open += words.count("{") - words.count("}")
        if self._open <= 0:
            self._close()
        elif self._characters > MOST_CHARACTERS:
            self._lines = []

    def _close(self) -> None:
        """The settings, if the collected lines parse as such."""
        try:
            found = json.loads(json.dumps(ast.literal_eval("\n".join(self._lines)), default=str))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            found = None
        if isinstance(found, dict) and len(self._lines) > 1 and self._characters > self._longest:
            self.found, self._longest = found, self._characters
        self._lines = []
