"""Tests of smp-prompts-identical."""

import pytest

from diagnostics.model.outcome import Severity, Verdict

TABLES = 5
LOST = {
    "query": "answer: ",
    "response": ")))]",
    "score": 0.75,
}  # of a training by TRL whose prompts lost their question


def test_one_prompt_in_five_tables_is_a_warning(look) -> None:
    outcome = look("smp-prompts-identical", [LOST] * 16 * TABLES)
    assert (outcome.severity, outcome.message.values["prompt"]) == (Severity.WARNING, "answer:")


def test_a_second_prompt_is_enough(look) -> None:
    rows = [dict(LOST) for _ in range(16 * TABLES)]
    rows[70]["query"] = "((( "
    assert look("smp-prompts-identical", rows).verdict is Verdict.QUIET


def test_four_tables_are_too_few(look) -> None:
    assert look("smp-prompts-identical", [LOST] * 16 * (TABLES - 1)).verdict is Verdict.SKIPPED


def test_prompts_that_are_not_logged_or_sampled_on_purpose_say_nothing(look) -> None:
    assert look("smp-prompts-identical", [LOST | {"query": ""}] * 16 * TABLES).verdict is Verdict.SKIPPED
    assert look("smp-prompts-identical", [LOST | {"followed": True}] * 16 * TABLES).verdict is Verdict.SKIPPED


@pytest.mark.parametrize("query", ["<|user|>\n<|assistant|>\n", "<bos>"])
def test_a_prompt_of_nothing_but_special_tokens_has_lost_its_question(look, query: str) -> None:
    outcome = look("smp-prompts-identical", [LOST | {"query": query}] * 16 * TABLES)
    assert (outcome.severity, outcome.measured) == (Severity.WARNING, 1.0)


@pytest.mark.parametrize("query", [" \n", "<|user|><|vision_start|><|image_pad|><|vision_end|>", "<|image_1|>"])
def test_a_prompt_that_is_blank_or_the_place_of_an_image_says_nothing(look, query: str) -> None:
    assert look("smp-prompts-identical", [LOST | {"query": query}] * 16 * TABLES).verdict is Verdict.SKIPPED
    some = [LOST | {"query": query}] * 8 * TABLES + [LOST | {"query": "<bos>"}] * 8 * TABLES
    assert look("smp-prompts-identical", some).verdict is Verdict.SKIPPED
