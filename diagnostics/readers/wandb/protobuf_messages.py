"""The messages of a `.wandb` file that are needed, decoded without wandb: rows, settings, metrics, exit."""

import struct
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from diagnostics.foreign_files.bounds import JSON_DEPTH
from diagnostics.readers.files.json_lines import parse_value
from diagnostics.readers.files.protobuf import BYTES, fields, signed, varint, zigzag

# Record
HISTORY, SUMMARY, _CONFIG, _STATS, _METRIC, _RUN, _EXIT = 2, 3, 5, 7, 12, 17, 18
# HistoryRecord, HistoryStep, HistoryItem
ITEM, STEP = 1, 2
_NUM = 1
_KEY, _NESTED_KEY, _NONE, _BOOLEAN, _INTEGER, _NUMBER, _TEXT, _JSON, _VALUE_JSON = 1, 2, 3, 4, 5, 6, 7, 8, 16
# RunRecord
_RUN_CONFIG, _DISPLAY_NAME, _START_TIME = 4, 8, 17
# ConfigRecord
_UPDATE = 1
# MetricRecord
_NAME, _GLOB_NAME, _STEP_METRIC = 1, 2, 4
# RunExitRecord
_EXIT_CODE = 1
# StatsRecord
_TIMESTAMP, _STATS_ITEM = 2, 3
# Timestamp
_SECONDS = 1

_NUMBERED = b"\x08"  # the tag of Record.num
_LONGEST_HEAD = 30  # of three varints
_FREQUENT = (HISTORY << 3 | BYTES, SUMMARY << 3 | BYTES)
Found = TypeVar("Found")
_DOUBLE = struct.Struct("<d")


class History(NamedTuple):
    """One row: values by name, nested ones as dictionaries; `step` is W&B's own count."""

    row: dict[str, Any]
    step: int | None


class RunRecord(NamedTuple):
    """Settings and, if the record contains them, the run's name and start (seconds since the epoch)."""

    config: dict[str, Any]
    name: str = ""
    started: float | None = None


class Metric(NamedTuple):
    """A metric or a name pattern, and the metric that is its step axis."""

    name: str
    step_metric: str


class Exit(NamedTuple):
    """The end of the run; exit code 0 means success."""

    code: int


class Stats(NamedTuple):
    """System metrics at `time`, in seconds since the epoch."""

    row: dict[str, Any]
    time: float


Message = History | RunRecord | Metric | Exit | Stats


def split_record(payload: bytes) -> tuple[int, bytes] | None:
    """The kind of a record and its message; None for kinds that are not needed. Raises WireError."""
    if (
        payload[:1] == _NUMBERED and len(payload) > _LONGEST_HEAD
    ):  # the shape of nearly all records: the record number and one message
        tag, start = varint(payload, varint(payload, 1)[1])
        size, start = varint(payload, start)
        if tag in _FREQUENT and start + size == len(payload):
            return tag >> 3, payload[start:]
    found = None
    for number, content in fields(payload):
        if number in _KINDS and isinstance(content, bytes):
            found = number, content
    return found


def decode(kind: int, message: bytes) -> Message | None:
    """A message of any kind but a summary; None if it says nothing. Raises ValueError if it is malformed."""
    return _read(_READERS[kind], message)


def decode_row(message: bytes) -> History:
    """The row in a history record's message. Raises ValueError if it is malformed."""
    return _read(_history, message)


def decode_summary(message: bytes) -> dict[str, Any]:
    """The values that a summary record's message sets. Raises ValueError if it is malformed."""
    return _read(_config, message).config


def _read(read: Callable[[bytes], Found], message: bytes) -> Found:
    try:
        return read(message)
    except (struct.error, UnicodeDecodeError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _history(message: bytes) -> History:
    row: dict[str, Any] = {}
    step: int | None = None
    for number, content in fields(message):
        if number == ITEM and isinstance(content, bytes):
            set_item(row, content)
        elif number == STEP and isinstance(content, bytes):
            step = counted_step(content)
    return History(row, step)


def counted_step(message: bytes) -> int:
    """The step in a HistoryStep message."""
    return next((signed(value) for field, value in fields(message) if field == _NUM and isinstance(value, int)), 0)


def names_of(item: bytes) -> list[str]:
    """The names that one item's value is nested under. Raises ValueError if there are none."""
    names = [
        content.decode()
        for number, content in fields(item)
        if number in (_KEY, _NESTED_KEY) and isinstance(content, bytes) and content
    ]
    if not names:
        raise ValueError("an item has no key")
    return names


def set_item(row: dict[str, Any], item: bytes) -> None:
    """Set one item's value, nested under its keys. Raises ValueError if it is malformed, or nests too deep."""
    keys, value = _item(item)
    if not 0 < len(keys) <= JSON_DEPTH:
        raise ValueError(f"an item has {len(keys)} keys")
    for key in keys[:-1]:
        inner = row.get(key)
        if not isinstance(inner, dict):
            inner = row[key] = {}
        row = inner
    row[keys[-1]] = value


def _item(item: bytes) -> tuple[list[str], Any]:
    keys = list[str]()
    value: Any = None
    for number, content in fields(item):
        if isinstance(content, int):
            if number in (_BOOLEAN, _INTEGER):
                value = bool(content) if number == _BOOLEAN else zigzag(content)
        elif number in (_KEY, _NESTED_KEY):
            keys += [content.decode()] if content else []
        elif number in (_VALUE_JSON, _JSON):
            value = parse_value(content)
        elif number == _NUMBER:
            (value,) = _DOUBLE.unpack(content)
        elif number == _TEXT:
            value = content.decode()
    return keys, value


def _run(message: bytes) -> RunRecord:
    config: dict[str, Any] = {}
    name, started = "", None
    for number, content in fields(message):
        if not isinstance(content, bytes):
            continue
        if number == _RUN_CONFIG:
            config = _config(content).config
        elif number == _DISPLAY_NAME:
            name = content.decode()
        elif number == _START_TIME:
            seconds = (value for field, value in fields(content) if field == _SECONDS and isinstance(value, int))
            started = next((float(value) for value in seconds), None)
    return RunRecord(config, name, started)


def _config(message: bytes) -> RunRecord:
    config: dict[str, Any] = {}
    for number, content in fields(message):
        if number == _UPDATE and isinstance(content, bytes):
            set_item(config, content)
    return RunRecord(config)


def _metric(message: bytes) -> Metric | None:
    texts = {
        number: content.decode()
        for number, content in fields(message)
        if isinstance(content, bytes) and number in (_NAME, _GLOB_NAME, _STEP_METRIC)
    }
    name = texts.get(_NAME) or texts.get(_GLOB_NAME)
    return Metric(name, texts[_STEP_METRIC]) if name and texts.get(_STEP_METRIC) else None


def _stats(message: bytes) -> Stats:
    row: dict[str, Any] = {}
    time = 0.0
    for number, content in fields(message):
        if number == _STATS_ITEM and isinstance(content, bytes):
            set_item(row, content)
        elif number == _TIMESTAMP and isinstance(content, bytes):
            time = next((float(value) for field, value in fields(content) if field == _SECONDS), 0.0)
    return Stats(row, time)


def _exit(message: bytes) -> Exit:
    codes = (signed(value) for number, value in fields(message) if number == _EXIT_CODE and isinstance(value, int))
    return Exit(next(codes, 0))


_READERS: dict[int, Callable[[bytes], Message | None]] = {
    HISTORY: _history,
    _RUN: _run,
    _CONFIG: _config,
    _STATS: _stats,
    _METRIC: _metric,
    _EXIT: _exit,
}
_KINDS = frozenset({SUMMARY, *_READERS})
