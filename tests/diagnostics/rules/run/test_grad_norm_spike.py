"""Tests of grad-norm-spike."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.wording.messages import message_text

Judge = Callable[..., Outcome]


def test_one_point_far_out_is_noted(judge: Judge) -> None:
    outcome = judge("grad-norm-spike", "grpo", grad_norm="1x15 1.1x15 30 1x9")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.INFO, 31, 31)
    assert outcome.measured == 30.0


def test_a_spike_below_five_times_the_median_is_quiet(judge: Judge) -> None:
    assert judge("grad-norm-spike", "grpo", grad_norm="1x30 4.9 1x9").verdict is Verdict.QUIET
    assert judge("grad-norm-spike", "grpo", grad_norm="1x30 5 1x9").verdict is Verdict.FIRED


def test_a_wide_scatter_has_no_spikes(judge: Judge) -> None:
    scattered = " ".join(["0.1 1 10"] * 12)
    assert judge("grad-norm-spike", "grpo", grad_norm=f"{scattered} 30 1x9").verdict is Verdict.QUIET


def test_three_of_five_smaller_ones_are_noted_and_two_are_not(judge: Judge) -> None:
    scattered = " ".join(["0.75 1 1.33"] * 10)
    assert judge("grad-norm-spike", "grpo", grad_norm=f"{scattered} 6 1 6 1 6 1x9").verdict is Verdict.FIRED
    assert judge("grad-norm-spike", "grpo", grad_norm=f"{scattered} 6 1 1 1 6 1x9").verdict is Verdict.QUIET


def test_a_constant_norm_has_no_deviation_and_no_spike(judge: Judge) -> None:
    assert judge("grad-norm-spike", "grpo", grad_norm="1x30 1.02 1x9").verdict is Verdict.QUIET
    assert judge("grad-norm-spike", "grpo", grad_norm="0x40").verdict is Verdict.QUIET


def test_the_first_twenty_points_are_what_it_learns_from(judge: Judge) -> None:
    outcome = judge("grad-norm-spike", "grpo", grad_norm="1x19 90")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("grad-norm-spike", "ppo", score="1x60").verdict is Verdict.SKIPPED


def test_no_ratio_is_told_against_a_median_of_nearly_nothing(judge: Judge) -> None:
    outcome = judge("grad-norm-spike", "grpo", grad_norm="1e-12x31 0.5 1e-12x9")
    assert "far above the median of the points before" in message_text(outcome.message)
