"""The letters at the ends of lines, moved apart where they would lie on each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.curves.scale import Scale

_LETTER_HEIGHT = 11  # pixels


@dataclass(frozen=True, slots=True)
class LineEnd:
    """Where a line ends, and the letters that stand there in its colour."""

    letters: str
    colour: str
    step: int
    value: float


def letters_at(ends: Iterable[LineEnd], scale: Scale, height: float) -> list[dict[str, Any]]:
    """The letters as Plotly's annotations, in a plot of this height in pixels."""
    by_value = sorted(ends, key=lambda end: end.value)
    places = [_pixels(end.value, scale, height) for end in by_value]
    return [
        {
            "x": end.step,
            "y": scale.on_axis(end.value),
            "text": f"<b>{end.letters}</b>",
            "showarrow": False,
            "xanchor": "left",
            "xshift": 4,
            "yshift": moved - place,
            "font": {"size": _LETTER_HEIGHT, "color": end.colour},
        }
        for end, place, moved in zip(by_value, places, _apart(places), strict=True)
    ]


def _pixels(value: float, scale: Scale, height: float) -> float:
    """How far above the bottom of the plot a value is drawn."""
    low, high = scale.on_axis(scale.low), scale.on_axis(scale.high)
    return height * (scale.on_axis(value) - low) / ((high - low) or 1.0)


def _apart(places: Sequence[float]) -> list[float]:
    """Ascending places, moved as little as is needed to stand a letter apart, around where they were."""
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _spread(groups[-2])[-1] + _LETTER_HEIGHT > _spread(groups[-1])[0]:
            last = groups.pop()
            groups[-1] += last
    return [place for group in groups for place in _spread(group)]


def _spread(group: Sequence[float]) -> list[float]:
    middle, first = sum(group) / len(group), -(len(group) - 1) / 2
    return [middle + (first + index) * _LETTER_HEIGHT for index in range(len(group))]
