"""Tests of reward-jump-suspicious."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


LONGER = {"length_mean": "100x50 150x20"}


def test_a_jump_with_another_length_is_a_warning(judge: Judge) -> None:
    outcome = judge("reward-jump-suspicious", "grpo", reward="0.25x50 0.625x20", **LONGER)
    assert outcome.severity is Severity.WARNING
    assert (outcome.message.values["before"], outcome.measured) == (0.25, 0.625)


def test_half_of_the_rest_is_the_boundary(judge: Judge) -> None:
    assert judge("reward-jump-suspicious", "grpo", reward="0.25x50 0.62x20", **LONGER).verdict is Verdict.QUIET


def test_near_full_marks_little_is_half_of_the_rest_and_no_jump(judge: Judge) -> None:
    assert judge("reward-jump-suspicious", "grpo", reward="0.7x50 0.95x20", **LONGER).verdict is Verdict.QUIET


def test_a_jump_at_the_same_length_is_quiet(judge: Judge) -> None:
    outcome = judge("reward-jump-suspicious", "grpo", reward="0.2x50 0.9x20", length_mean="100x50 149x20")
    assert outcome.verdict is Verdict.QUIET


def test_shorter_answers_are_another_length_too(judge: Judge) -> None:
    outcome = judge("reward-jump-suspicious", "grpo", reward="0.2x50 0.9x20", length_mean="100x50 60x20")
    assert outcome.verdict is Verdict.FIRED


def test_gradual_progress_is_quiet(judge: Judge) -> None:
    outcome = judge("reward-jump-suspicious", "grpo", reward="0.2x50 0.2..0.9x50", length_mean="100x50 100..200x50")
    assert outcome.verdict is Verdict.QUIET


def test_a_jump_at_the_very_start_is_what_the_model_could_do_all_along(judge: Judge) -> None:
    outcome = judge("reward-jump-suspicious", "grpo", reward="0.2x15 0.9x45", length_mean="100x15 200x45")
    assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_where_the_rewards_have_no_known_end(judge: Judge) -> None:
    outcome = judge("reward-jump-suspicious", "grpo", reward="2x50 9x20", **LONGER)
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-jump-suspicious", "grpo", reward="0.2x70").verdict is Verdict.SKIPPED
