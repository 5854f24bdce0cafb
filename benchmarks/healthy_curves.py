"""Simulated healthy training curves: PPO and GRPO runs that learn, with autocorrelated or heavy-tailed noise."""

from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series, Values
from diagnostics.model.status import Status
from diagnostics.producers.setting_lookup import settings_of_run

LEARNING_POINTS = 250  # in logged points: the time constant with which reward and KL approach their final values
GRPO = {"num_generations": 8, "num_iterations": 4, "max_completion_length": 512, "beta": 0.04}
PPO = {"response_length": 53, "num_ppo_epochs": 4, "num_mini_batches": 1, "per_device_train_batch_size": 64}


class Noise:
    """AR(1) noise of unit variance, normal or with the tails of Student's t with three degrees of freedom."""

    def __init__(self, seed: int, points: int, phi: float = 0.0, *, is_heavy: bool = False) -> None:
        self._generator, self._phi, self._is_heavy = np.random.default_rng(seed), phi, is_heavy
        self.points = points

    def __call__(self) -> Values:
        """(N,) new noise."""
        size, draw = self.points, self._generator
        drawn = draw.standard_t(3, size) / 3**0.5 if self._is_heavy else draw.normal(size=size)
        shocks = drawn * (1 - self._phi**2) ** 0.5
        return np.array(list(accumulate(shocks.tolist(), lambda last, shock: self._phi * last + shock)))


def grpo(noise: Noise) -> Run:
    """A GRPO run with two reward functions, one of them learned."""
    learned = _learning_curve(noise.points)
    accuracy, form = (np.clip(level + 0.03 * noise(), 0, 1) for level in (0.3 + 0.5 * learned, 0.5 + 0 * learned))
    return _run("grpo", GRPO, noise.points, {
        "reward_func_mean/accuracy": accuracy,
        "reward_func_mean/format": form,
        "reward_func_std/accuracy": 0.3 * np.exp(0.1 * noise()),
        "reward_func_std/format": 0.3 * np.exp(0.1 * noise()),
        "reward": accuracy + form,
        "reward_std": 0.3 * np.exp(0.2 * noise()),
        "zero_std_fraction": np.clip(0.25 + 0.05 * noise(), 0, 1),
        "kl_per_token": 0.15 * learned * np.exp(0.1 * noise()),
        "entropy_per_token": (1 - 0.7 * learned) * np.exp(0.05 * noise()),
        "clip_ratio_region_mean": 0.01 * np.exp(0.3 * noise()),
        "clip_ratio_high_mean": 0.005 * np.exp(0.5 * noise()),
        "clip_ratio_low_mean": 0.005 * np.exp(0.5 * noise()),
        "length_mean": 200 * np.exp(0.08 * noise()),
        "truncated_fraction": np.clip(0.03 + 0.01 * noise(), 0, 1),
        "grad_norm": np.exp(0.3 * noise()),
        "learning_rate": np.full(noise.points, 1e-6),
        "loss": 0.01 * noise(),
    })  # fmt: skip


def ppo(noise: Noise) -> Run:
    """A PPO run whose score rises and whose critic settles."""
    learned = _learning_curve(noise.points)
    score, kl = 0.3 + 0.5 * learned + 0.05 * noise(), 6 * learned * np.exp(0.1 * noise())
    settling = 5 * np.exp(-np.arange(noise.points) / 20)
    return _run("ppo", PPO, noise.points, {
        "eval/score": 0.3 + 0.5 * learned + 0.03 * noise(),
        "score": score,
        "kl_per_sequence": kl,
        "non_score_reward": -0.02 * kl,
        "rlhf_reward": score - 0.02 * kl,
        "ratio_mean": 1 + 0.004 * noise(),
        "approx_kl": 0.003 * np.exp(0.4 * noise()),
        "clip_fraction": 0.02 * np.exp(0.3 * noise()),
        "value_loss": (0.2 + settling) * np.exp(0.3 * noise()),
        "entropy_per_token": (1 - 0.7 * learned) * np.exp(0.05 * noise()),
        "length_mean": 35 * np.exp(0.05 * noise()),
        "grad_norm": np.exp(0.3 * noise()),
        "learning_rate": np.full(noise.points, 3e-6),
    })  # fmt: skip


def widened(run: Run, series: int) -> Run:
    """The run padded with series of unmapped tags to a given total."""
    model = next(iter(run.series.values()))
    more = {f"extra/{index}": replace(model, name=f"extra/{index}") for index in range(series - len(run.series))}
    return replace(run, series={**run.series, **more})


def _learning_curve(points: int) -> Values:
    return 1 - np.exp(-np.arange(points) / LEARNING_POINTS)


def _run(algorithm: str, config: dict[str, Any], points: int, logged: dict[str, Values]) -> Run:
    steps = np.arange(1, points + 1, dtype=np.int64)
    return Run(
        path=Path(algorithm),
        run_id=algorithm,
        name=algorithm,
        sources=(),
        producer="trl",
        producer_version=None,
        algorithm=algorithm,
        series={name: Series(name, name, steps, values) for name, values in logged.items()},
        config=config,
        settings=settings_of_run("trl", algorithm, config),
        samples=Samples(),
        status=Status(state="finished", total=points),
        data_health=DataHealth(),
        observed_at=0.0,
    )
