"""Answers stay within their size whatever a log holds, and say what was cut."""

import json

import numpy as np
import pytest

from diagnostics.mcp.answers import MOST_CHARACTERS, ToolProblem, answer, untrusted
from tests.hostile_text import DANGEROUS, EVERYTHING


@pytest.mark.parametrize(
    ("document", "cut"),
    [
        ({"rows": [{"name": f"run-{i}", "words": ["a"] * 5} for i in range(2000)], "kept": 1}, ["rows"]),
        ({"text": "x" * 1_000_000, "kept": 1}, ["text"]),
        ({"a": {"b": [["y" * 900] for _ in range(90)]}, "kept": 1}, ["a.b"]),
        ({"kept": 1, **{f"field-{i}": "\u202e" * 50 for i in range(200)}}, None),
        ({"kept": 1, "settings": {f"argument_{i}": {"A": "1", "B": "2"} for i in range(2000)}}, ["settings"]),
        ({"kept": 1, "rewards": {"k" * 100_000: 0.5}}, []),
        ({"kept": 1, "rows": [1, 2]}, []),
    ],
    ids=["a list", "a text", "a list inside", "many texts", "a table", "a long key", "small"],
)
def test_an_answer_is_never_larger_than_its_bound(document: dict[str, object], cut: list[str] | None) -> None:
    text = answer(document)
    told = json.loads(text)
    assert len(text) <= MOST_CHARACTERS
    assert told["kept"] == 1
    assert cut is None or told.get("cut", []) == cut


def test_what_cannot_be_made_smaller_is_a_problem_and_no_endless_search() -> None:
    with pytest.raises(ToolProblem, match="ask for less"):
        answer({f"field-{i}": i for i in range(2000)})


def test_an_answer_holds_nothing_empty_hidden_or_longer_than_it_needs() -> None:
    text = answer(
        {"none": None, "list": [], "number": 1 / 3, "nan": float("nan"), "array": np.array([1, 2]), "t": EVERYTHING}
    )
    assert json.loads(text)["array"] == [1, 2]
    assert text.startswith('{"number":0.333333,"nan":"NaN","array":[1,2],"t":"')
    assert DANGEROUS & set(text) == set()
    assert len(untrusted("z" * 10**6, 100)) == 100
