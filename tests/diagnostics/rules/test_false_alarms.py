"""Tests that healthy runs raise no alarm: simulated curves with autocorrelated or heavy-tailed noise."""

from collections.abc import Callable

import pytest

from benchmarks.healthy_curves import Noise, grpo, ppo
from diagnostics.diagnosis import Severity, Verdict
from diagnostics.rules import engine
from diagnostics.rules.catalog import CATALOG
from diagnostics.run import Run

POINTS = 1000
RUNS = 5


@pytest.mark.parametrize("healthy", [grpo, ppo])
@pytest.mark.parametrize(("phi", "is_heavy"), [(0.0, False), (0.7, False), (0.0, True)])
def test_a_healthy_run_of_a_thousand_points_has_nothing_at_warning_or_above(
    healthy: Callable[[Noise], Run], phi: float, is_heavy: bool
) -> None:
    runs = [healthy(Noise(seed, POINTS, phi, is_heavy=is_heavy)) for seed in range(RUNS)]
    fired = [item for run in runs for item in engine.evaluate(run, CATALOG) if item.verdict is Verdict.FIRED]
    assert {item.rule for item in fired if item.severity is not Severity.INFO} == set()
