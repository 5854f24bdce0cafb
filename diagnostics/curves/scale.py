"""The vertical scale of a chart: linear or logarithmic, wide enough for every finite value and the limits near them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from diagnostics.model.series import Values

Kind = Literal["linear", "log"]

_LOG_FROM = 1000.0  # largest value over the median: beyond this a linear axis shows nothing but the largest ones
_NEAR = 1.0  # a limit this many data ranges away is worth the room
_RUG_ROOM = 0.1  # free at the bottom where there is a rug


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` to `high` in the metric's unit."""

    kind: Kind
    low: float
    high: float

    @classmethod
    def of(cls, values: Values, limits: Sequence[float]) -> Self:
        """The scale for these values, with NaN and ±Inf left out, and for those limits that are not far away."""
        numbers = values[np.isfinite(values)]
        if not len(numbers):
            return cls("linear", 0.0, 1.0)
        low, high = float(numbers.min()), float(numbers.max())
        if low > 0 and high > _LOG_FROM * float(np.median(numbers)):
            return cls("log", low, high)
        span = high - low or abs(high) or 1.0
        near = [limit for limit in limits if low - _NEAR * span <= limit <= high + _NEAR * span]
        low, high = min([low, *near]), max([high, *near])
        span = high - low or abs(high) or 1.0
        has_rug = len(numbers) < len(values)
        return cls("linear", low - _RUG_ROOM * span if has_rug else low, high)

    def contains(self, value: float) -> bool:
        """Whether a value is within the scale."""
        return self.low <= value <= self.high

    def on_axis(self, value: float) -> float:
        """Where Plotly puts an annotation for this value: at the exponent on a logarithmic axis."""
        return math.log10(value) if self.kind == "log" else value
