"""Byte offsets of time, step and values in a record, so that many records of one shape can be decoded at once.

Only records whose every value is one fixed-width number have a shape; `events` defines the fields.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diagnostics.readers.files.protobuf import BYTES, FIXED32, FIXED64, VARINT, signed, spans, varint
from diagnostics.readers.tensorboard.events import Event, lone_scalar

_WALL_TIME, _STEP, _SUMMARY = 1, 2, 5
_TAG, _SIMPLE_VALUE, _TENSOR, _METADATA = 1, 2, 8, 9
_VALUE = 1
_DTYPE, _SHAPE, _CONTENT, _FLOAT_VALUES, _DOUBLE_VALUES = 1, 2, 4, 5, 6
_LONGEST_VARINT = 10
_WIDTHS = {"<f4": 4, "<f8": 8}
_FLOATS = {1: "<f4", 2: "<f8"}  # DT_FLOAT, DT_DOUBLE


@dataclass(frozen=True, slots=True)
class Shape:
    """The byte offsets of the numbers in a payload of `size` bytes, and the types of the values.

    `time` and `step` (its first byte and the one after its last) are None if they are 0 and omitted.
    """

    size: int
    time: int | None
    step: tuple[int, int] | None
    values: tuple[tuple[int, str], ...]

    @property
    def fixed_bits(self) -> npt.NDArray[np.uint8]:
        """(size,) A mask of the bits that all records of one layout share: everything but the numbers."""
        fixed = np.full(self.size, 255, np.uint8)
        for place, dtype in ((self.time, "<f8"), *self.values):
            if place is not None:
                fixed[place : place + _WIDTHS[dtype]] = 0
        if self.step is not None:
            fixed[slice(*self.step)] = 128  # the top bit of a varint's byte says that it continues
        return fixed


class _UnplacedError(ValueError):
    """A record with something at no fixed offset."""


def shape_of(payload: bytes, event: Event) -> Shape | None:
    """The shape of a record that decodes to this event; None if one of its values has no fixed offset."""
    if (match := lone_scalar(payload)) and match.end(2) - match.start(2) <= _LONGEST_VARINT:
        step = match.span(2) if match[2] else None
        return Shape(len(payload), match.start(1), step, ((match.start(5), "<f4"),))
    try:
        shape = _shape(payload)
    except ValueError:
        return None
    return shape if _read(payload, shape) == _number_bits(event) else None


def _shape(payload: bytes) -> Shape:
    time, step, values = None, None, list[tuple[int, str]]()
    seen = set[int]()
    for number, wire_type, start, end in spans(payload, 0, len(payload)):
        if number in seen:
            raise _UnplacedError(f"field {number} comes twice")
        seen.add(number)
        if (number, wire_type) == (_WALL_TIME, FIXED64):
            time = start
        elif (number, wire_type) == (_STEP, VARINT) and end - start <= _LONGEST_VARINT:
            step = start, end
        elif (number, wire_type) == (_SUMMARY, BYTES):
            values += _values(payload, start, end)
        else:
            raise _UnplacedError(f"field {number} of an event")
    return Shape(len(payload), time, step, tuple(values))


def _values(payload: bytes, start: int, end: int) -> Iterator[tuple[int, str]]:
    for number, wire_type, first, last in spans(payload, start, end):
        if (number, wire_type) != (_VALUE, BYTES):
            raise _UnplacedError(f"field {number} of a summary")
        yield _value(payload, first, last)


def _value(payload: bytes, start: int, end: int) -> tuple[int, str]:
    found: list[tuple[int, str]] = []
    for number, wire_type, first, last in spans(payload, start, end):
        if (number, wire_type) == (_SIMPLE_VALUE, FIXED32):
            found.append((first, "<f4"))
        elif (number, wire_type) == (_TENSOR, BYTES):
            found.append(_tensor(payload, first, last))
        elif number not in (_TAG, _METADATA):
            raise _UnplacedError(f"field {number} of a value")
    return _single_offset(found)


def _tensor(payload: bytes, start: int, end: int) -> tuple[int, str]:
    dtype, found = 0, list[tuple[int, str]]()
    for number, wire_type, first, last in spans(payload, start, end):
        if (number, wire_type) == (_DTYPE, VARINT):
            dtype = varint(payload, first)[0]
        elif number == _FLOAT_VALUES and wire_type in (BYTES, FIXED32):
            found.append((first, "<f4"))
        elif number == _DOUBLE_VALUES and wire_type in (BYTES, FIXED64):
            found.append((first, "<f8"))
        elif (number, wire_type) == (_CONTENT, BYTES) and dtype in _FLOATS:
            found.append((first, _FLOATS[dtype]))
        elif number != _SHAPE:
            raise _UnplacedError(f"field {number} of a tensor")
        if found and last - first != _WIDTHS[found[-1][1]] and number not in (_DTYPE, _SHAPE):
            raise _UnplacedError("several numbers in one tensor")
    return _single_offset(found)


def _single_offset(found: list[tuple[int, str]]) -> tuple[int, str]:
    if len(found) != 1:
        raise _UnplacedError(f"{len(found)} numbers in one value")
    return found[0]


def _read(payload: bytes, shape: Shape) -> tuple[bytes, int, list[bytes]]:
    """Time, step and values at their offsets; numbers as raw bytes, because NaN equals nothing."""
    time = payload[shape.time : shape.time + 8] if shape.time is not None else bytes(8)
    step = signed(varint(payload, shape.step[0])[0]) if shape.step else 0
    values = [np.frombuffer(payload, dtype, 1, place).astype("<f8").tobytes() for place, dtype in shape.values]
    return time, step, values


def _number_bits(event: Event) -> tuple[bytes, int, list[bytes]]:
    values = [np.float64(np.nan if point.value is None else point.value).tobytes() for point in event.points]
    return np.float64(event.time).tobytes(), event.step, values
