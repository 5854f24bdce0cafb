"""Tests of what must have been checked before a run is called healthy."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.healthy_curves import Noise, grpo, ppo
from diagnostics.judge import judge
from diagnostics.model.run import Run
from diagnostics.model.status import Status
from diagnostics.rules import CATALOG
from diagnostics.rules.vital import vital_checks
from diagnostics.wording.messages import message_text

POINTS = 200
ALGORITHMS = ("ppo", "ppo-legacy", "grpo", "rloo", "online-dpo", "unknown")


def without(run: Run, *starts: str) -> Run:
    return replace(run, series={name: item for name, item in run.series.items() if not name.startswith(starts)})


def missing(run: Run) -> list[str]:
    diagnosis = judge(run, {})
    assert (diagnosis.verdict == "no-problem-found") is bool(diagnosis.vital_missing)
    return [message_text(gap.name) for gap in diagnosis.vital_missing]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_vital_check_is_done_by_rules_that_exist(algorithm: str) -> None:
    known = {rule.name for rule in CATALOG}
    assert {rule for check in vital_checks(algorithm) for rule in check.rules} <= known


@pytest.mark.parametrize("healthy", [grpo, ppo])
def test_a_run_whose_vital_checks_are_quiet_is_healthy(healthy: Callable[[Noise], Run]) -> None:
    assert judge(healthy(Noise(0, POINTS)), {}).verdict == "healthy"


@pytest.mark.parametrize(
    ("starts", "name"),
    [
        (("entropy",), "the entropy, or samples"),
        (("length", "truncated"), "the length of the answers, or how they end"),
        (("reward_std", "zero_std"), "the spread of the rewards"),
        (("clip", "kl"), "the size of the updates, or the KL"),
    ],
)
def test_a_run_that_lacks_one_of_them_is_not_called_healthy(starts: tuple[str, ...], name: str) -> None:
    assert missing(without(grpo(Noise(0, POINTS)), *starts)) == [name]


def test_a_run_with_a_value_model_need_not_log_the_spread_but_its_critic() -> None:
    assert missing(without(ppo(Noise(0, POINTS)), "value")) == ["the value model"]


def test_a_short_log_says_how_many_points_would_do() -> None:
    gaps = judge(grpo(Noise(0, 12)), {}).vital_missing
    assert "Log at least 30 points." in [message_text(gap.enable) for gap in gaps]


def test_a_run_of_25_steps_that_has_ended_and_clearly_rose_is_judged_on_its_reward() -> None:
    points = 25
    healthy = without(grpo(Noise(0, points)), "kl")
    rising, level = (low + 0.02 * Noise(1, points)() for low in (np.linspace(0.2, 0.8, points), np.full(points, 0.5)))
    for values, is_missing in ((rising, False), (level, True)):
        reward = replace(healthy.series["reward"], values=values)
        run = replace(healthy, series={**healthy.series, "reward": reward}, status=Status("finished"))
        gaps = {gap.name.template: gap.enable.template for gap in judge(run, {}).vital_missing}
        assert gaps == ({"vital.reward": "reward-not-improving.ended_enable"} if is_missing else {})
