"""Tests of kl-coef-rising."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]

CONTROLLER = {"batch_size": 256, "horizon": 10000}  # at most 0.2 · 256 / 10000 = 0.512 % a step


def growing_series(rate: float, points: int) -> str:
    return " ".join(str(0.2 * (1 + rate) ** step) for step in range(points))


def test_one_and_a_half_times_the_lowest_is_a_warning(judge: Judge) -> None:
    outcome = judge("kl-coef-rising", "ppo-legacy", kl_coef="0.2x5 0.3001")
    assert (outcome.severity, outcome.first_step) == (Severity.WARNING, 6)


def test_just_below_is_quiet(judge: Judge) -> None:
    assert judge("kl-coef-rising", "ppo-legacy", kl_coef="0.2x5 0.299x5").verdict is Verdict.QUIET


def test_a_rise_over_more_than_the_window_is_quiet(judge: Judge) -> None:
    assert judge("kl-coef-rising", "ppo-legacy", kl_coef="0.2..0.5x400").verdict is Verdict.QUIET


def test_twenty_steps_at_the_controllers_speed_are_a_note(judge: Judge) -> None:
    outcome = judge("kl-coef-rising", "ppo-legacy", kl_coef=growing_series(0.005, 21), config=CONTROLLER)
    assert (outcome.severity, outcome.message.template) == (Severity.INFO, "kl-coef-rising.fastest")


def test_nineteen_steps_are_not(judge: Judge) -> None:
    assert (
        judge("kl-coef-rising", "ppo-legacy", kl_coef=growing_series(0.005, 20), config=CONTROLLER).verdict
        is Verdict.QUIET
    )


def test_a_slow_rise_is_quiet(judge: Judge) -> None:
    assert (
        judge("kl-coef-rising", "ppo-legacy", kl_coef=growing_series(0.002, 40), config=CONTROLLER).verdict
        is Verdict.QUIET
    )


def test_a_falling_coefficient_is_quiet(judge: Judge) -> None:
    assert judge("kl-coef-rising", "ppo-legacy", kl_coef="0.4..0.1x50", config=CONTROLLER).verdict is Verdict.QUIET


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("kl-coef-rising", "ppo-legacy", score="1x20").verdict is Verdict.SKIPPED
