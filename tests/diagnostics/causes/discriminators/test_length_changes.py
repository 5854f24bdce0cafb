"""Tests of length changes: which lengths show that a setting changed, and which a policy may learn by itself."""

from collections.abc import Callable

import pytest

from diagnostics.causes.discriminators.length_changes import (
    eos_is_ignored,
    eos_was_replaced,
    eos_was_suppressed,
    length_limit_was_lowered,
)
from diagnostics.model.run import Run

MakeRun = Callable[..., Run]
SCATTERED = "13 16 13 15 14 18 13 16 14 15"


def test_answers_that_stop_dead_at_a_shorter_length_than_before_show_a_lower_limit(make_run: MakeRun) -> None:
    run = make_run("grpo", length_max=f"{SCATTERED} 3x12", length_mean="7x10 3x12")
    assert length_limit_was_lowered(run)


@pytest.mark.parametrize(
    ("longest", "mean"),
    [
        (f"{SCATTERED} 14 12 9 11 8 10 9 9 7 8 9 8", "7x10 3x12"),  # answers became short, and end at various lengths
        (f"{SCATTERED} 18x12", "7x10 15x12"),  # they grew into the limit
        (f"{SCATTERED} 3x12", "7x10 7..3x6 3x6"),  # they shrank step by step
        ("3x22", "3x22"),  # they were this short from the start
    ],
)
def test_shorter_answers_alone_show_no_lower_limit(make_run: MakeRun, longest: str, mean: str) -> None:
    assert not length_limit_was_lowered(make_run("grpo", length_max=longest, length_mean=mean))


def test_a_shortest_answer_that_jumps_and_stays_shows_an_end_that_is_held_back(make_run: MakeRun) -> None:
    run = make_run("grpo", length_min="3 2 4 3 3 2 3 4 2 3 13x12", length_max="14x22", length_mean="7x10 13.5x12")
    assert eos_was_suppressed(run)


def test_answers_that_grow_by_learning_have_a_floor_but_left_no_level(make_run: MakeRun) -> None:
    lengths = {"length_min": "3x10 3..14x10 14x10", "length_max": "14x30", "length_mean": "7x10 7..14x10 14x10"}
    assert not eos_was_suppressed(make_run("grpo", **lengths))


@pytest.mark.parametrize(
    ("kl", "expected"), [("0.01x10 0.2x12", True), ("0.01x10 4x12", False), ("0x10 nanx12", False)]
)
def test_a_policy_that_has_left_its_reference_may_have_done_it_itself(
    make_run: MakeRun, kl: str, expected: bool
) -> None:
    lengths = {"length_min": "3x10 26x12", "length_max": "20x10 26x12", "length_mean": "9x10 26x12"}
    assert eos_was_suppressed(make_run("grpo", kl_per_token=kl, **lengths)) is expected


def test_more_end_tokens_than_before_show_that_they_are_written_and_not_heeded(make_run: MakeRun) -> None:
    lengths = {"length_min": "3x10 14x12", "length_max": "14x22", "length_mean": "7x10 14x12"}
    ignored = make_run("ppo", eos_tokens="64x10 140x12", **lengths)
    assert (eos_is_ignored(ignored), eos_was_suppressed(ignored)) == (True, False)
    forbidden = make_run("ppo", eos_tokens="64x10 0x12", **lengths)
    assert (eos_is_ignored(forbidden), eos_was_suppressed(forbidden)) == (False, True)


def test_a_few_answers_that_still_end_show_that_the_end_is_missed_and_not_forbidden(make_run: MakeRun) -> None:
    lengths = {"length_max": "21x10 26x12", "length_mean": "9x10 25.8x12"}
    scattered = "3x10 19 12 9 26 9 19 6 24 26 20 14 12"
    assert eos_was_replaced(make_run("grpo", length_min=scattered, **lengths))
    assert not eos_was_replaced(make_run("grpo", length_min="3x10 26x12", **lengths))


def test_a_run_without_lengths_shows_nothing(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="1x30")
    assert not any(
        shows(run) for shows in (length_limit_was_lowered, eos_was_suppressed, eos_was_replaced, eos_is_ignored)
    )
