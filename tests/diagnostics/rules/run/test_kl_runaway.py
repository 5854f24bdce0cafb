"""Tests of kl-runaway."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_three_times_its_median_for_five_points_is_critical(judge_harmed: Judge) -> None:
    outcome = judge_harmed("kl-runaway", "grpo", kl_per_token="0.25x70 0.75x5 0.25x9")
    assert (outcome.severity, outcome.first_step, outcome.measured) == (Severity.CRITICAL, 71, 0.75)
    assert judge_harmed("kl-runaway", "grpo", kl_per_token="0.25x70 0.75x4 0.25x9").verdict is Verdict.QUIET


def test_just_below_three_times_is_quiet(judge: Judge) -> None:
    assert judge("kl-runaway", "grpo", kl_per_token="0.1x70 0.29x20").verdict is Verdict.QUIET


def test_any_factor_below_the_floor_is_quiet(judge: Judge) -> None:
    assert judge("kl-runaway", "grpo", kl_per_token="0.001x70 0.19x20").verdict is Verdict.QUIET


def test_a_steady_rise_is_no_departure(judge: Judge) -> None:
    assert judge("kl-runaway", "grpo", kl_per_token="0..0.6x300").verdict is Verdict.QUIET


def test_rows_of_which_one_is_a_hundred_times_the_next_are_no_departure(judge: Judge) -> None:
    start = "0.5 0.6 0.4 " * 25
    assert judge("kl-runaway", "grpo", kl_per_token=start + "7 0.2 22 3 0.3 7 5 " * 3).verdict is Verdict.QUIET
    assert judge("kl-runaway", "grpo", kl_per_token=start + "3 4 5 3 4 5 4 " * 3).verdict is Verdict.FIRED


def test_a_kl_per_sequence_is_divided_by_the_length(judge: Judge) -> None:
    assert judge("kl-runaway", "ppo", kl_per_sequence="1x70 12x20", length_mean="10x90").verdict is Verdict.FIRED
    assert judge("kl-runaway", "ppo", kl_per_sequence="1x70 12x20", length_mean="100x90").verdict is Verdict.QUIET


def test_a_short_answer_may_cost_what_it_takes_to_give_it(judge: Judge) -> None:
    for length, verdict in (("5x90", Verdict.QUIET), ("10x90", Verdict.FIRED), ("65x90", Verdict.FIRED)):
        outcome = judge("kl-runaway", "grpo", kl_per_token="0.25x70 1.9x20", length_mean=length)
        assert outcome.verdict is verdict


def test_it_is_skipped_where_no_length_is_known(judge: Judge) -> None:
    outcome = judge("kl-runaway", "ppo", kl_per_sequence="1x70 9x20")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("kl-runaway", "grpo", kl_per_token="0.1x64")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 65, "found": 64})


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("kl-runaway", "ppo", score="1x70").verdict is Verdict.SKIPPED
