"""Real trainings whose rollout engine was broken on purpose: each fault names its cause; sound engines are quiet."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from diagnostics.causes import ranked_causes
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

RUNS = json.loads((Path(__file__).parents[2] / "fixtures" / "engine_runs" / "runs.json").read_text())
CAUSES = {
    "healthy": None,
    "bf16": None,  # rounded weights: as far apart as sound engines are
    "fp8": None,
    "stale-corrected": None,  # what asynchronous training is meant to be
    "never-synced": "weights-not-synced",
    "never-synced-mid": "weights-not-synced",
    "stale": "samples-stale",  # and nothing corrects for it
    "stale-mid": "samples-stale",
    "truncated": "sampling-unlike-policy",
    "truncated-mid": "sampling-unlike-policy",
}
OF_ENGINE = {"weights-not-synced", "samples-stale", "engine-mismatch", "sampling-unlike-policy", "experts-routed-apart"}


@pytest.mark.parametrize("name", RUNS)
def test_a_broken_engine_is_named_and_a_sound_one_is_not(make_run: Callable[..., Run], name: str) -> None:
    logged = {metric: np.array(values, dtype=float) for metric, values in RUNS[name]["metrics"].items()}
    config = RUNS[name]["config"]
    run = make_run("grpo", config={**config, "max_staleness": config["async_staleness"]}, **logged)
    found = [cause for cause in ranked_causes(run, evaluate(run)) if cause.cause in OF_ENGINE]
    told = [cause.cause for cause in found if cause.severity is not Severity.INFO]
    expected = CAUSES[name.partition("-")[2]]
    assert told == ([expected] if expected else [])
