"""Tests that healthy runs raise no alarm: simulated curves with autocorrelated or heavy-tailed noise."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.healthy_curves import Noise, grpo, ppo
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.status import Status
from diagnostics.rules import RUN_RULES, engine

POINTS = 1000
RUNS = 5
LEVEL_RUNS = 100


@pytest.mark.parametrize("healthy", [grpo, ppo])
@pytest.mark.parametrize(("phi", "is_heavy"), [(0.0, False), (0.7, False), (0.0, True)])
def test_a_healthy_run_of_a_thousand_points_has_nothing_at_warning_or_above(
    healthy: Callable[[Noise], Run], phi: float, is_heavy: bool
) -> None:
    runs = [healthy(Noise(seed, POINTS, phi, is_heavy=is_heavy)) for seed in range(RUNS)]
    fired = [item for run in runs for item in engine.evaluate(run, RUN_RULES) if item.verdict is Verdict.FIRED]
    assert {item.rule for item in fired if item.severity is not Severity.INFO} == set()


@pytest.mark.parametrize("points", [100, 300])
@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8, 0.9, 0.95])
def test_a_level_reward_that_wanders_seldom_counts_as_a_fall(points: int, phi: float) -> None:
    assert falls(points, phi, "running") <= most_of(0.05)


@pytest.mark.parametrize("points", [15, 20, 30, 45])
@pytest.mark.parametrize(("phi", "share"), [(0.0, 0.04), (0.3, 0.04), (0.6, 0.04), (0.9, 0.12)])
def test_a_level_reward_of_a_short_run_that_has_ended_seldom_counts_as_a_fall(
    points: int, phi: float, share: float
) -> None:
    assert falls(points, phi, "finished") <= most_of(share)


def falls(points: int, phi: float, state: str) -> int:
    """How many of the level rewards count as a fall."""
    model = replace(grpo(Noise(0, points)), status=Status(state))
    (rule,) = (item for item in RUN_RULES if item.name == "reward-regression")
    fired = 0
    for seed in range(LEVEL_RUNS):
        reward = replace(model.series["reward"], values=0.5 + 0.05 * Noise(seed, points, phi)())
        (outcome,) = engine.evaluate(replace(model, series={"reward": reward}), [rule])
        fired += outcome.verdict is Verdict.FIRED
    return fired


def most_of(share: float) -> float:
    """The most that a true rate of this share allows of so many runs."""
    return share * LEVEL_RUNS + 2 * math.sqrt(share * (1 - share) * LEVEL_RUNS)
