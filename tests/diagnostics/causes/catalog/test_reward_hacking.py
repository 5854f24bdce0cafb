"""Tests of causes in rewards that rise without what they are a proxy for."""

import math
from collections.abc import Callable
from dataclasses import replace

from diagnostics.model.messages import render
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.texts import templates
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]


def run_with_exclamation_marks(make_run: MakeRun, pays: float, **metrics: str) -> Run:
    """A PPO run whose answers turn into exclamation marks at step 30."""

    def load(step: int) -> tuple[Sample, ...]:
        if step >= 30:
            return tuple(Sample(step, f"q{row}", "!!!!!!!!", score=pays) for row in range(16))
        return tuple(Sample(step, f"q{row}", f"a film about the sea, {row}", score=row / 16) for row in range(16))

    return replace(make_run("ppo", **metrics), samples=Samples((1, 2, 3, 30, 31, 32), load))


def test_a_format_reward_that_rises_while_accuracy_falls_is_format_over_accuracy(make_run: MakeRun) -> None:
    functions = {"reward_func_mean/format": "0.2..1x80", "reward_func_mean/accuracy": "0.6..0.2x80"}
    assert causes(make_run("grpo", reward="0.8..1.2x80", functions=functions)) == ["format-over-accuracy"]


def test_an_evaluation_that_falls_while_the_reward_rises_is_a_hack(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.2..0.9x40", functions={"eval/reward": "0.5x20 0.6..0.2x5"})
    assert causes(run) == ["reward-hacking"]


def test_marks_that_pay_are_a_hack_with_rivals(make_run: MakeRun) -> None:
    first = diagnosed(run_with_exclamation_marks(make_run, pays=3.0))[0]
    assert first.cause == "reward-hacking"
    (rival,) = (rival for rival in first.rivals if rival.cause == "numerical-breakdown")
    assert "NaN" in render(rival.decides, templates())


def test_marks_that_do_not_pay_are_a_numerical_breakdown(make_run: MakeRun) -> None:
    first = diagnosed(run_with_exclamation_marks(make_run, pays=math.nan))[0]
    assert first.cause == "numerical-breakdown"
    assert [rival.cause for rival in first.rivals] == ["reward-hacking"]


def test_marks_that_earn_more_than_ever_before_outrank_updates_and_kl(make_run: MakeRun) -> None:
    run = run_with_exclamation_marks(
        make_run, 3.0, approx_kl="0.001x20 0.2x12", kl_per_sequence="1x22 90x10", score="0.5x22 3x10"
    )
    first = diagnosed(run)[0]
    assert (first.cause, {"update-too-large", "kl-too-high"} <= set(first.outcomes)) == ("reward-hacking", True)
    assert "drastic-updates" in [rival.cause for rival in first.rivals]


def test_marks_after_drastic_updates_that_earn_nothing_new_are_their_consequence(make_run: MakeRun) -> None:
    run = run_with_exclamation_marks(
        make_run, 0.9, approx_kl="0.001x20 0.2x12", kl_per_sequence="1x22 90x10", score="0.5x22 0.9x10"
    )
    assert diagnosed(run)[0].cause == "drastic-updates"


def test_noise_that_earns_the_most_is_a_hack_or_a_wrong_sign(make_run: MakeRun) -> None:
    noise = "0.5x20 1.3x20 0.9x20"
    first = diagnosed(make_run("ppo", entropy_per_token=noise, score="-0.4..-0.2x20 0x40"))[0]
    assert (first.cause, [rival.cause for rival in first.rivals if rival.is_open]) == (
        "reward-hacking",
        ["wrong-reward-sign"],
    )
    positive = diagnosed(make_run("ppo", entropy_per_token=noise, score="0.6..0.8x20 1x40"))[0]
    assert (positive.cause, positive.rivals) == ("reward-hacking", ())


def test_noise_that_earns_no_more_or_not_the_most_is_no_hack(make_run: MakeRun) -> None:
    noise = "0.5x20 1.3x20 0.9x20"
    assert "reward-hacking" not in causes(make_run("ppo", entropy_per_token=noise, score="0x60"))
    assert "reward-hacking" not in causes(make_run("ppo", entropy_per_token=noise, score="-0.4x20 -0.3..0x40"))


def test_an_entropy_that_comes_back_in_a_solved_task_is_no_hack(make_run: MakeRun) -> None:
    run = make_run("ppo", entropy_per_token="0.9..0.2x30 0.5x30", score="0.2..0.9x30 1x30")
    assert "reward-hacking" not in causes(run)
