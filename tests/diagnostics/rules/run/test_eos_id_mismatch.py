"""Tests of eos-id-mismatch."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]
LIMIT = {"max_completion_length": 256}


def test_cut_answers_that_are_shorter_than_the_limit_are_critical(judge: Judge) -> None:
    outcome = judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction="0.97x3", length_max="255x3")
    assert (outcome.severity, outcome.message.values["longest"]) == (Severity.CRITICAL, 255)


def test_answers_as_long_as_the_limit_are_cut(judge: Judge) -> None:
    outcome = judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction="0.97x9", length_max="256x9")
    assert outcome.verdict is Verdict.QUIET


def test_two_points_or_less_than_half_are_none(judge: Judge) -> None:
    for cut in ("0.97x2 0.1x9", "0.49x11"):
        outcome = judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction=cut, length_max="90x11")
        assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_without_a_stated_limit_and_without_lengths(judge: Judge) -> None:
    unstated = judge("eos-id-mismatch", "grpo", truncated_fraction="0.97x9", length_max="90x9")
    unlogged = judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction="0.97x9")
    assert (unstated.verdict, unlogged.verdict) == (Verdict.SKIPPED, Verdict.SKIPPED)
    assert unstated.enable is not None


def test_a_limit_that_was_lowered_during_the_run_is_no_mismatch(judge: Judge) -> None:
    lengths = {"length_max": "130 160 140 150 155 148 170 135 162 149 30x12", "length_mean": "90x10 30x12"}
    cut = "0x10 0.95x12"
    assert judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction=cut, **lengths).verdict is Verdict.QUIET
    ended = {**lengths, "length_max": "130 160 140 150 155 148 170 135 162 149 30 44 28 51 36 40 29 55 31 47 38 42"}
    outcome = judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction=cut, **ended)
    assert outcome.severity is Severity.CRITICAL


def test_lengths_that_stop_dead_below_the_stated_limit_while_they_grow_are_cut_there(judge: Judge) -> None:
    lengths = {"length_max": "256 251 256 249 256 254 256 256 250 256 200x12", "length_mean": "90x10 90..199x12"}
    cut = "0.05x10 0.3..1x12"
    assert judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction=cut, **lengths).verdict is Verdict.QUIET


def test_an_infinite_length_is_no_length(judge: Judge) -> None:
    for length in ("-inf", "inf"):
        lengths = f"255x3 {length}x3"
        outcome = judge("eos-id-mismatch", "grpo", config=LIMIT, truncated_fraction="0.1x3 0.97x3", length_max=lengths)
        assert outcome.verdict is Verdict.QUIET


SCATTERED = {"truncated_fraction": "1x9", "length_min": "700x9", "length_max": "5600 16200 5800 4300x6"}


def test_without_a_stated_limit_cut_answers_of_lengths_far_apart_have_ended(judge: Judge) -> None:
    outcome = judge("eos-id-mismatch", "grpo", **SCATTERED)
    assert outcome.severity is Severity.CRITICAL
    assert (outcome.message.values["shortest"], outcome.message.values["longest"]) == (700, 5600)


def test_without_a_stated_limit_answers_as_long_as_each_other_or_as_one_limit_are_cut(judge: Judge) -> None:
    alike = {**SCATTERED, "length_min": "3000 9000 3000 2500x6"}
    one_limit = {"truncated_fraction": "1x40", "length_max": "512x40", "length_min": "200x40"}
    some = {**SCATTERED, "truncated_fraction": "0.9x9"}
    for logged in (alike, one_limit, some):
        assert judge("eos-id-mismatch", "grpo", **logged).verdict is Verdict.QUIET


def test_answers_that_ended_unseen_are_not_said_to_be_cut_off(judge: Judge) -> None:
    for rule in ("truncation-high", "eos-never-generated"):
        logged = {name: f"{text} {text} {text}" for name, text in SCATTERED.items()}
        assert judge(rule, "grpo", **logged).verdict is Verdict.SKIPPED
