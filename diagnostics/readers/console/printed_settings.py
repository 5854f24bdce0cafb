"""The settings that verl prints when it begins: a Python dictionary over hundreds of lines, others in between."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from diagnostics.readers.console.plain_text import strip_ansi

FIRST = "{'actor_rollout_ref': "
MOST_CHARACTERS = 1 << 18  # ten times what verl's settings take
_PREFIX = re.compile(r"\([^()]{0,80}\)\s")
_PART = re.compile(r"\s+['\"\[{(]")  # pprint's indentation of every line but the first


class PrintedSettings:
    """Complete once the closing brace was printed; lines from other processes in between are ignored."""

    def __init__(self) -> None:
        self.found: Mapping[str, Any] = {}
        self._lines: list[str] = []
        self._prefix = ""
        self._characters = 0
        self._open = 0  # braces

    def take(self, line: str) -> None:
        """Process the next line of the console."""
        if not self._lines and FIRST not in line:
            return
        words = strip_ansi(line).rstrip()
        label = _PREFIX.match(words)
        prefix, words = (label[0], words[label.end() :]) if label else ("", words)
        if words.startswith(FIRST) and (not self._lines or prefix == self._prefix):
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
        if isinstance(found, dict):
            self.found = found
        self._lines = []
