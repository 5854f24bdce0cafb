"""What the tests of reports share: diagnoses of runs that were written to disk and read back."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.runlog import RunLog

Diagnosed = Callable[..., Diagnosis]


@pytest.fixture
def diagnosed(tmp_path: Path) -> Diagnosed:
    """Writes a run from one dictionary of metrics for each step, reads it and diagnoses it."""

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
