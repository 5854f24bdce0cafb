"""Tests of eos-never-generated."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]

BATCH = {"per_device_train_batch_size": 32, "gradient_accumulation_steps": 2}


def test_no_end_token_for_ten_points_is_critical(judge: Judge) -> None:
    outcome = judge("eos-never-generated", "ppo", eos_tokens="9x5 0x10")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 6, 15)


def test_a_single_end_token_among_many_steps_is_told_by_the_share(judge: Judge) -> None:
    outcome = judge("eos-never-generated", "ppo", eos_tokens="0x20 1 0x20")
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "eos-never-generated.hardly")


def test_nine_points_are_no_more_than_a_warning(judge: Judge) -> None:
    assert judge("eos-never-generated", "ppo", eos_tokens="9x5 0x9").severity is Severity.WARNING


def test_one_end_token_is_not_none(judge: Judge) -> None:
    assert judge("eos-never-generated", "ppo", eos_tokens="1x20").verdict is Verdict.QUIET


def test_an_end_token_for_every_tenth_answer_is_a_warning(judge: Judge) -> None:
    assert judge("eos-never-generated", "ppo", eos_tokens="6x10", config=BATCH).severity is Severity.WARNING
    assert judge("eos-never-generated", "ppo", eos_tokens="7x10", config=BATCH).verdict is Verdict.QUIET


def test_three_batches_are_enough_to_know_a_share_and_two_are_not(judge: Judge) -> None:
    assert judge("eos-never-generated", "ppo", eos_tokens="6x3 60x20", config=BATCH).severity is Severity.WARNING
    assert judge("eos-never-generated", "ppo", eos_tokens="6x2 60x20", config=BATCH).verdict is Verdict.QUIET


def test_where_no_batch_size_is_known_the_largest_count_stands_for_it(judge: Judge) -> None:
    assert judge("eos-never-generated", "ppo", eos_tokens="2 0 3 3 12 22 32x20").severity is Severity.WARNING
    assert judge("eos-never-generated", "ppo", eos_tokens="4x4 12 22 32x20").verdict is Verdict.QUIET


def test_grpo_is_judged_by_what_was_cut_off(judge: Judge) -> None:
    assert judge("eos-never-generated", "grpo", truncated_fraction="0.97x10").severity is Severity.CRITICAL
    assert judge("eos-never-generated", "grpo", truncated_fraction="0.96x20").verdict is Verdict.QUIET


def test_the_eos_trick_is_suggested_where_it_is_off(judge: Judge) -> None:
    config = {"missing_eos_penalty": None, "stop_token": "eos", "response_length": 53}
    outcome = judge("eos-never-generated", "ppo", eos_tokens="0x10", config=config)
    assert (outcome.fixes[0].parameter, outcome.fixes[0].suggested) == ("missing_eos_penalty", 1.0)
    assert "stop_token" not in [fix.parameter for fix in outcome.fixes]


def test_it_is_skipped_where_its_inputs_are_missing(judge: Judge) -> None:
    assert judge("eos-never-generated", "ppo", score="1x20").verdict is Verdict.SKIPPED
