"""Tests of the learning rate that a run asks for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from diagnostics.causes.remedies.catalog import REMEDIES, fixes_for
from diagnostics.causes.remedies.learning_rate import update_size
from diagnostics.model.run import Run
from diagnostics.producers.setting_lookup import settings_of_run

CRITICS = ("lower-value-learning-rate", "lower-shared-learning-rate")
MakeRun = Callable[..., Run]
Suggested = Callable[[Run, str], Any]


@pytest.mark.parametrize(("size", "rate"), [("0.04", 5e-4), ("1", 1e-4), ("1e9", 1e-6)])
def test_a_learning_rate_falls_with_the_root_of_the_excess(
    suggested: Suggested, make_run: MakeRun, size: str, rate: float
) -> None:
    run = make_run("ppo", approx_kl=f"0.005x5 {size}x9", config={"learning_rate": 1e-3})
    assert suggested(run, "fitted-learning-rate") == rate


def test_an_update_within_the_target_or_of_unknown_size_suggests_none(suggested: Suggested, make_run: MakeRun) -> None:
    config = {"learning_rate": 1e-3}
    for run in (make_run("ppo", approx_kl="0.01x20", config=config), make_run("grpo", reward="1x20", config=config)):
        assert suggested(run, "fitted-learning-rate") is None


def test_one_outlier_is_no_update_and_a_leap_from_the_reference_is(make_run: MakeRun) -> None:
    outlier, leap = make_run("grpo", kl_per_token="0x10 9x1 0x10"), make_run("grpo", kl_per_token="0x10 0.9x10")
    assert update_size(outlier) == 0
    assert update_size(leap) == pytest.approx(0.1)
    assert update_size(make_run("ppo", approx_kl="0x10 5x1 0x10")) == 0


@pytest.mark.parametrize(("algorithm", "rate"), [("grpo", 1e-6), ("ppo", 3e-6)])
def test_a_learning_rate_that_moves_nothing_becomes_the_trainers_own(
    suggested: Suggested, make_run: MakeRun, algorithm: str, rate: float
) -> None:
    for nothing in (0.0, 1e-9, 1e-8):
        assert suggested(make_run(algorithm, config={"learning_rate": nothing}), "raised-learning-rate") == rate
    assert suggested(make_run(algorithm, config={"learning_rate": 1.1e-8}), "raised-learning-rate") is None


def test_a_learning_rate_that_only_the_log_shows_is_raised_by_the_producers_argument(make_run: MakeRun) -> None:
    for producer, argument in (("trl", "learning_rate"), ("openrlhf", "actor_learning_rate"), ("cleanrl", "")):
        run = replace(make_run("grpo", learning_rate="0x2 1e-9x30"), producer=producer)
        fix = REMEDIES["raised-learning-rate"].fix(replace(run, settings=settings_of_run(producer, "grpo", {})))
        assert fix is not None
        expected = (argument, 1e-9, 1e-6) if argument else ("", None, None)
        assert (fix.parameter, fix.current, fix.suggested) == expected


@pytest.mark.parametrize("rates", ["1e-6x30", "0x10 1e-6 0x30", "0..1e-9x30", "nanx30", None])
def test_a_logged_learning_rate_that_is_enough_or_still_rises_is_not_raised(
    make_run: MakeRun, rates: str | None
) -> None:
    logged = {} if rates is None else {"learning_rate": rates}
    run = replace(make_run("grpo", **logged), settings=settings_of_run("trl", "grpo", {}))
    assert REMEDIES["raised-learning-rate"].fix(run) is None


@pytest.mark.parametrize(
    ("producer", "config", "changes"),
    [
        ("verl", {"critic.optim.lr": 1e-5, "actor_rollout_ref.actor.optim.lr": 1e-6}, [("critic.optim.lr", 3.3e-6)]),
        ("verl", {"actor_rollout_ref.actor.optim.lr": 1e-6}, [("critic.optim.lr", None)]),
        ("openrlhf", {"actor_learning_rate": 1e-6}, [("critic_learning_rate", None)]),
        ("rlvitals", {"value_learning_rate": None, "learning_rate": 3e-6}, [("value_learning_rate", 1e-6)]),
        ("trl", {"learning_rate": 3e-6}, [("learning_rate", 1e-6)]),
    ],
)
def test_a_value_model_has_its_own_learning_rate_lowered_where_its_trainer_has_one(
    make_run: MakeRun, producer: str, config: dict[str, Any], changes: list[tuple[str, Any]]
) -> None:
    run = replace(make_run("ppo"), producer=producer, settings=settings_of_run(producer, "ppo", config))
    assert changes == [(fix.parameter, fix.suggested) for fix in fixes_for(run, CRITICS)]


@pytest.mark.parametrize(("producer", "change"), [("verl", ("critic.optim.lr", 3e-6)), ("skyrl", ("", None))])
def test_a_logged_learning_rate_of_the_value_model_shows_that_it_has_one(
    make_run: MakeRun, producer: str, change: tuple[str, Any]
) -> None:
    run = make_run("ppo", value_learning_rate="9e-6x30")
    run = replace(run, producer=producer, settings=settings_of_run(producer, "ppo", {}))
    assert [change] == [(fix.parameter, fix.suggested) for fix in fixes_for(run, CRITICS)]
