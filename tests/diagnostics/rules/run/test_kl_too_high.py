"""Tests of kl-too-high."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize(("level", "severity"), [("10", Severity.WARNING), ("25", Severity.CRITICAL)])
def test_a_short_answer_has_the_limits_of_the_documents(judge_harmed: Judge, level: str, severity: Severity) -> None:
    outcome = judge_harmed("kl-too-high", "ppo", kl_per_sequence=f"1x5 {level}x5 1x2", length_mean="64x12")
    assert (severity, float(level), 6) == (outcome.severity, outcome.limit, outcome.first_step)


def test_four_points_at_ten_are_not_enough(judge: Judge) -> None:
    assert judge("kl-too-high", "ppo", kl_per_sequence="1x5 10x4 1x5").verdict is Verdict.QUIET


def test_rows_of_which_one_is_a_hundred_times_the_next_prove_no_distance(judge: Judge) -> None:
    assert judge("kl-too-high", "grpo", kl_per_token="0.3 9 0.3 7 30 " * 6).verdict is not Verdict.SKIPPED
    assert judge("kl-too-high", "grpo", kl_per_token="0.3 9 0.3 7 30 " * 6).severity is None
    assert judge("kl-too-high", "grpo", kl_per_token="3 9 5 7 9 " * 6).severity is Severity.WARNING


def test_just_below_ten_is_quiet(judge: Judge) -> None:
    assert judge("kl-too-high", "ppo", kl_per_sequence="9.99x20").verdict is Verdict.QUIET


def test_fifteen_nats_are_healthy_for_a_long_answer(judge: Judge) -> None:
    outcome = judge("kl-too-high", "ppo", kl_per_sequence="15x20", length_mean="200x20")
    assert (outcome.verdict, outcome.limit) == (Verdict.QUIET, 40.0)


def test_a_long_answer_is_judged_per_token(judge: Judge) -> None:
    outcome = judge("kl-too-high", "ppo", kl_per_sequence="100x20", length_mean="200x20")
    assert (outcome.severity, outcome.limit, outcome.unit) == (Severity.WARNING, 100.0, "nats/sequence")


def test_the_length_limit_stands_in_for_a_length_that_is_not_logged(judge: Judge) -> None:
    outcome = judge("kl-too-high", "ppo", kl_per_sequence="15x20", config={"response_length": 200})
    assert outcome.verdict is Verdict.QUIET


@pytest.mark.parametrize(
    ("level", "severity"), [("0.2", Severity.INFO), ("0.5", Severity.WARNING), ("1.0", Severity.CRITICAL)]
)
def test_grpo_is_judged_per_token(judge_harmed: Judge, level: str, severity: Severity) -> None:
    assert judge_harmed("kl-too-high", "grpo", kl_per_token=f"{level}x7").severity is severity


def test_a_single_token_that_explodes_is_quiet(judge: Judge) -> None:
    assert judge("kl-too-high", "grpo", kl_per_token="0.01x10 1e6 0.01x10").verdict is Verdict.QUIET


def test_without_beta_it_says_why_it_cannot_run(judge: Judge) -> None:
    outcome = judge("kl-too-high", "grpo", reward="1x20", config={"beta": 0.0})
    assert (outcome.verdict, outcome.message.template) == (Verdict.SKIPPED, "missing.kl-off")
    assert outcome.enable is not None
    assert outcome.enable.template == "missing.kl.enable-weight"


def test_a_penalty_that_is_off_is_switched_on(judge: Judge) -> None:
    outcome = judge("kl-too-high", "ppo", kl_per_sequence="12x9", config={"kl_coef": 0.0})
    assert (outcome.fixes[0].parameter, outcome.fixes[0].current, outcome.fixes[0].suggested) == ("kl_coef", 0.0, 0.05)


def test_a_short_answer_may_cost_what_it_takes_to_give_it(judge_harmed: Judge) -> None:
    near = judge_harmed("kl-too-high", "grpo", kl_per_token="0.99x9", length_mean="10x9")
    assert (near.severity, near.limit) == (Severity.INFO, 0.2)
    outcome = judge_harmed("kl-too-high", "grpo", kl_per_token="1.0x9", length_mean="10x9")
    assert (outcome.severity, outcome.limit) == (Severity.CRITICAL, 1.0)
    assert judge_harmed("kl-too-high", "grpo", kl_per_token="1.9x9", length_mean="5x9").severity is Severity.INFO


def test_answers_that_began_long_or_of_unknown_length_keep_the_limits_per_token(judge: Judge) -> None:
    assert judge("kl-too-high", "grpo", kl_per_token="0.5x9", length_mean="65x9").severity is Severity.WARNING
    assert judge("kl-too-high", "grpo", kl_per_token="0.5x9", length_mean="100x5 2x9").severity is Severity.WARNING
    assert judge("kl-too-high", "grpo", kl_per_token="0.5x9").severity is Severity.WARNING


def test_a_kl_that_was_as_high_before_the_first_update_is_no_move_away(judge: Judge) -> None:
    outcome = judge("kl-too-high", "grpo", kl_per_token="0.7 0.68 0.72 0.7 " * 8)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-too-high.fired_untrained")
    assert (outcome.headline.template, outcome.message.values["start"]) == ("kl-too-high.headline_untrained", 0.7)
    assert [fix.why.template for fix in outcome.fixes] == ["remedy.same-reference"]


@pytest.mark.parametrize(
    ("kl", "config"),
    [
        ("0.4 0.4..0.61x10 0.61x20", {}),  # half as high again
        ("0x1 0.7x30", {}),
        ("9 0 0.1 0.2 0.4 0.7x30", {}),  # an outlier, and then it grew
        ("nan 0.7x30", {}),
        ("0.7x19", {}),  # it may still grow
        ("0.7x30", {"num_iterations": 4}),  # the first point holds updates
    ],
)
def test_a_kl_that_grew_or_began_unseen_is_a_move_away(judge: Judge, kl: str, config: dict[str, int]) -> None:
    outcome = judge("kl-too-high", "grpo", kl_per_token=kl, config=config)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-too-high.fired")
    assert outcome.headline.template == "kl-too-high.headline"
