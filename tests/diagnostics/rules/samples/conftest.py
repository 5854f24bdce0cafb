"""In-memory runs with samples: three tables of sixteen rows at the start, and three at the end."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import CATALOG, engine
from diagnostics.texts import templates

ROWS = 16
NOW = 101  # first step of the newest tables
COUNT = 48
_OPENINGS = [
    "the film",
    "this story",
    "her acting",
    "the music",
    "every scene",
    "that ending",
    "the camera",
    "his voice",
]
_VERBS = ["moves", "bores", "surprises", "annoys", "amuses", "touches", "puzzles", "delights", "tires"]
_OBJECTS = [
    "the old critic",
    "most of us",
    "a patient viewer",
    "nobody here",
    "my little sister",
    "the whole town",
    "her friends",
]
_ADVERBS = [
    "quite often",
    "now and then",
    "at last",
    "for an hour",
    "without effort",
    "in the second half",
    "from the start",
]

Look = Callable[..., Outcome]
Rows = Sequence[dict[str, Any]]


@pytest.fixture
def look(make_run: Callable[..., Run]) -> Look:
    """look("smp-empty", now=[…48 rows…], start=[…48 rows…]): that check's outcome; rows are fields of a Sample.

    Fewer rows than 48 fill fewer tables. The check's messages must render.
    """

    def judged(
        rule: str, now: Rows, start: Rows = (), algorithm: str = "ppo", limits: Any = None, **run: Any
    ) -> Outcome:
        tables = {**_tables(start, 1), **_tables(now, NOW)}
        samples = Samples(tuple(sorted(tables)), tables.__getitem__)
        (check,) = (item for item in CATALOG if item.name == rule)
        watched = replace(make_run(algorithm, **run), samples=samples)
        (outcome,) = engine.evaluate(watched, [check], {rule: limits} if limits else None)
        messages = [outcome.message, outcome.headline, outcome.enable]
        messages += [shown.why for shown in outcome.evidence.samples]
        assert [message for message in messages if message and "{" in render(message, templates())] == []
        return outcome

    return judged


def _tables(rows: Rows, first: int) -> dict[int, tuple[Sample, ...]]:
    parts = [rows[place : place + ROWS] for place in range(0, len(rows), ROWS)]
    return {step: tuple(_sample(step, row) for row in part) for step, part in enumerate(parts, start=first)}


def _sample(step: int, row: dict[str, Any]) -> Sample:
    return Sample(step, row.get("query", "Q"), **{key: value for key, value in row.items() if key != "query"})


@pytest.fixture
def sound() -> Callable[..., Rows]:
    """48 different answers to different prompts, with graded scores independent of the text."""
    return _sound


@pytest.fixture
def mixed() -> Callable[..., Rows]:
    """The same, the first rows with the given responses and fields."""
    return _mixed


def _prose(place: int) -> str:
    """A sentence of at least eight words; 48 in a row are all different."""
    parts = (
        _OPENINGS[place % 8],
        _VERBS[place % 9],
        _OBJECTS[place % 7],
        _ADVERBS[place % 5],
        "and",
        _VERBS[place % 4],
    )
    return " ".join((*parts, _OBJECTS[(place * 3) % 7])) + "."


def _sound(count: int = COUNT, **fields: Any) -> list[dict[str, Any]]:
    """Different answers to different prompts, with graded scores independent of the text."""
    return [
        {"query": f"Write remark {place}", "response": _prose(place), "score": (place * 7 % 10) / 10, **fields}
        for place in range(count)
    ]


def _mixed(sick: Sequence[str], count: int = COUNT, **fields: Any) -> list[dict[str, Any]]:
    """Sound rows, the first ones with these responses and fields."""
    rows = _sound(count)
    for row, response in zip(rows, sick, strict=False):
        row |= {"response": response, **fields}
    return rows
