"""TensorBoard's Event messages: scalars, texts and histograms, decoded without TensorFlow or TensorBoard.

Field numbers are those of `event.proto`, `summary.proto`, `tensor.proto` and `types.proto` in tensorflow/tensorflow.
"""

import re
import struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import NO_VALUES, Values
from diagnostics.readers.files.protobuf import fields, signed, varint, varints

# Event
_WALL_TIME, _STEP, _SUMMARY, _SESSION_LOG = 1, 2, 5, 7
# SessionLog
_STATUS, _START = 1, 1
# Summary.Value
_TAG, _SIMPLE_VALUE, _TENSOR, _METADATA = 1, 2, 8, 9
_HISTOGRAM = 5
_PICTURES_AND_SOUNDS = frozenset({3, 4, 6})  # old histogram, image, audio
# HistogramProto
_SMALLEST, _LARGEST, _LIMITS, _BUCKETS = 1, 2, 6, 7
# SummaryMetadata, and PluginData within it
_PLUGIN_DATA, _PLUGIN_NAME, _PLUGIN_CONTENT = 1, 1, 2
# TensorProto
_DTYPE, _CONTENT, _STRING_VALUES = 1, 4, 8
_FLOATS = {1: "<f4", 2: "<f8", 19: "<f2"}
_INTEGERS = {3: "<i4", 4: "u1", 5: "<i2", 6: "i1", 9: "<i8", 10: "?", 17: "<u2", 22: "<u4", 23: "<u8"}
_DTYPES = _FLOATS | _INTEGERS
_FIXED_VALUES = {5: "<f4", 6: "<f8"}  # float_val, double_val
_VARINT_VALUES = frozenset({7, 10, 11, 16, 17})  # int_val, int64_val, bool_val, uint32_val, uint64_val
_HALF_VALUES = 13
_DT_BFLOAT16 = 14

_DOUBLE, _FLOAT = struct.Struct("<d"), struct.Struct("<f")
_LONE_SCALAR = re.compile(  # wall_time, step, then sizes of summary, value and tag (one byte each), tag, simple_value
    rb"\x09(.{8})(?:\x10([\x80-\xff]*[\x00-\x7f]))?\x2a([\x00-\x7f]\x0a[\x00-\x7f]\x0a[\x00-\x7f])(.*)\x15(.{4})",
    re.DOTALL,
)

SCALAR_PLUGINS = frozenset({"", "scalars"})
"""Plugins whose values are points of a curve."""
HISTOGRAM_PLUGIN = "histograms"


class Point(NamedTuple):
    """One summary value: `value` of a scalar, `text`, or `numbers` of a histogram: (N, 3) left edge, right edge, count.

    All are None for other plugins; only a tag's first value is sure to name its plugin. `content` is the plugin's own
    data.
    """

    tag: str
    value: float | None
    text: str | None
    plugin: str
    numbers: Values | None = None
    content: bytes = b""


class Event(NamedTuple):
    """One record of an event file; `time` is in seconds since the epoch.

    `restarts` is True if the writer restarted at this step.
    """

    time: float
    step: int
    points: tuple[Point, ...]
    restarts: bool = False


def decode_event(payload: bytes, *, with_histograms: bool = True) -> Event:
    """Decode one record. Raises ValueError or struct.error if it is not an Event.

    Without histograms, which take most of the time, their points are there but hold no numbers.
    """
    match = lone_scalar(payload)
    return _decode(payload, with_histograms) if match is None else _event(match)


def lone_scalar(payload: bytes) -> re.Match[bytes] | None:
    """Match the layout of almost every record: time, step, sizes, tag and value are groups 1 to 5.

    None for any other layout.
    """
    match = _LONE_SCALAR.fullmatch(payload)
    if match is None:
        return None
    size = match.end(4) - match.start(4)
    return match if tuple(match[3][::2]) == (size + 9, size + 7, size) else None


def _event(match: re.Match[bytes]) -> Event:
    """The event of a record with that layout."""
    time, step, _, tag, value = match.groups()
    number = signed(varint(step, 0)[0]) if step else 0
    point = Point(tag.decode(errors="replace"), _FLOAT.unpack(value)[0], None, "")
    return Event(_DOUBLE.unpack(time)[0], number, (point,))


def _decode(payload: bytes, with_histograms: bool) -> Event:
    time, step, points, restarts = 0.0, 0, list[Point](), False
    for number, content in fields(payload):
        if number == _WALL_TIME and isinstance(content, bytes):
            (time,) = _DOUBLE.unpack(content)
        elif number == _STEP and isinstance(content, int):
            step = signed(content)
        elif number == _SUMMARY and isinstance(content, bytes):
            values = (value for _, value in fields(content) if isinstance(value, bytes))
            points.extend(_point(value, with_histograms) for value in values)
        elif number == _SESSION_LOG and isinstance(content, bytes):
            restarts = any(field == _STATUS and status == _START for field, status in fields(content))
    return Event(time, step, tuple(points), restarts)


def _point(value: bytes, with_histograms: bool) -> Point:
    tag, text, plugin, numbers, own = "", None, "", NO_VALUES, b""
    number: float | None = None
    for field, content in fields(value):
        if not isinstance(content, bytes):
            continue
        if field == _TAG:
            tag = content.decode(errors="replace")
        elif field == _SIMPLE_VALUE:
            (number,) = _FLOAT.unpack(content)
        elif field == _TENSOR:
            numbers, text = _tensor(content)
            number = float(numbers[0]) if len(numbers) == 1 else None
        elif field == _HISTOGRAM:
            numbers, plugin = _histogram(content) if with_histograms else NO_VALUES, HISTOGRAM_PLUGIN
        elif field == _METADATA:
            plugin, own = _plugin(content)
        elif field in _PICTURES_AND_SOUNDS:
            plugin = "media"
    triples = numbers.reshape(-1, 3) if len(numbers) % 3 == 0 and len(numbers) else None
    return Point(tag, number if plugin in SCALAR_PLUGINS else None, text, plugin, triples, own)


def _histogram(message: bytes) -> Values:
    """The buckets of a HistogramProto, flattened: left edge, right edge and count of each that may be non-empty.

    A bucket reaches from the previous limit to its own; the first and the last are bounded by the extremes.
    """
    found = dict[int, bytes]()
    for field, content in fields(message):
        if isinstance(content, bytes):
            found[field] = found.get(field, b"") + content
    limits, counts = (np.frombuffer(found.get(field, b""), "<f8") for field in (_LIMITS, _BUCKETS))
    low, high = (_DOUBLE.unpack(found[field][-8:])[0] if field in found else 0.0 for field in (_SMALLEST, _LARGEST))
    if len(limits) != len(counts) or not low <= high:
        raise ValueError("a histogram whose buckets have no limits")
    right = np.minimum(np.maximum(limits, low), high)
    buckets = np.empty((len(counts), 3))
    buckets[:1, 0], buckets[1:, 0], buckets[:, 1], buckets[:, 2] = low, right[:-1], right, counts
    triples: Values = buckets[(counts > 0) | (right > buckets[:, 0])].ravel()
    return triples


def _tensor(tensor: bytes) -> tuple[Values, str | None]:
    """The numbers of a tensor, or the text of a tensor of strings."""
    dtype, parts, strings = 0, list[Values](), list[str]()
    for field, content in fields(tensor):
        if field == _DTYPE and isinstance(content, int):
            dtype = content
        elif field == _STRING_VALUES and isinstance(content, bytes):
            strings.append(content.decode(errors="replace"))
        else:
            parts.append(_numbers(field, content, dtype))
    return np.concatenate(parts) if parts else NO_VALUES, "\n".join(strings) if strings else None


def _numbers(field: int, content: int | bytes, dtype: int) -> Values:
    """The numbers in one field of a tensor: (N,) float64, empty if the field holds none."""
    if isinstance(content, int):
        packed = [content]
    elif field == _CONTENT and dtype in _DTYPES:
        return np.frombuffer(content, _DTYPES[dtype]).astype(np.float64)
    elif field == _CONTENT and dtype == _DT_BFLOAT16:
        return _bfloat16(np.frombuffer(content, "<u2"))
    elif field in _FIXED_VALUES:
        return np.frombuffer(content, _FIXED_VALUES[field]).astype(np.float64)
    else:
        packed = list(varints(content)) if field in _VARINT_VALUES or field == _HALF_VALUES else []
    if field == _HALF_VALUES:
        bits = np.array([value & 0xFFFF for value in packed], dtype=np.uint16)
        return _bfloat16(bits) if dtype == _DT_BFLOAT16 else bits.view(np.float16).astype(np.float64)
    return np.array([signed(value) for value in packed] if field in _VARINT_VALUES else [], dtype=np.float64)


def _bfloat16(bits: npt.NDArray[np.uint16]) -> Values:
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def _plugin(metadata: bytes) -> tuple[str, bytes]:
    """The plugin that a value belongs to, and the data it keeps with it."""
    for field, plugin_data in fields(metadata):
        if field == _PLUGIN_DATA and isinstance(plugin_data, bytes):
            found = {number: content for number, content in fields(plugin_data) if isinstance(content, bytes)}
            return found.get(_PLUGIN_NAME, b"").decode(errors="replace"), found.get(_PLUGIN_CONTENT, b"")
    return "", b""
