"""Tests that healthy runs raise no alarm: simulated curves with autocorrelated or heavy-tailed noise."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.healthy_curves import Noise, grpo, ppo
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
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
    model = grpo(Noise(0, points))
    (rule,) = (item for item in RUN_RULES if item.name == "reward-regression")
    fired = 0
    for seed in range(LEVEL_RUNS):
        reward = replace(model.series["reward"], values=0.5 + 0.05 * Noise(seed, points, phi)())
        (outcome,) = engine.evaluate(replace(model, series={"reward": reward}), [rule])
        fired += outcome.verdict is Verdict.FIRED
    assert fired <= 0.05 * LEVEL_RUNS + 2 * math.sqrt(
        0.05 * 0.95 * LEVEL_RUNS
    )  # the most that a true rate of 5 % allows of so many runs
