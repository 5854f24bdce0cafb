"""Damage to what text says, with its syntax left intact: values of wrong types, odd numbers and names, doubled keys."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.damage import Damage, Damaged, files_of

ODD_VALUES: dict[str, str] = {
    "-1": "-1",
    "5 as text": '"5"',
    "1.5": "1.5",
    "[1]": "[1]",
    "NaN": "NaN",
    "-Infinity": "-Infinity",
    "null": "null",
    "{}": "{}",
    "true": "true",
    "an empty text": '""',
    "an integer of 10,000 digits": "9" * 10_000,
    "a negative integer of 400 digits": "-" + "9" * 400,
    "1e400": "1e400",
    "2 ** 63": str(2**63),
    "-(2 ** 63) - 1": str(-(2**63) - 1),
    "1e308": "1e308",
    "a lone surrogate": '"\\ud800"',
    "a NUL": '"a\\u0000b"',
    "control characters": '"\\u001b]0;x\\u0007\\u202e\\n\\r"',
    "a text of 100,000 letters": '"' + "x" * 100_000 + '"',
    "a path of 10,000 folders": '"' + "a/" * 10_000 + '"',
    "a path upwards": '"../../../../etc/passwd"',
    "1,000 brackets": "[" * 1_000 + "]" * 1_000,
    "1,000 objects": '{"a":' * 1_000 + "1" + "}" * 1_000,
    "lists of lists": "[[1, 2], [3], []]",
    "a list of odd things": '[null, "x", NaN, -1, {}, [], 1e400]',
    "an object of odd things": '{"": null, "edges": [1], "counts": "x", "_type": 5, "nan": NaN}',
}
"""JSON texts, by what they are."""

ODD_KEYS: dict[str, str] = {
    "made empty": '""',
    "made one with a NUL": '"a\\u0000b"',
    "made a lone surrogate": '"\\udfff"',
    "made very long": '"' + "k" * 100_000 + '"',
    "made slashes": '"' + "/" * 5_000 + '"',
}
"""JSON texts, by what becomes of a key."""

_JSON = (".json", ".jsonl", ".ipynb")
HOLDERS_OF_TEXT = (*_JSON, ".yaml", ".yml", ".csv", ".txt", ".log", ".out", ".toml", ".md")
"""How the files end that this kind damages."""

_PLACEHOLDER = "@@odd@@"
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")
_YAML_VALUE = re.compile(r"(?<=: )[^\n,}]+")


def odd_value(draw: random.Random, folder: Path) -> Damaged:
    """One value of a JSON file, or one number of another text, is replaced."""
    file = _text_file(draw, folder)
    what = draw.choice(list(ODD_VALUES))
    if file.suffix not in _JSON:
        place = _rewrite_text(draw, file, ODD_VALUES[what].strip('"'))
        return Damaged(folder, f"{what} at {place} of {file.relative_to(folder)}")
    document = _Document(draw, file)
    holder, key = draw.choice(list(_places(document.content)))
    holder[key] = _PLACEHOLDER
    document.write(ODD_VALUES[what])
    return Damaged(folder, f"{what} for {key} in {file.relative_to(folder)}")


def odd_key(draw: random.Random, folder: Path) -> Damaged:
    """A key of a JSON object is lost, doubled or renamed; where there is no JSON, a value changes."""
    files = files_of(folder, *_JSON)
    if not files:
        return odd_value(draw, folder)
    file = draw.choice(files)
    document = _Document(draw, file)
    objects = [(holder, key) for holder, key in _places(document.content) if isinstance(holder, dict)]
    if not objects:
        return odd_value(draw, folder)
    holder, key = draw.choice(objects)
    what = draw.choice(("lost", "doubled", *ODD_KEYS))
    value = holder[key] if what == "doubled" else holder.pop(key)
    if what != "lost":
        holder[_PLACEHOLDER] = value
    document.write(ODD_KEYS.get(what, json.dumps(key)))
    return Damaged(folder, f"the key {key} {what} in {file.relative_to(folder)}")


def odd_row(draw: random.Random, folder: Path) -> Damaged:
    """A line that is JSON but no row, or a row of wrong things, within a file of lines."""
    file = _text_file(draw, folder)
    what = draw.choice(list(ODD_VALUES))
    lines = file.read_bytes().split(b"\n")
    rows = (ODD_VALUES[what], f'{{"step": {ODD_VALUES[what]}}}', f'{{"step": 1, "metrics": {ODD_VALUES[what]}}}')
    lines.insert(draw.randrange(len(lines)), draw.choice(rows).encode())
    file.write_bytes(b"\n".join(lines))
    return Damaged(folder, f"a line of {what} in {file.relative_to(folder)}")


def _text_file(draw: random.Random, folder: Path) -> Path:
    """A text of the run; where there is none, one beside its files."""
    if files := files_of(folder, *HOLDERS_OF_TEXT):
        return draw.choice(files)
    beside = folder / "metrics.jsonl"
    beside.write_text('{"step": 1, "reward": 0.5}\n' * 3)
    return beside


class _Document:
    """One JSON document of a file: a line, or the whole; `content` is a list that holds it, so that it has a place."""

    def __init__(self, draw: random.Random, file: Path) -> None:
        self._file = file
        text = file.read_text("utf-8")
        self._texts = text.splitlines(keepends=True) if file.suffix == ".jsonl" else [text]
        self._number = draw.randrange(len(self._texts))
        self.content: list[Any] = [json.loads(self._texts[self._number])]

    def write(self, odd: str) -> None:
        """Write the file with a text in the placeholder's place."""
        changed = json.dumps(self.content[0]).replace(json.dumps(_PLACEHOLDER), odd)
        self._texts[self._number] = changed + "\n"
        self._file.write_text("".join(self._texts), "utf-8")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a document: the object or list that holds a value, and its key there."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _rewrite_text(draw: random.Random, file: Path, odd: str) -> int:
    """Replace a number, or in YAML a value, of a text; returns where."""
    text = file.read_text("utf-8", "replace")
    pattern = _YAML_VALUE if file.suffix in (".yaml", ".yml") and draw.random() < 0.7 else _NUMBER
    found = list(pattern.finditer(text))
    start, end = draw.choice(found).span() if found else (0, 0)
    file.write_text(text[:start] + odd + text[end:], "utf-8", "replace")
    return start


VALUES: tuple[Damage, ...] = (odd_value, odd_value, odd_value, odd_key, odd_row)
