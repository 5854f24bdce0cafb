"""Tests of causes in the reward and in the prompts."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.causes import explain
from diagnostics.model.cause import Cause
from diagnostics.model.messages import render
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import evaluate
from diagnostics.texts import templates

MakeRun = Callable[..., Run]


def causes(run: Run) -> list[str]:
    return [cause.cause for cause in diagnosed(run)]


def diagnosed(run: Run) -> tuple[Cause, ...]:
    return explain(run, evaluate(run))


@pytest.mark.parametrize(("second", "cause"), [("0x30", "no-reward-signal"), ("0.3x30", "dead-reward-function")])
def test_one_dead_function_is_not_the_end_of_all_signal(make_run: MakeRun, second: str, cause: str) -> None:
    functions = {"reward_func_std/format": "0x30", "reward_func_std/accuracy": second}
    assert causes(make_run("grpo", functions=functions)) == [cause]


def test_a_task_that_is_solved_has_no_dead_function(make_run: MakeRun) -> None:
    functions = {"reward_func_std/accuracy": "0x30", "reward_func_mean/accuracy": "1x30"}
    assert causes(make_run("grpo", functions=functions)) == []


def test_a_reward_that_never_moved_is_one_cause_and_not_four(make_run: MakeRun) -> None:
    run = make_run(
        "grpo",
        reward="0x60",
        reward_std="0x60",
        zero_std_fraction="1x60",
        grad_norm="0x60",
        functions={"reward_func_mean/exact": "0x60", "reward_func_std/exact": "0x60"},
        total=60,
    )
    (cause,) = diagnosed(run)
    assert (cause.cause, cause.severity) == ("no-reward-signal", Severity.CRITICAL)
    assert {"reward-stuck-at-floor", "reward-func-constant", "zero-variance-groups"} <= set(cause.outcomes)


def test_form_at_the_cost_of_the_answer_is_named_as_such(make_run: MakeRun) -> None:
    functions = {"reward_func_mean/format": "0.2..1x80", "reward_func_mean/accuracy": "0.6..0.2x80"}
    assert causes(make_run("grpo", reward="0.8..1.2x80", functions=functions)) == ["format-over-accuracy"]


def test_a_solved_task_is_too_easy_and_nothing_else(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.5..0.98x30 0.98x40", zero_std_fraction="0.1..0.8x30 0.9x40")
    assert causes(run) == ["task-too-easy"]


def test_silent_groups_at_half_the_reward_are_the_prompts(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", reward="0.5x40", zero_std_fraction="0.6x40")) == ["difficulty-mismatch"]


def test_an_evaluation_that_falls_under_a_rising_reward_is_a_hack(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.2..0.9x40", functions={"eval/reward": "0.5x20 0.6..0.2x5"})
    assert causes(run) == ["reward-hacking"]


def marked(make_run: MakeRun, pays: float, **metrics: str) -> Run:
    """A PPO run whose answers turn into exclamation marks at step 30."""

    def load(step: int) -> tuple[Sample, ...]:
        if step >= 30:
            return tuple(Sample(step, f"q{row}", "!!!!!!!!", score=pays) for row in range(16))
        return tuple(Sample(step, f"q{row}", f"a film about the sea, {row}", score=row / 16) for row in range(16))

    return replace(make_run("ppo", **metrics), samples=Samples((1, 2, 3, 30, 31, 32), load))


def test_marks_that_pay_are_a_hack_and_the_report_says_what_would_decide(make_run: MakeRun) -> None:
    first = diagnosed(marked(make_run, pays=3.0))[0]
    assert first.cause == "reward-hacking"
    (rival,) = (rival for rival in first.rivals if rival.cause == "numerical-breakdown")
    assert "NaN" in render(rival.decides, templates())


def test_marks_that_nobody_pays_for_are_broken_numbers(make_run: MakeRun) -> None:
    first = diagnosed(marked(make_run, pays=math.nan))[0]
    assert first.cause == "numerical-breakdown"
    assert [rival.cause for rival in first.rivals] == ["reward-hacking"]


def test_marks_that_earn_more_than_any_answer_before_outweigh_the_updates_and_the_kl(make_run: MakeRun) -> None:
    run = marked(make_run, 3.0, approx_kl="0.001x20 0.2x12", kl_per_sequence="1x22 90x10", score="0.5x22 3x10")
    first = diagnosed(run)[0]
    assert (first.cause, {"update-too-large", "kl-too-high"} <= set(first.outcomes)) == ("reward-hacking", True)
    assert "drastic-updates" in [rival.cause for rival in first.rivals]


def test_marks_behind_drastic_updates_that_earn_nothing_new_are_their_ruins(make_run: MakeRun) -> None:
    run = marked(make_run, 0.9, approx_kl="0.001x20 0.2x12", kl_per_sequence="1x22 90x10", score="0.5x22 0.9x10")
    assert diagnosed(run)[0].cause == "drastic-updates"


def test_a_sign_that_is_wrong_explains_the_fall_that_it_made(make_run: MakeRun) -> None:
    means = "0.5 0.6 0.4 0.7 0.5 0.6 0.4 0.5 0.7 0.6 " * 4
    values = [float(value) for value in means.split()]
    reward = " ".join(str(value if step < 20 else -value) for step, value in enumerate(values))
    run = make_run("grpo", reward=reward, functions={"reward_func_mean/accuracy": means})
    (cause,) = diagnosed(run)
    assert (cause.cause, set(cause.outcomes)) == ("wrong-reward-sign", {"reward-sign-flipped", "reward-regression"})
