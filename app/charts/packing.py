"""The binary form of an answer: numbers as they are in memory, so that NaN and ±Inf travel as themselves.

Four bytes hold the length of a JSON header, little-endian; the header follows, padded with spaces so that what comes
next is aligned to eight bytes. Behind it stand, for each curve in its order, places, steps, values and, where the
header says so, smoothed values and the two edges of the range, each as little-endian float64.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any

import orjson
from numpy.typing import NDArray

from app.charts.answer import Points
from diagnostics.model.messages import format_value

_ALIGNMENT = 8
_LENGTH = 4  # bytes before the header


def packed(curves: Sequence[Points], revision: str) -> bytes:
    """The answer as bytes, with the revision of its runs. A step beyond 2⁵³ is rounded."""
    header = orjson.dumps({"curves": [_header(points) for points in curves], "revision": revision})
    padding = b" " * (-(_LENGTH + len(header)) % _ALIGNMENT)
    length = (len(header) + len(padding)).to_bytes(_LENGTH, "little")
    arrays = (array.astype("<f8").tobytes() for points in curves for array in _arrays(points))
    return b"".join([length, header, padding, *arrays])


def _arrays(points: Points) -> Iterator[NDArray[Any]]:
    yield from (points.places, points.steps, points.values, points.smoothed, points.low, points.high)


def _header(points: Points) -> dict[str, Any]:
    return {
        "points": len(points.places),
        "smoothed": len(points.smoothed) > 0,
        "spread": len(points.low) > 0,
        "adds": points.adds,
        "count": points.count,
        "last": None if points.newest is None else format_value(points.newest),
        "is_finite": points.newest is None or math.isfinite(points.newest),
        "mark": points.mark and astuple(points.mark),
    }
