"""Tests of reward-follows-length."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from diagnostics.api import diagnose
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Values

Judge = Callable[..., Outcome]
RULE = "reward-follows-length"

WAVERS = np.random.default_rng(7).normal(scale=1.0, size=60)


def logged(pays: float, grows: float = 10.0, other: float = 0.05, points: int = 60) -> dict[str, Values]:
    """A reward that pays so much for a token, and something else; answers of 20 tokens that grow by so many."""
    length = 20 + np.linspace(0, grows, points) + WAVERS[:points]
    rest = np.random.default_rng(8).normal(scale=other, size=points)
    return {"reward": 1 + pays * length + rest, "length_mean": length}


def test_a_reward_that_goes_with_a_length_that_grows_is_a_warning(judge: Judge) -> None:
    outcome = judge(RULE, "grpo", **logged(0.2))
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, f"{RULE}.longer")
    assert (outcome.first_step, outcome.last_step, outcome.limit) == (1, 60, 0.8)
    assert 0.8 < (outcome.measured or 0) < float(outcome.message.values["correlation"])


def test_so_is_one_that_goes_with_brevity_as_answers_shrink(judge: Judge) -> None:
    outcome = judge(RULE, "grpo", **logged(-0.2, grows=-10))
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, f"{RULE}.shorter")
    assert (outcome.measured or 0) < -0.8


@pytest.mark.parametrize(
    "quiet",
    [
        logged(0.2, grows=3.0),  # by less than a fifth
        logged(0.2, grows=-10.0),  # where it does not pay
        logged(0.2, other=0.5),  # other things pay as well
        logged(0.0, other=0.05) | {"reward": np.linspace(0, 9, 60)},  # both grow, and no batch tells more
    ],
)
def test_a_length_that_hardly_pays_or_does_not_go_there_is_quiet(judge: Judge, quiet: dict[str, Any]) -> None:
    assert judge(RULE, "grpo", **quiet).verdict is Verdict.QUIET


@pytest.mark.parametrize(("grows", "far"), [(3.0, (0.05, 0.2)), (-10.0, (-1e-9, 1e-9))])
def test_what_is_quiet_tells_the_limit_that_was_not_reached(
    judge: Judge, grows: float, far: tuple[float, float]
) -> None:
    outcome = judge(RULE, "grpo", **logged(0.2, grows=grows))
    assert (outcome.limit, outcome.unit) == (0.2, "of the length before")
    assert far[0] <= (outcome.measured or 0.0) <= far[1]
    other = judge(RULE, "grpo", **logged(0.2, other=0.5))
    assert (other.limit, other.unit) == (0.8, "correlation")
    assert (other.measured or 0.0) < 0.8


@pytest.mark.parametrize(("cut", "verdict"), [("0.06x60", Verdict.QUIET), ("0.04x60", Verdict.FIRED)])
def test_answers_that_learn_to_end_in_time_may_shrink(judge: Judge, cut: str, verdict: Verdict) -> None:
    assert judge(RULE, "grpo", **logged(-0.2, grows=-10), truncated_fraction=cut).verdict is verdict
    assert judge(RULE, "grpo", **logged(0.2), truncated_fraction=cut).verdict is Verdict.FIRED


def test_twenty_points_are_too_few(judge: Judge) -> None:
    outcome = judge(RULE, "grpo", **logged(0.2, points=20))
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 21, "found": 20})
    assert judge(RULE, "grpo", **logged(0.2, points=21, other=0.0)).verdict is Verdict.FIRED


def test_points_that_are_no_numbers_are_left_out(judge: Judge) -> None:
    torn = logged(0.2)
    torn["reward"][::7] = np.nan
    torn["length_mean"][::11] = np.inf
    assert judge(RULE, "grpo", **torn).verdict is Verdict.FIRED


@pytest.mark.parametrize("missing", ["reward", "length_mean"])
def test_it_is_skipped_where_its_input_is_missing(judge: Judge, missing: str) -> None:
    series = {name: values for name, values in logged(0.2).items() if name != missing}
    assert judge(RULE, "grpo", **series).verdict is Verdict.SKIPPED


@pytest.mark.parametrize(("pays", "grows", "cause"), [(0.2, 10.0, "length-bias"), (-0.2, -10.0, "answers-too-short")])
def test_the_length_is_its_cause_and_explains_a_kl_that_grows(
    make_run: Callable[..., Run], pays: float, grows: float, cause: str
) -> None:
    found = diagnose(make_run("grpo", **logged(pays, grows), kl_per_token="0..3x40 3x20")).causes
    assert (found[0].cause, "kl-too-high" in found[0].outcomes) == (cause, True)
    assert found[0].summary.template == f"cause.{cause}.paid"
