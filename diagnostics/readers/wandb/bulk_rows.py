"""Decodes many rows of a W&B history at once: items are located and numbers parsed in bulk.

W&B writes the items of a row in any order, so no two rows need to have the same bytes. Instead, all rows are walked
side by side, one item of each at a time. Anything but one name with one JSON number is returned undecoded.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from diagnostics.readers.files.protobuf import BYTES, spans
from diagnostics.readers.wandb.protobuf_messages import ITEM, STEP, counted_step, names_of, set_item

FEWEST_ROWS = 16  # for fewer, setting up arrays costs more than it saves
MOST_ROWS = 1 << 16  # so that row indices fit 16 bits, which numpy sorts in linear time
FIRST_NAMES = 4096  # items searched for names first
_PADDING = bytes(256)  # room to read past the last item: a one-byte length and a word
_ITEM_TAG, _STEP_TAG = ITEM << 3 | BYTES, STEP << 3 | BYTES
OWN_STEP = "_step"
_NAME_TAGS = (0x0A, 0x12)  # HistoryItem.key, HistoryItem.nested_key
_VALUE_TAG = 0x0182  # HistoryItem.value_json, in two bytes
_NAN, _INFINITY = b"NaN", b"Infinity"
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_UNDECODABLE = (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError, struct.error)
_NUMERALS = b"0123456789+-.eE"

_Indices = npt.NDArray[np.int64]
_Bytes = npt.NDArray[np.uint8]
_Words = npt.NDArray[np.uint64]
_Flags = npt.NDArray[np.bool_]


class Column(NamedTuple):
    """The numbers of one name (N,): ascending row indices, values as floats, and positions among all numbers."""

    rows: _Indices
    values: npt.NDArray[np.float64]
    places: _Indices


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Decoded rows: `columns` holds the numbers, `rest` other values by row and name.

    `counted` is W&B's own step count of rows that do not contain it as a number; None if there is none.
    """

    columns: dict[str, Column]
    rest: dict[int, dict[str, Any]]
    counted: list[int | None]
    numbers: Sequence[Any]

    def exact_numbers(self, name: str) -> list[Any]:
        """The numbers of a name by row, integers as int; None if a row has none."""
        found: list[Any] = [None] * len(self.counted)
        if name in self.columns:
            column = self.columns[name]
            for row, place in zip(column.rows.tolist(), column.places.tolist(), strict=True):
                found[row] = self.numbers[place]
        return found


class _Items(NamedTuple):
    """The positions of all rows' items (N,), in row order: the row, the first byte and the end of each."""

    rows: _Indices
    starts: _Indices
    ends: _Indices

    def select(self, chosen: _Flags) -> "_Items":
        """The chosen items."""
        return _Items(self.rows[chosen], self.starts[chosen], self.ends[chosen])


class _Parts(NamedTuple):
    """The positions of every item's name and value (N,), and whether the item is one name with one number."""

    names: _Indices
    name_sizes: _Indices
    values: _Indices
    is_number: _Flags
    constants: npt.NDArray[np.float64]  # constants that JSON lacks; 0 for other values
    is_constant: _Flags


def decode_rows(messages: Sequence[bytes], reserved: str) -> RowBlock | None:
    """The rows of HistoryRecord messages; None if one contains something that must be decoded on its own.

    Args:
        reserved: Names with this prefix are always in `rest`.
    """
    if not FEWEST_ROWS <= len(messages) < MOST_ROWS:
        return None
    text = b"".join(messages) + _PADDING
    try:
        return _decoded(text, list(accumulate(map(len, messages), initial=0)), reserved)
    except (
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        struct.error,
    ):  # left to the row-by-row decoder
        return None


def _decoded(text: bytes, bounds: list[int], reserved: str) -> RowBlock:
    words = np.lib.stride_tricks.as_strided(
        np.frombuffer(text, "<u8", len(text) // 8), (len(text) - 8,), (1,), writeable=False
    )
    fields, tags = _scan_fields(text, words, np.array(bounds, np.int64))
    items, steps = fields.select(tags == _ITEM_TAG), fields.select(tags == _STEP_TAG)
    parts = _parts(words, items)
    keys, names = _keys(text, words, parts)
    rest_names = {names_of(text[start:end])[0] for start, end in _spans(items.select(~parts.is_number))}
    is_apart = [_is_apart(name, rest_names, reserved) for name in names]
    plain = parts.is_number.copy()
    plain[plain] = ~np.array(is_apart, np.bool_)[keys]
    values, numbers = _numbers(text, items, parts, plain)
    columns = _columns(names, keys[plain[parts.is_number]], items.rows[plain], values)
    counted: list[int | None] = [None] * (len(bounds) - 1)
    own = columns[OWN_STEP].rows if OWN_STEP in columns else np.empty(0, np.int64)
    counting = steps.select(~np.isin(steps.rows, own))
    for row, (start, end) in zip(counting.rows.tolist(), _spans(counting), strict=True):
        counted[row] = counted_step(text[start:end])
    return RowBlock(columns, _remaining_values(text, items.select(~plain)), counted, numbers)


def _scan_fields(text: bytes, words: _Words, bounds: _Indices) -> tuple[_Items, _Indices]:
    """The fields of all rows and their tags, row by row. Raises ValueError if a row is not such a message."""
    rows, at, ends = np.arange(len(bounds) - 1), bounds[:-1], bounds[1:]
    found: list[tuple[_Indices, _Indices, _Indices, _Indices]] = []
    while len(rows := rows[going := at < ends]) >= FEWEST_ROWS:
        at, ends = at[going], ends[going]
        head = words[at].astype(np.int64)
        size, width = _lengths(head >> 8)
        start = at + 1 + width
        at = start + size
        if (at > ends).any():
            raise ValueError("an item runs over the end of its row")
        found.append((rows, start, at, head & 0xFF))
    alone = [
        (row, start, end, number << 3 | wire_type)
        for row, first, last in zip(rows.tolist(), at[going].tolist(), ends[going].tolist(), strict=True)
        for number, wire_type, start, end in spans(text, first, last)
    ]
    found.append(tuple(np.array(alone, np.int64).reshape(-1, 4).T))  # type: ignore[arg-type]
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    order = np.argsort(columns[0].astype(np.uint16), kind="stable")
    rows, starts, ends, tags = (column[order] for column in columns)
    if not np.isin(tags, (_ITEM_TAG, _STEP_TAG)).all():
        raise ValueError("a row has a field of an unknown kind")
    return _Items(rows, starts, ends), tags


def _lengths(head: _Indices) -> tuple[_Indices, _Indices | int]:
    """The varints of up to three bytes at the start of words, and the length of each."""
    is_long = (head & 0x80) != 0
    if not is_long.any():
        return head & 0x7F, 1
    is_longer = is_long & ((head & 0x8000) != 0)
    if (is_longer & ((head & 0x800000) != 0)).any():
        raise ValueError("an item is longer than two mebibytes")
    size = (head & 0x7F) + is_long * (head >> 1 & 0x3F80) + is_longer * (head >> 2 & 0x1FC000)
    return size, 1 + is_long.astype(np.int64) + is_longer


def _parts(words: _Words, items: _Items) -> _Parts:
    head = words[items.starts].astype(np.int64)
    name_sizes = head >> 8 & 0xFF
    after = items.starts + 2 + name_sizes
    middle = words[np.minimum(after, len(words) - 1)]
    value_sizes = (middle >> np.uint64(16)).astype(np.int64) & 0xFF
    values = after + 3
    is_plain = np.isin(head & 0xFF, _NAME_TAGS) & (name_sizes > 0) & (name_sizes < 0x80)
    is_plain &= (
        ((middle & np.uint64(0xFFFF)) == _VALUE_TAG) & (value_sizes < 0x80) & (values + value_sizes == items.ends)
    )
    places = np.where(is_plain, values, 0)
    first = words[places]
    is_minus = (first & np.uint64(0xFF)) == ord("-")
    digit = np.where(is_minus, first >> np.uint64(8), first) & np.uint64(0xFF)
    is_numeral = (digit >= ord("0")) & (digit <= ord("9"))
    is_nan = (value_sizes == len(_NAN)) & ((first & np.uint64(0xFFFFFF)) == int.from_bytes(_NAN, "little"))
    unsigned = words[places + is_minus] == int.from_bytes(_INFINITY, "little")
    is_infinite = unsigned & (value_sizes == len(_INFINITY) + is_minus)
    is_constant = is_plain & (is_nan | is_infinite)
    constants = np.where(is_nan, np.nan, np.where(is_minus, -np.inf, np.inf))
    return _Parts(items.starts + 2, name_sizes, values, is_plain & (is_numeral | is_constant), constants, is_constant)


def _keys(text: bytes, words: _Words, parts: _Parts) -> tuple[_Indices, list[str]]:
    """The name index of each number (N,), and the names. Raises ValueError if two of them cannot be told apart."""
    starts, sizes = parts.names[parts.is_number], parts.name_sizes[parts.is_number]
    if not len(starts):
        return starts, []
    masks = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
    pieces = [
        words[np.minimum(starts + at, len(words) - 1)] & masks[np.clip(sizes - at, 0, 8)]
        for at in range(0, int(sizes.max()), 8)
    ]
    code = sizes.astype(np.uint64)
    for piece in pieces:
        code = (code ^ piece) * _MULTIPLIER
        code ^= code >> np.uint64(29)
    first, keys = _distinct(code)
    if not all((piece == piece[first][keys]).all() for piece in (*pieces, sizes)):
        raise ValueError("two names have the same code")
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    named = zip(starts[first][order].tolist(), sizes[first][order].tolist(), strict=True)
    return place[keys], [text[start : start + size].decode() for start, size in named]


def _distinct(codes: _Words) -> tuple[_Indices, _Indices]:
    """The first position of each distinct code, in code order, and the index of each code (N,)."""
    for count in (FIRST_NAMES, len(codes)):  # the first rows usually contain all names
        known, first = np.unique(codes[:count], return_index=True)
        keys = np.minimum(np.searchsorted(known, codes), len(known) - 1)
        if (known[keys] == codes).all():
            break
    return first, keys


def _is_apart(name: str, rest_names: set[str], reserved: str) -> bool:
    """Whether a name's numbers must be added one at a time, because nested values may have that name too."""
    if name.startswith(reserved) or name in rest_names:
        return True
    return any(name.startswith(f"{other}.") for other in rest_names)


def _numbers(text: bytes, items: _Items, parts: _Parts, plain: _Flags) -> tuple[npt.NDArray[np.float64], list[Any]]:
    """The values of the plain items, as floats and as parsed by JSON. Raises ValueError if a text is not a number."""
    is_constant = parts.is_constant[plain]
    joined = _joined(text, parts.values[plain], items.ends[plain], is_constant)
    if joined.translate(None, _NUMERALS) != b"," * len(is_constant):
        raise ValueError("a value is more than a number")
    numbers: list[Any] = orjson.loads(b"[%b]" % joined[1:])
    values = np.array(numbers, np.float64)
    values[is_constant] = parts.constants[plain][is_constant]
    for place in np.flatnonzero(is_constant).tolist():
        numbers[place] = float(values[place])
    return values, numbers


def _joined(text: bytes, starts: _Indices, ends: _Indices, is_constant: _Flags) -> bytes:
    """The pieces of text, each preceded by a comma except the first. Non-JSON constants become ones."""
    sizes = ends - starts + 1
    commas = np.cumsum(sizes) - sizes
    places = np.repeat(starts - 1 - commas, sizes) + np.arange(sizes.sum())
    joined = np.frombuffer(text, np.uint8)[places]
    if is_constant.any():
        joined[np.repeat(is_constant, sizes)] = ord("1")
    joined[commas] = ord(",")
    return bytes(joined)


def _columns(
    names: Sequence[str], keys: _Indices, rows: _Indices, values: npt.NDArray[np.float64]
) -> dict[str, Column]:
    """The numbers by name, in order of appearance; if a row has several under one name, the last counts."""
    order = np.argsort(keys.astype(np.uint16) if len(names) < MOST_ROWS else keys, kind="stable")
    keys, rows = keys[order], rows[order]
    is_last = np.ones(len(order), np.bool_)
    is_last[:-1] = (keys[:-1] != keys[1:]) | (rows[:-1] != rows[1:])
    order, keys, rows = order[is_last], keys[is_last], rows[is_last]
    bounds = np.searchsorted(keys, np.arange(len(names) + 1)).tolist()
    return {
        name: Column(rows[start:end], values[order[start:end]], order[start:end])
        for name, start, end in zip(names, bounds[:-1], bounds[1:], strict=True)
        if start < end
    }


def _remaining_values(text: bytes, items: _Items) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for row, (start, end) in zip(items.rows.tolist(), _spans(items), strict=True):
        set_item(found.setdefault(row, {}), text[start:end])
    return found


def _spans(items: _Items) -> Iterator[tuple[int, int]]:
    return zip(items.starts.tolist(), items.ends.tolist(), strict=True)
