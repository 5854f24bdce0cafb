"""A question is read strictly: whatever is not one gets a sentence."""

from typing import Any

import orjson
import pytest

from app.charts.question import Malformed, Mark, Question, Wanted

CURVE = {"run": "/runs/a", "series": "reward"}


def question(**more: Any) -> Question:
    return Question.parse(orjson.dumps({"curves": [CURVE], "columns": 300, "smoothing": 0, **more}))


def test_a_question_names_curves_a_window_and_columns() -> None:
    asked = question(first=10, last=20.5, axis="tokens", smoothing=20)
    assert (Wanted("/runs/a", "reward", replaced=False, since=None),) == asked.curves
    assert (asked.first, asked.last, asked.columns, asked.axis, asked.smoothing) == (10.0, 20.5, 300, "tokens", 20)


def test_a_curve_of_several_seeds_names_every_run() -> None:
    (curve,) = question(curves=[{**CURVE, "others": ["/runs/b", "/runs/c"]}]).curves
    assert curve.runs == ("/runs/a", "/runs/b", "/runs/c")


def test_a_mark_says_what_the_chart_has_already() -> None:
    asked = question(curves=[{**CURVE, "since": [5, 7, 0]}])
    assert Mark(5, 7, 0) == asked.curves[0].since


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "no JSON"),
        (b"[]", "no JSON object"),
        (b'{"curves": 1}', "`curves`"),
        (b'{"curves": [[]]}', "no JSON object"),
        (b'{"curves": [{"run": 1, "series": "a"}]}', "`run`"),
    ],
)
def test_what_is_no_question_is_refused_with_the_reason(body: bytes, words: str) -> None:
    with pytest.raises(Malformed, match=words):
        Question.parse(body)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"columns": 0}, "`columns`"),
        ({"revision": 7}, "`revision`"),
        ({"revision": "7" * 2_001}, "`revision`"),
        ({"columns": 1_000_000}, "`columns`"),
        ({"columns": True}, "`columns`"),
        ({"columns": 3.5}, "`columns`"),
        ({"smoothing": 1_000_000}, "`smoothing`"),
        ({"first": "1"}, "`first`"),
        ({"axis": "moon"}, "`axis`"),
        ({"curves": [CURVE] * 1001}, "at most 1000"),
        ({"curves": [{**CURVE, "since": [0, 0, 0]}]}, "mark"),
        ({"curves": [{**CURVE, "since": [1, 2]}]}, "mark"),
        ({"curves": [{**CURVE, "others": "/runs/b"}]}, "`others`"),
        ({"curves": [{**CURVE, "others": [1]}]}, "`others`"),
        ({"curves": [{**CURVE, "others": ["/runs/b"] * 101}]}, "`others`"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(more: dict[str, Any], words: str) -> None:
    with pytest.raises(Malformed, match=words):
        question(**more)
