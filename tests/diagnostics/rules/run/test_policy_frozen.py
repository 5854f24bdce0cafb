"""Tests of policy-frozen."""

from collections.abc import Callable

import pytest

from diagnostics.api import diagnose
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run

Judge = Callable[..., Outcome]
WRECK = {  # of a public PPO log
    "kl_per_sequence": "0.01 177x30",
    "approx_kl": "0.01 9 0x29",
    "entropy_per_token": "1.2 0.3 0.002x29",
    "length_mean": "31 40 53x29",
    "score": "0.4 0.1 -0.2x29",
}


def without(*names: str, **others: str) -> dict[str, str]:
    return {name: values for name, values in {**WRECK, **others}.items() if name not in names}


def test_a_wreck_of_the_first_steps_in_which_nothing_moves_is_critical(judge: Judge) -> None:
    outcome = judge("policy-frozen", "ppo", **WRECK)
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 4, 31)
    assert (outcome.measured, outcome.still) == (177.0, True)


@pytest.mark.parametrize(
    ("logged", "key"),
    [
        (without("kl_per_sequence"), "update"),
        (without("kl_per_sequence", "approx_kl"), "entropy"),
        (without("kl_per_sequence", kl_per_token="0 3.3x30"), "kl"),
    ],
)
def test_any_of_three_jumps_shows_it(judge: Judge, logged: dict[str, str], key: str) -> None:
    assert judge("policy-frozen", "ppo", **logged).message.template == f"policy-frozen.{key}"


@pytest.mark.parametrize(
    "moves",
    [{"score": "0.4 0.1 -0.2x14 -0.1x15"}, {"kl_per_sequence": "0.01 177x15 190x15"}, {"length_mean": "53..60x31"}],
)
def test_what_still_moves_is_not_frozen(judge: Judge, moves: dict[str, str]) -> None:
    assert judge("policy-frozen", "ppo", **{**WRECK, **moves}).verdict is Verdict.QUIET


def test_one_answer_that_scores_differently_from_prompt_to_prompt_is_frozen_unless_it_scores_better(
    judge: Judge,
) -> None:
    wavers = "-0.2 -0.15 -0.22 " * 10
    assert judge("policy-frozen", "ppo", **without(score=f"0.4 {wavers}")).verdict is Verdict.FIRED
    assert judge("policy-frozen", "ppo", **without(score=f"-0.3 {wavers}")).verdict is Verdict.QUIET
    less_certain = "1.2 0.3 0.05x29"
    moving = without(score=f"0.4 {wavers}", entropy_per_token=less_certain)
    assert judge("policy-frozen", "ppo", **moving).verdict is Verdict.QUIET


def test_a_log_that_never_moved_has_no_jump(judge: Judge) -> None:
    still = {"kl_per_sequence": "0.1x31", "score": "0.5x31", "length_mean": "9x31"}
    for entropy in ("1x31", "-1x31"):
        assert judge("policy-frozen", "ppo", **still, entropy_per_token=entropy).verdict is Verdict.QUIET


def test_one_metric_alone_proves_nothing(judge: Judge) -> None:
    assert judge("policy-frozen", "ppo", kl_per_sequence="0.01 177x30").verdict is Verdict.QUIET


def test_twenty_two_points_are_too_few(judge: Judge) -> None:
    outcome = judge("policy-frozen", "ppo", kl_per_sequence="0.01 177x21")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 23, "found": 22})


def test_the_first_updates_are_its_cause(make_run: Callable[..., Run]) -> None:
    assert diagnose(make_run("ppo", **WRECK)).causes[0].cause == "drastic-updates"


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("policy-frozen", "ppo", score="1x60").verdict is Verdict.SKIPPED


LATER = {  # of a trained model of TRL that a high learning rate carried away within six updates
    "kl_per_sequence": "0 27 4.7 11 12 6 4.9x11 5.7 4.8x20",
    "approx_kl": "2.1 4.2 0.3 0.3 0.1 0.4 0x32",
    "entropy_per_token": "2.9 0.9 1.4 3.2 3 1.5 0.03x10 0.5 0.03..0.15x21",
    "score": "0.57 0.18 0.5 0.47 0.53 0.51 0.5x32",
}


def test_a_wreck_of_the_first_ten_steps_may_waver_a_little(judge: Judge) -> None:
    outcome = judge("policy-frozen", "ppo", **LATER)
    assert (outcome.severity, outcome.message.template, outcome.first_step) == (
        Severity.CRITICAL,
        "policy-frozen.update",
        7,
    )


@pytest.mark.parametrize("moves", [{"score": "1x38"}, {"entropy_per_token": "2.9..0.5x38"}, {"score": "0.4..0.6x38"}])
def test_a_solved_task_or_whatever_still_moves_is_no_wreck(judge: Judge, moves: dict[str, str]) -> None:
    assert judge("policy-frozen", "ppo", **{**LATER, **moves}).verdict is Verdict.QUIET


def test_the_kl_of_one_answer_may_waver_from_prompt_to_prompt_but_not_move(judge: Judge) -> None:
    wavers = without("length_mean", kl_per_sequence="0 7.1 " + "7.0 7.4 6.7 7.2 6.9 " * 6)
    moves = without("length_mean", kl_per_sequence="0 7.1 " + "7.0 7.4 6.7 7.2 6.9 " * 3 + "7.7 8.1 7.4 7.9 7.6 " * 3)
    assert judge("policy-frozen", "ppo", **wavers).message.template == "policy-frozen.update"
    assert judge("policy-frozen", "ppo", **moves).verdict is Verdict.QUIET


def test_the_kl_of_a_wreck_may_settle_for_ten_points_before_nothing_moves(judge: Judge) -> None:
    settles = "0 140 78 43 24 22 20 19 18 15 " + "14.6 14.2 15.3 14.9 14.4 " * 8
    wreck = without("length_mean", kl_per_sequence=settles, approx_kl="5 2 1.4 0.4 0.1x5 0x41")
    wreck |= {"entropy_per_token": "0.5 0.7 0.6 0.4x5 0.1x2 0.002x40", "score": "0.63 -0.86 -0.6 0.05x47"}
    assert judge("policy-frozen", "ppo", **wreck).message.template == "policy-frozen.update"
    moving = {**wreck, "kl_per_sequence": settles.replace("14.4", "14.4 18", 5).replace(" 18 ", " ", 1)}
    assert judge("policy-frozen", "ppo", **moving).verdict is Verdict.QUIET


def test_a_long_stillness_does_not_begin_before_what_still_moved(judge: Judge) -> None:
    """A tenth of 260 points may lie outside: more than the ten in which a public run of verl was carried away."""
    course = {
        "kl_per_token": "0.8 0.8 1.3 2 2.5 4.4 7.8 13 15.7 16.8x251",
        "entropy_per_token": "0.21x9 0.09 0.0002x250",
        "length_mean": "1760 1920 1750 1350 1230 1010 623 278 88 1x251",
        "reward": "-0.68 -0.72 -0.84 -0.91 -0.92 -0.94 -0.97 -0.97 -0.99 -1x251",
    }
    assert judge("policy-frozen", "grpo", **course).first_step == 9


@pytest.mark.parametrize("calm", [5, 6, 8, 12])
def test_it_begins_no_earlier_than_the_jump(judge: Judge, calm: int) -> None:
    """A tenth of the values may lie outside, and two of the first five: so may those before the jump."""
    course = {
        "kl_per_sequence": f"2x{calm} 90x{200 - calm}",
        "entropy_per_token": f"1.2x{calm} 0.01x{200 - calm}",
        "score": f"0.4x{calm} -1x{200 - calm}",
    }
    outcome = judge("policy-frozen", "ppo", **course)
    assert (outcome.first_step, outcome.message.values["jumped"]) == (calm + 1, calm + 1)
    of_entropy = judge("policy-frozen", "ppo", **{**course, "kl_per_sequence": f"2x{calm} 3x{200 - calm}"})
    assert (of_entropy.first_step, of_entropy.message.template) == (calm + 1, "policy-frozen.entropy")


def test_it_tells_the_step_of_a_jump_from_which_things_settled(judge: Judge) -> None:
    outcome = judge("policy-frozen", "ppo", **WRECK)
    assert (outcome.message.values["jumped"], outcome.first_step, outcome.limit) == (2, 4, 25.0)


def test_what_showed_at_the_jump_is_its_consequence(make_run: Callable[..., Run]) -> None:
    course = {"kl_per_sequence": "2 90x39", "entropy_per_token": "1.2 0.01x39", "score": "0.4 -1x39"}
    causes = diagnose(make_run("ppo", **course, eos_tokens="60 0x39")).causes
    assert [cause.cause for cause in causes if "eos-never-generated" in cause.outcomes] == ["drastic-updates"]


@pytest.mark.parametrize("sound", [3, 4, 5, 6])
def test_a_stillness_begins_where_the_jump_arrived(judge: Judge, sound: int) -> None:
    gone = 200 - sound
    course = {"kl_per_token": f"0.001x{sound} 9 8x{gone - 1}", "entropy_per_token": f"1.2x{sound} 0.01x{gone}"}
    course |= {"length_mean": f"120x{sound} 14x{gone}", "reward": f"0.45x{sound} 0x{gone}"}
    outcome = judge("policy-frozen", "grpo", **course)
    assert (outcome.message.template, outcome.first_step) == ("policy-frozen.kl", sound + 1)
