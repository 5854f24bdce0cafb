"""Tests that a run is judged by its steps where its rows are means over several."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.healthy_curves import Noise, grpo, ppo
from diagnostics.judge import judge
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.producers.setting_lookup import settings_of_run
from diagnostics.rules.cadence import steps_of_point

EACH = 10
STEPS = 250


def logged_every(run: Run, each: int, *, stated: bool = True) -> Run:
    """The run as a trainer logs it that writes the mean of so many steps in one row."""
    rows = len(run.steps) // each
    config = {**run.config, "logging_steps": each} if stated else run.config
    averaged = {
        name: replace(
            series,
            steps=np.arange(1, rows + 1) * each,
            values=series.values[: rows * each].reshape(rows, each).mean(axis=1),
        )
        for name, series in run.series.items()
    }
    settings = settings_of_run(run.producer, run.algorithm, config)
    quirks = frozenset({Quirk.AVERAGES_LOGGED_STEPS})
    return replace(run, series=averaged, config=config, settings=settings, quirks=quirks)


@pytest.mark.parametrize("phi", [0.0, 0.7])
@pytest.mark.parametrize("stated", [True, False])
def test_a_complete_healthy_run_of_25_rows_is_judged_healthy(phi: float, stated: bool) -> None:
    verdicts = [
        judge(logged_every(grpo(Noise(seed, STEPS, phi)), EACH, stated=stated), {}).verdict for seed in range(5)
    ]
    assert verdicts == ["healthy"] * 5


def test_a_reward_that_falls_within_25_rows_is_found() -> None:
    run = grpo(Noise(0, STEPS))
    reward = run.series["reward"]
    shape = np.interp(np.arange(STEPS), [0, 120, STEPS], [0.4, 1.2, 0.5])
    fallen = replace(run, series={**run.series, "reward": replace(reward, values=shape + 0.03 * Noise(1, STEPS)())})
    found = {outcome.rule for outcome in judge(logged_every(fallen, EACH), {}).fired}
    assert "reward-regression" in found


LONG = 400  # steps: 40 rows
SHAPES: dict[str, tuple[Callable[[Noise], Run], dict[str, list[float]]]] = {  # values at steps 0, 200, 201 and 400
    "grad-norm-sustained": (grpo, {"grad_norm": [1, 1, 5, 5]}),
    "kl-runaway": (grpo, {"kl_per_token": [0.25, 0.25, 1.2, 1.2]}),
    "kl-up-reward-flat": (grpo, {"kl_per_token": [0, 0.5, 0.5, 1], "reward": [0.5, 0.5, 0.5, 0.5]}),
    "lr-decayed-plateau": (grpo, {"learning_rate": [1e-6, 1e-6, 1e-9, 1e-9], "reward": [0.4, 1.2, 1.2, 1.2]}),
    "explained-variance-low": (ppo, {"explained_variance": [-0.9, -0.9, -0.9, -0.9]}),
    "value-loss-spike": (ppo, {"value_loss": [0.2, 0.2, 3, 3]}),
}


@pytest.mark.parametrize(("rule", "healthy", "shapes"), [(rule, *case) for rule, case in SHAPES.items()], ids=SHAPES)
def test_what_happens_over_steps_is_found_in_a_tenth_of_the_rows(
    rule: str, healthy: Callable[[Noise], Run], shapes: dict[str, list[float]]
) -> None:
    run, noise = healthy(Noise(0, LONG)), Noise(1, LONG)
    shaped = {
        name: np.interp(np.arange(LONG), [0, 200, 201, LONG], shape) * (1 + 0.02 * noise())
        for name, shape in shapes.items()
    }
    steps = next(iter(run.series.values())).steps
    series = {**run.series, **{name: Series(name, name, steps, values) for name, values in shaped.items()}}
    found = {outcome.rule for outcome in judge(logged_every(replace(run, series=series), EACH), {}).fired}
    assert rule in found


@pytest.mark.parametrize(
    ("rule", "rows"), [("entropy-collapse", 15), ("entropy-explosion", 11), ("length-collapse", 10)]
)
def test_entropy_and_length_want_so_many_rows_of_five_steps_and_say_so(rule: str, rows: int) -> None:
    def judged(count: int) -> Outcome:
        outcomes = judge(logged_every(grpo(Noise(0, 5 * count)), 5), {}).outcomes
        return next(outcome for outcome in outcomes if outcome.rule == rule)

    assert judged(rows).verdict is Verdict.QUIET
    assert judged(rows - 1).message.values == {"needed": rows, "found": rows - 1}


@pytest.mark.parametrize(
    ("rule", "metric", "shape"),
    [
        ("entropy-collapse", "entropy_per_token", [1, 1, 0.1, 0.1]),
        ("entropy-explosion", "entropy_per_token", [0.5, 0.5, 3, 3]),
        ("length-collapse", "length_mean", [200, 200, 40, 40]),
    ],
)
def test_what_entropy_and_length_do_is_found_in_twenty_rows_of_five_steps(
    rule: str, metric: str, shape: list[float]
) -> None:
    run = grpo(Noise(0, 100))
    values = np.interp(np.arange(100), [0, 20, 25, 100], shape) * (1 + 0.02 * Noise(1, 100)())
    flat = np.full(100, 0.3) + 0.02 * Noise(2, 100)()
    series = {name: replace(run.series[name], values=shaped) for name, shaped in ((metric, values), ("reward", flat))}
    found = judge(logged_every(replace(run, series={**run.series, **series}), 5), {}).fired
    assert rule in {outcome.rule for outcome in found}


@pytest.mark.parametrize("healthy", [grpo, ppo])
@pytest.mark.parametrize("phi", [0.0, 0.7])
def test_healthy_runs_in_a_tenth_of_the_rows_raise_no_alarm(healthy: Callable[[Noise], Run], phi: float) -> None:
    found = [judge(logged_every(healthy(Noise(seed, LONG, phi)), EACH), {}) for seed in range(10)]
    alarms = {outcome.rule for item in found for outcome in item.fired if outcome.severity is not Severity.INFO}
    assert alarms == set()


def test_rows_that_are_no_means_count_as_one_step_each() -> None:
    run = grpo(Noise(0, STEPS))
    sparse = replace(logged_every(run, EACH, stated=False), quirks=frozenset())
    assert steps_of_point(sparse, sparse.series["reward"]) == 1
    assert judge(sparse, {}).verdict == "no-problem-found"


def test_rows_further_apart_than_any_logging_interval_are_on_another_axis() -> None:
    run = logged_every(grpo(Noise(0, STEPS)), EACH, stated=False)
    by_tokens = replace(run.series["reward"], steps=run.series["reward"].steps * 2048)
    assert steps_of_point(run, by_tokens) == 1


@pytest.mark.parametrize("config", [{}, {"logging_steps": 1}])
def test_a_batch_that_is_used_for_two_steps_stands_for_both_whatever_settings_are_logged(
    config: dict[str, int],
) -> None:
    run = grpo(Noise(0, STEPS))
    reward = run.series["reward"]
    seldom = replace(reward, steps=reward.steps[::2], values=reward.values[::2])
    of_trl = replace(
        run,
        series={**run.series, "reward": seldom},
        config=config,
        settings=settings_of_run(run.producer, run.algorithm, config),
        quirks=frozenset({Quirk.AVERAGES_LOGGED_STEPS}),
    )
    assert steps_of_point(of_trl, seldom) == 2
    assert steps_of_point(of_trl, run.series["entropy_per_token"]) == 1


def test_rows_that_a_download_left_out_are_no_mean_of_them() -> None:
    run = logged_every(grpo(Noise(0, STEPS)), EACH)
    config = {"logging_steps": 1}
    sampled = replace(run, config=config, settings=settings_of_run(run.producer, run.algorithm, config))
    assert steps_of_point(sampled, run.series["reward"]) == 1
