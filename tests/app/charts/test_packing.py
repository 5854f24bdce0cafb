"""The binary form says what it holds, and numbers come out as they went in."""

import json
import math

import numpy as np

from app.charts.answer import Points
from app.charts.packing import packed
from app.charts.question import Mark
from diagnostics.model.messages import format_value


def test_numbers_come_out_as_they_went_in() -> None:
    values = np.array([0.1, np.nan, np.inf, -np.inf, -0.0, 5e-324])
    places, steps = np.arange(6.0), np.arange(6)
    body = packed(
        [Points(places, steps, values, values, adds=False, mark=Mark(6, 5, 0), count=6, newest=math.inf)], "7,1"
    )
    size = int.from_bytes(body[:4], "little")
    header = json.loads(body[4 : 4 + size])
    of_points = {"points": 6, "smoothed": True, "spread": False, "adds": False, "count": 6, "mark": [6, 5, 0]}
    assert header == {"curves": [{**of_points, "last": format_value(math.inf), "is_finite": False}], "revision": "7,1"}
    assert (4 + size) % 8 == 0
    numbers = np.frombuffer(body, "<f8", offset=4 + size).reshape(4, 6)
    assert numbers[2].tobytes() == values.tobytes()
    np.testing.assert_array_equal(steps, numbers[1])
