"""The gate's benchmark draws disjoint runs, and its page holds a row for each size of each arm."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.gate import SIZES, measure, page
from benchmarks.gating.training import ARMS, HEALTHY
from benchmarks.healthy_curves import Noise, grpo
from diagnostics.model.diagnosis import Diagnosis


@pytest.mark.process  # the page names the machine
def test_gates_are_drawn_for_each_size_and_a_mistake_is_told_from_luck() -> None:
    arms = {arm: [_run(seed, 0.0 if arm == HEALTHY else -0.5) for seed in range(18)] for arm in ARMS}
    found = measure(arms, draws=2)

    assert found[HEALTHY, 8, 3].any < 1.0
    assert {found[arm, 8, 3].metric for arm in ARMS if arm != HEALTHY} == {1.0}
    assert {found[arm, 1, 1].metric for arm in ARMS} == {0.0}
    assert page(found, 3).count("\n| ") == len(ARMS) * (len(SIZES) + 2)


def _run(seed: int, shift: float) -> Diagnosis:
    """A simulated run that got to its end, with its reward shifted."""
    run = grpo(Noise(seed, 40))
    reward = run.series["reward"]
    series = {**run.series, "reward": replace(reward, values=reward.values + shift)}
    return Diagnosis(replace(run, path=Path(f"run-{seed}"), series=series), ())
