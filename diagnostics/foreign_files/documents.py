"""JSON, TOML and YAML documents that somebody else wrote: whatever is wrong with one is a ValueError.

A whole number of thousands of digits, which Python refuses to convert, stays text: it costs its own field alone.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.bounds import JSON_DEPTH, WHOLE_FILE_BYTES, YAML_BYTES, YAML_DEPTH, YAML_NODES
from diagnostics.foreign_files.cancellation import check_cancelled
from diagnostics.foreign_files.door import read_text, read_whole

_MOST_DIGITS = 4300  # what Python converts: sys.get_int_max_str_digits
_LONG_NUMBER = re.compile(rf"\d{{{_MOST_DIGITS + 1}}}")


def parse_json(content: bytes | str) -> Any:
    """A JSON document; NaN and infinities count as numbers. Raises ValueError if it is none, or nested too deep."""
    found = _parsed(content)
    check_depth(found, content)
    return found


def check_depth(value: Any, content: bytes | str) -> None:
    """Raises ValueError if a JSON value nests too deep. Few texts have enough brackets to be looked at."""
    if _opened(content) > JSON_DEPTH and _nests_deeper(value, JSON_DEPTH):
        raise ValueError("it is nested too deep")


def _opened(content: bytes | str) -> int:
    """How many brackets a text opens, those in its strings included."""
    if isinstance(content, bytes):
        return content.count(b"[") + content.count(b"{")
    return content.count("[") + content.count("{")


def _nests_deeper(value: Any, depth: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        held = (inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer))
        level = [inner for inner in held if isinstance(inner, dict | list)]
    return bool(level)


def _parsed(content: bytes | str) -> Any:
    text = content if isinstance(content, str) else content.decode(json.detect_encoding(content), "surrogatepass")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except ValueError:
        if not _LONG_NUMBER.search(text):
            raise
    try:
        return json.loads(text, parse_int=_whole)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_json(path: Path, limit: int = WHOLE_FILE_BYTES) -> Any:
    """The JSON document in a file. Raises ValueError, or OSError as `read_whole` does."""
    return parse_json(read_whole(path, limit))


def read_toml(path: Path) -> dict[str, Any]:
    """The TOML document in a file. Raises ValueError, or OSError as `read_whole` does."""
    try:
        return tomllib.loads(read_text(path, YAML_BYTES))
    except RecursionError:
        raise ValueError("it is nested too deep") from None


class DocumentTooLarge(ValueError):  # noqa: N818 - named for what the document is
    """A document holds more values than its bound, or nests deeper."""


def check_yaml(text: str | bytes) -> None:
    """Raises what `parse_yaml` raises, without making the values: what their references add up to is counted before
    they are followed, and so is their depth, as libyaml recurses without a bound.
    """
    yaml, loader = _yaml()
    with _value_errors(yaml):
        _check_events(yaml.parse(text, loader))


def parse_yaml(text: str | bytes) -> Any:
    """A YAML document, by the safe loader. Raises ImportError without PyYAML, ValueError if it is none, and
    DocumentTooLarge beyond the bounds.
    """
    check_yaml(text)
    yaml, loader = _yaml()
    with _value_errors(yaml):
        return yaml.load(text, loader)


def _yaml() -> tuple[Any, Any]:
    """PyYAML and its fastest safe loader."""
    import yaml  # noqa: PLC0415 - not part of the base install

    return yaml, getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@contextmanager
def _value_errors(yaml: Any) -> Iterator[None]:
    try:
        yield
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_yaml(path: Path, limit: int = YAML_BYTES, *, errors: str = "strict") -> Any:
    """The YAML document in a file. Raises what `parse_yaml` raises, or OSError as `read_whole` does."""
    return parse_yaml(read_text(path, limit, errors=errors))


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


@dataclass(slots=True)
class _Node:
    """A YAML collection that is still open; `size` counts the values in it, with all references followed."""

    anchor: str | None = None
    size: int = 0


def _check_events(events: Iterator[Any]) -> None:
    """Raises DocumentTooLarge if a document has too many values, with all references followed, or nests too deep."""
    sizes, nodes = dict[str | None, int](), [_Node()]
    for event in events:
        check_cancelled()
        kind, done = type(event).__name__, _Node()
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            nodes.append(_Node(event.anchor))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            done = nodes.pop()
            done.size += 1
        elif kind == "ScalarEvent":
            done = _Node(event.anchor, 1)
        elif kind == "AliasEvent":
            done.size = _size_of(event.anchor, sizes)
        if done.anchor:
            sizes[done.anchor] = done.size
        nodes[-1].size += done.size
        if len(nodes) > YAML_DEPTH or nodes[-1].size > YAML_NODES:
            raise DocumentTooLarge(f"it nests deeper than {YAML_DEPTH} or holds more than {YAML_NODES:,} values")


def _size_of(anchor: str, sizes: Mapping[str | None, int]) -> int:
    if anchor not in sizes:
        raise ValueError(f"its reference *{anchor} is to itself, or to nothing")
    return sizes[anchor]
