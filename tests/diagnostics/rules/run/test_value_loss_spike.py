"""Tests of value-loss-spike."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_five_times_its_median_for_three_points_is_a_warning(judge: Judge) -> None:
    outcome = judge("value-loss-spike", "ppo", value_loss="1x25 5x3 1x9")
    assert (
        outcome.severity,
        outcome.first_step,
        outcome.last_step,
        outcome.limit,
    ) == (Severity.WARNING, 26, 28, 5.0)


def test_two_points_are_not(judge: Judge) -> None:
    assert judge("value-loss-spike", "ppo", value_loss="1x25 5x2 1x9").verdict is Verdict.QUIET


def test_just_below_five_times_is_quiet(judge: Judge) -> None:
    assert judge("value-loss-spike", "ppo", value_loss="1x25 4.9x9").verdict is Verdict.QUIET


def test_a_single_spike_is_only_noted(judge: Judge) -> None:
    outcome = judge("value-loss-spike", "ppo", value_loss="1x25 20 1x9")
    assert (outcome.severity, outcome.first_step, outcome.last_step, outcome.measured) == (Severity.INFO, 26, 26, 20.0)
    assert judge("value-loss-spike", "ppo", value_loss="1x25 19 1x9").verdict is Verdict.QUIET


def test_a_high_start_is_healthy(judge: Judge) -> None:
    assert judge("value-loss-spike", "ppo", value_loss="16..0.1x20 0.1x30").verdict is Verdict.QUIET


def test_a_loss_of_zero_does_not_divide_by_zero(judge: Judge) -> None:
    assert judge("value-loss-spike", "ppo", value_loss="0x40").verdict is Verdict.QUIET


def test_a_nan_is_another_rules_business(judge: Judge) -> None:
    assert judge("value-loss-spike", "ppo", value_loss="1x30 nanx10").verdict is Verdict.QUIET


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("value-loss-spike", "ppo", value_loss="1x22")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 23, "found": 22})


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("value-loss-spike", "ppo", score="1x40").verdict is Verdict.SKIPPED


def test_a_loss_below_zero_is_no_value_loss(judge: Judge) -> None:
    outcome = judge("value-loss-spike", "ppo", value_loss="0.1x25 -0.01 0.1x9 2x9")
    assert (outcome.verdict, outcome.message.template) == (Verdict.SKIPPED, "value-loss-spike.signed")


def test_a_jump_is_noted_where_the_score_held_or_rose(judge: Judge) -> None:
    for score in ("3x55", "3x25 3..4x30"):
        assert judge("value-loss-spike", "ppo", value_loss="1x25 5x30", score=score).severity is Severity.INFO
    assert judge("value-loss-spike", "ppo", value_loss="1x25 5x30", score="3x25 1x30").is_alarm


def test_a_loss_that_stays_up_is_not_over_once_its_median_has_caught_up(judge: Judge) -> None:
    stays = judge("value-loss-spike", "ppo", value_loss="1x25 6x90")
    assert (stays.first_step, stays.last_step, stays.still, stays.limit) == (26, 115, True, 5.0)
    returns = judge("value-loss-spike", "ppo", value_loss="1x25 6x90 1x20")
    assert (returns.first_step, returns.last_step, returns.still) == (26, 115, False)


def test_a_second_jump_from_a_level_that_stays_up_is_part_of_the_first(judge: Judge) -> None:
    outcome = judge("value-loss-spike", "ppo", value_loss="1x25 6x60 40x60")
    assert [(item.first_step, item.last_step) for item in outcome.episodes] == [(26, 145)]
    assert (outcome.measured, outcome.limit) == (40.0, 5.0)
