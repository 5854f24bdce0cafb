"""A question of a chart: which points of which series, for which window and how many pixel columns."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

import orjson

from diagnostics.curves.axes import AXES, Axis

MOST_BYTES = 1 << 20
MOST_CURVES = 1000
MOST_COLUMNS = 10_000  # wider than any screen
MOST_SMOOTHING = 1000
LONGEST_REVISION = 2_000  # characters: a number for each run
MOST_MEMBERS = 100  # of a group of seeds


class Malformed(ValueError):  # noqa: N818 - named for what the question is
    """The question is none; the sentence says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a chart has of a series already: how many points, the step of the last one, and how many were replaced."""

    points: int
    last_step: int
    replaced: int

    @classmethod
    def parse(cls, value: object) -> Self | None:
        """Read a mark as an answer gave it; None for no mark."""
        if value is None:
            return None
        if not isinstance(value, list) or list(map(type, value)) != [int, int, int] or value[0] < 1:
            raise Malformed("A mark is three whole numbers, as the last answer gave them.")
        return cls(*value)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One curve: a series of a run, or the points of it that a later one replaced. With a mark only what is new.

    With `others`, other runs that differ in their seed: the mean over all of them, and the range.
    """

    run: str
    series: str
    replaced: bool
    since: Mark | None
    others: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """The paths of the runs that it is drawn from."""
        return (self.run, *self.others)


@dataclass(frozen=True, slots=True)
class Question:
    """The curves of one page of charts; all have the same window.

    `revision` is that of the last answer, where the page only follows its runs: as long as it holds, nothing need be
    answered.
    """

    curves: tuple[Wanted, ...]
    first: float
    last: float
    columns: int
    axis: Axis
    smoothing: int
    revision: str | None = None

    @classmethod
    def parse(cls, body: bytes) -> Self:
        """Read a request's JSON. Raises Malformed."""
        try:
            found = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise Malformed(f"The question is no JSON: {error}.") from None
        if not isinstance(found, dict):
            raise Malformed("The question is no JSON object.")
        curves = found.get("curves")
        if not isinstance(curves, list) or len(curves) > MOST_CURVES:
            raise Malformed(f"`curves` is no list of at most {MOST_CURVES}.")
        axis = found.get("axis", AXES[0])
        if axis not in AXES:
            raise Malformed(f"`axis` is none of {', '.join(AXES)}.")
        return cls(
            tuple(map(_wanted, curves)),
            _edge(found, "first", -math.inf),
            _edge(found, "last", math.inf),
            _whole(found, "columns", 1, MOST_COLUMNS),
            cast(Axis, axis),
            _whole(found, "smoothing", 0, MOST_SMOOTHING),
            _revision(found),
        )


def _wanted(value: object) -> Wanted:
    if not isinstance(value, dict):
        raise Malformed("A curve is no JSON object.")
    run, series = value.get("run"), value.get("series")
    if not isinstance(run, str) or not isinstance(series, str):
        raise Malformed("A curve names its `run` and its `series`.")
    return Wanted(run, series, value.get("replaced") is True, Mark.parse(value.get("since")), _others(value))


def _others(value: Mapping[str, Any]) -> tuple[str, ...]:
    others = value.get("others", [])
    if not isinstance(others, list) or len(others) > MOST_MEMBERS or not all(isinstance(run, str) for run in others):
        raise Malformed(f"`others` is no list of at most {MOST_MEMBERS} runs.")
    return tuple(others)


def _revision(found: Mapping[str, Any]) -> str | None:
    revision = found.get("revision")
    if revision is not None and (not isinstance(revision, str) or len(revision) > LONGEST_REVISION):
        raise Malformed("`revision` is none that an answer gave.")
    return revision


def _edge(found: Mapping[str, Any], name: str, default: float) -> float:
    value = found.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Malformed(f"`{name}` is no number.")
    return float(value)


def _whole(found: Mapping[str, Any], name: str, least: int, most: int) -> int:
    value = found.get(name)
    if type(value) is not int or not least <= value <= most:
        raise Malformed(f"`{name}` is no whole number from {least} to {most}.")
    return value
