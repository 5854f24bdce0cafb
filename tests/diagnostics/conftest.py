"""In-memory runs, written in series shorthand, and diagnoses of runs on disk: shared by all rooms."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series, Values
from diagnostics.model.status import Status
from diagnostics.producers.setting_lookup import settings_of_run
from diagnostics.runlog import RunLog

Diagnosed = Callable[..., Diagnosis]


def values_of(shorthand: str) -> Values:
    """ "0.02x9 1..5x3 nanx2": nine times 0.02, then three values from 1 to 5, then two NaN."""
    values: list[float] = []
    for word in shorthand.split():
        value, _, count = word.partition("x")
        start, _, end = value.partition("..")
        ramp = np.linspace(float(start), float(end), int(count)).tolist() if end else [float(start)] * int(count or 1)
        values += ramp
    return np.array(values)


@pytest.fixture
def make_run() -> Callable[..., Run]:
    """make_run("ppo", config={…}, total=50, kl_per_sequence="0.1x5 -1.5x7"): these metrics at steps 1, 2, …

    A reward function's metric is given as `functions={"reward_func_mean/accuracy": "0.1x50"}`.
    """

    def make(
        algorithm: str,
        *,
        config: Mapping[str, Any] | None = None,
        total: int | None = None,
        state: str = "unknown",
        rounded_to: float = 0.0,
        functions: Mapping[str, str | Values] | None = None,
        **metrics: str | Values,
    ) -> Run:
        logged = {**metrics, **(functions or {})}
        series = {name: _series(name, given) for name, given in logged.items()}
        return Run(
            path=Path("run"),
            run_id="run",
            name="run",
            sources=(),
            producer="trl",
            producer_version=None,
            algorithm=algorithm,
            series=series,
            config=config or {},
            settings=settings_of_run("trl", algorithm, config or {}),
            samples=Samples(),
            status=Status(state=state, total=total),
            data_health=DataHealth(rounded_to=rounded_to),
            observed_at=0.0,
        )

    return make


def _series(name: str, given: str | Values) -> Series:
    values = values_of(given) if isinstance(given, str) else given
    return Series(name, f"tag/{name}", np.arange(1, len(values) + 1, dtype=np.int64), values)


@pytest.fixture
def diagnosed(tmp_path: Path) -> Diagnosed:
    """Writes a run from one dictionary of metrics per step, reads it and diagnoses it."""

    def write(*rows: Mapping[str, float], name: str = "a", algorithm: str = "ppo") -> Diagnosis:
        with RunLog(tmp_path / "a", name=name, algorithm=algorithm, config={"learning_rate": 0.005}, total=50) as log:
            for step, metrics in enumerate(rows, start=1):
                log.log(step, metrics)
        return diagnose(open_run(tmp_path / "a"))

    return write


@pytest.fixture
def broken_critic(diagnosed: Diagnosed) -> Diagnosis:
    """A PPO run whose value loss is NaN from step 11 to step 20, the last one."""
    rows = [{"objective/scores": step / 20, "loss/value_avg": math.nan if step > 10 else 0.1} for step in range(1, 21)]
    return diagnosed(*rows)
