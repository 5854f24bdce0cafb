"""Tests of grad-norm-sustained."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_three_times_its_median_for_five_points_is_a_warning(judge: Judge) -> None:
    outcome = judge("grad-norm-sustained", "grpo", grad_norm="1x60 3x9")
    assert (outcome.severity, outcome.first_step, outcome.measured, outcome.limit) == (Severity.WARNING, 61, 3.0, 3.0)
    assert outcome.still


def test_one_point_short_of_it_is_quiet(judge: Judge) -> None:
    assert judge("grad-norm-sustained", "grpo", grad_norm="1x60 3x5 1x9").verdict is Verdict.FIRED
    assert judge("grad-norm-sustained", "grpo", grad_norm="1x60 3x4 1x9").verdict is Verdict.QUIET


def test_just_below_three_times_is_quiet(judge: Judge) -> None:
    assert judge("grad-norm-sustained", "grpo", grad_norm="1x60 2.9x20").verdict is Verdict.QUIET


def test_a_spike_is_not_a_rise(judge: Judge) -> None:
    assert judge("grad-norm-sustained", "grpo", grad_norm="1x60 90x2 1x20").verdict is Verdict.QUIET


def test_a_slow_rise_is_quiet(judge: Judge) -> None:
    assert judge("grad-norm-sustained", "grpo", grad_norm="1..4x300").verdict is Verdict.QUIET


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("grad-norm-sustained", "grpo", grad_norm="1x54")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 55, "found": 54})


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("grad-norm-sustained", "ppo", score="1x60").verdict is Verdict.SKIPPED


def test_a_norm_that_rises_from_nothing_shows_that_learning_has_begun(judge: Judge) -> None:
    assert judge("grad-norm-sustained", "grpo", grad_norm="0x60 1.4x30").verdict is Verdict.QUIET
    assert judge("grad-norm-sustained", "grpo", grad_norm="0.011x60 1.4x30").verdict is Verdict.FIRED


def test_a_norm_that_rises_is_noted_unless_the_reward_falls(judge: Judge) -> None:
    """Of a sparse reward the gradient grows with what there is to learn from."""
    rewards = {
        "0.05x50 0.05..0.5x40": Severity.INFO,
        "0.05x90": Severity.INFO,
        "0.05..0.9x60 0.9..0.5x30": Severity.WARNING,  # it has risen, but not since
    }
    for reward, severity in rewards.items():
        assert judge("grad-norm-sustained", "grpo", grad_norm="1x60 5x30", reward=reward).severity is severity
