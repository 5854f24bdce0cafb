"""The marks of non-finite values: NaN and −∞ on a rug at the bottom, ∞ at the top."""

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from app.theme import Palette
from diagnostics.model.series import Series, Steps

_BOTTOM, _TOP = 0.04, 0.96  # of the chart's height
_EDGE = 0.15  # of its width


def rug(series: Series, palette: Palette) -> list[go.Scatter]:
    """One trace for each kind of non-finite value that occurs, with a mark at every one of its steps."""
    kinds = (
        ("NaN", np.isnan(series.values), _BOTTOM, "triangle-up", "top"),
        ("∞", np.isposinf(series.values), _TOP, "triangle-up", "bottom"),
        ("−∞", np.isneginf(series.values), _BOTTOM, "triangle-down", "top"),
    )
    return [
        _marks_of_kind(
            word, series.steps[where], height, symbol, f"{side} {_away_from_the_edge(series, where)}", palette
        )
        for word, where, height, symbol, side in kinds
        if where.any()
    ]


def _away_from_the_edge(series: Series, where: npt.NDArray[np.bool_]) -> str:
    """The side of its mark on which a label fits."""
    share = _share(series, where)
    return "left" if share > 1 - _EDGE else "right" if share < _EDGE else "center"


def _share(series: Series, where: npt.NDArray[np.bool_]) -> float:
    """The horizontal position of the middle one of these points, from 0 to 1."""
    middle = series.steps[where][where.sum() // 2]
    return float(middle - series.steps[0]) / max(float(series.steps[-1] - series.steps[0]), 1.0)


def _marks_of_kind(word: str, steps: Steps, height: float, symbol: str, position: str, palette: Palette) -> go.Scatter:
    """The marks of one kind; the middle one is labelled with their number: `NaN ×3`."""
    middle = len(steps) // 2
    text = [f"{word} ×{len(steps)}" if index == middle else "" for index in range(len(steps))]
    return go.Scatter(
        x=steps,
        y=np.full(len(steps), height),
        yaxis="y2",
        mode="markers+text",
        marker={"symbol": symbol, "size": 7, "color": palette.ink},
        text=text,
        textposition=position,
        textfont={"size": 10, "color": palette.ink},
        cliponaxis=False,
        name=word,
        hovertemplate=f"<b>{word}</b><extra></extra>",
    )
