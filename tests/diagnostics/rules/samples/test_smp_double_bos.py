"""Tests of smp-double-bos."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import evaluate

RULE = "smp-double-bos"
LLAMA = "<|begin_of_text|><|start_header_id|>user<|end_header_id|>Hi"


def rows(query: str, count: int = 48, **fields: Any) -> list[dict[str, Any]]:
    return [{"query": query, "response": f"answer {place}", "score": 1.0, **fields} for place in range(count)]


@pytest.mark.parametrize("first", ["<|begin_of_text|>", "<s>", "<bos>", "<｜begin▁of▁sentence｜>"])
def test_a_first_token_that_stands_twice_is_a_warning(look, first: str) -> None:
    assert look(RULE, rows(f"{first}{first}Hello")).severity is Severity.WARNING
    assert look(RULE, rows(f"{first}Hello {first}")).verdict is Verdict.QUIET


def test_two_prompts_are_needed(look) -> None:
    sound, doubled = rows(LLAMA), rows("<|begin_of_text|>" + LLAMA)
    assert look(RULE, doubled[:2] + sound[2:]).severity is Severity.WARNING
    assert look(RULE, doubled[:1] + sound[1:]).severity is None


@pytest.mark.parametrize(
    ("ids", "severity"),
    [([1, 1, 306], Severity.WARNING), ([1, 306, 306], None), ([1, 1, 1], None)],
)
def test_token_ids_show_it_where_they_are_logged(look, ids: list[int], severity: Severity | None) -> None:
    assert look(RULE, rows("Hello", extra={"prompt_ids": ids})).severity is severity


def test_prompts_that_begin_differently_have_no_first_token(look) -> None:
    differing = [{**row, "extra": {"prompt_ids": [place, place, 7]}} for place, row in enumerate(rows("Hello"))]
    assert look(RULE, differing).verdict is Verdict.QUIET


def test_prompts_without_special_tokens_have_nothing_to_miss(make_run: Callable[..., Run]) -> None:
    samples = Samples((1,), lambda step: tuple(Sample(step, "Hello", f"answer {place}") for place in range(48)))
    found = evaluate(replace(make_run("ppo"), samples=samples))
    assert RULE not in {outcome.rule for outcome in found}
    assert "smp-empty" in {outcome.rule for outcome in found}
