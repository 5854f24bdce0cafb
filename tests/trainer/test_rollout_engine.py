"""GRPO with an engine apart from the trainer: the same training where nothing is wrong, and what is seen where it is.

All trainings run in one process, one after another.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from diagnostics.api import open_run
from tests.trainer.clocks import CLOCKS, STAGES
from tests.trainer.one_process import run_trainings

pytestmark = pytest.mark.process

APART = "sampling/sampling_logp_difference"
WEIGHTS = "sampling/importance_sampling_ratio"
SHARED = {
    "task": "addition",
    "max_steps": "6",
    "per_device_train_batch_size": "32",
    "learning_rate": "1e-3",
    "beta": "0.04",
    "num_iterations": "2",
    "report_to": "none",
    "save_strategy": "no",
    "num_sample_generations": "0",
    "histogram_steps": "0",
    "use_cpu": "true",
    "num_threads": "1",
}
SEPARATE = {"rollout_engine": "separate"}
TRAININGS = {
    "shared": {},
    "separate": SEPARATE,
    "uncorrected": {**SEPARATE, "vllm_importance_sampling_correction": "false"},
    "token": {**SEPARATE, "vllm_importance_sampling_mode": "token_truncate"},
    "stale": {**SEPARATE, "async_staleness": "2"},
    "never-synced": {**SEPARATE, "fault": "engine-never-synced", "fault_step": "3"},
    "fault-alone": {"fault": "engine-stale", "fault_step": "4"},
    "rounded": {**SEPARATE, "rollout_dtype": "float8_e4m3fn"},
    "adapter": {**SEPARATE, "use_peft": "true", "lora_r": "2"},
    "adapter-stale": {**SEPARATE, "use_peft": "true", "lora_r": "2", "async_staleness": "1"},
}
SCRIPT = """
import json, sys
from trainer.main import main
for name, words in json.loads(sys.argv[1]).items():
    if code := main(words):
        sys.exit(f"{name} ended with {code}")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a run of each training."""
    folder = tmp_path_factory.mktemp("engine")
    words = {
        name: ["train", "grpo", "--run_dir", name, *(f"--{key}={value}" for key, value in {**SHARED, **values}.items())]
        for name, values in TRAININGS.items()
    }
    run_trainings(folder, SCRIPT, words)
    return folder


@pytest.fixture(scope="module")
def steps(folder: Path) -> Mapping[str, list[dict[str, float]]]:
    """Training → each step's metrics without its times."""
    return {
        name: [{metric: value for metric, value in row.items() if metric not in CLOCKS} for row in logged(folder, name)]
        for name in TRAININGS
    }


def logged(folder: Path, name: str) -> list[dict[str, float]]:
    """Each step's metrics."""
    events = (folder / name / "events.jsonl").read_text("utf-8")
    return [json.loads(line)["metrics"] for line in events.splitlines()]


def column(rows: list[dict[str, float]], metric: str) -> list[float]:
    return [row[metric] for row in rows]


@pytest.mark.parametrize("name", ["separate", "uncorrected", "token"])
def test_an_engine_with_the_policys_weights_makes_the_training_of_the_policy_itself(steps, name):
    for alone, apart in zip(steps["shared"], steps[name], strict=True):
        assert {metric: apart[metric] for metric in alone} == pytest.approx(alone, rel=1e-3, abs=1e-4)


def test_an_engine_with_the_policys_weights_has_its_probabilities_too(steps):
    assert max(column(steps["separate"], f"{APART}/max")) < 1e-4
    assert max(column(steps["separate"], f"{APART}/mean")) < 1e-6
    for which in ("min", "mean", "max"):
        assert column(steps["separate"], f"{WEIGHTS}/{which}") == pytest.approx([1.0] * 6, abs=1e-3)
    assert column(steps["separate"], "sample/staleness_max") == [0.0] * 6


def test_the_policy_itself_logs_nothing_of_an_engine_and_an_uncorrected_one_no_weights(steps):
    of_engine = {name: {metric for metric in steps[name][0] if metric.startswith("samp")} for name in TRAININGS}
    apart, stale = {f"{APART}/mean", f"{APART}/max"}, {"sample/staleness_mean", "sample/staleness_max"}
    assert of_engine["shared"] == set()
    assert of_engine["uncorrected"] == {*apart, *stale}
    assert of_engine["separate"] == {*apart, *stale, *(f"{WEIGHTS}/{which}" for which in ("min", "mean", "max"))}


def test_scoring_under_the_policy_and_the_transfer_of_the_weights_are_stages_of_their_own(folder):
    times = {
        name: [{metric for metric in row if metric.startswith("perf/")} for row in logged(folder, name)]
        for name in ("shared", "separate")
    }
    assert times["shared"] == [STAGES] * 6
    assert times["separate"] == [STAGES | {"perf/old_logprobs_s", "perf/weight_sync_s"}] * 6
    run = open_run(folder / "separate")
    for row, scored, sent in zip(
        logged(folder, "separate"),
        run.series["old_logprobs_time"].values,
        run.series["weight_sync_time"].values,
        strict=True,
    ):
        assert (row["perf/old_logprobs_s"], row["perf/weight_sync_s"]) == (scored, sent)
        assert 0 < scored < row["step_time"]
        assert 0 < sent < row["step_time"]


def test_stale_weights_are_counted_and_are_apart_from_the_second_step_on(steps):
    assert column(steps["stale"], "sample/staleness_mean") == [0.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    first, *later = column(steps["stale"], f"{APART}/mean")
    assert first < 1e-6
    assert min(later) > 1e-3


def test_weights_that_never_arrive_drift_apart_unnoticed(steps):
    apart = column(steps["never-synced"], f"{APART}/mean")
    assert column(steps["never-synced"], "sample/staleness_max") == [0.0] * 6
    assert max(apart[:3]) < 1e-6
    assert apart[3:] == sorted(apart[3:])
    assert apart[3] > 1e-3
    assert steps["never-synced"][:2] == steps["separate"][:2]


def test_a_fault_of_the_engine_brings_its_engine_from_the_first_step_on(folder, steps):
    assert column(steps["fault-alone"], "sample/staleness_max") == [0.0, 0.0, 0.0, 3.0, 4.0, 5.0]
    described = json.loads((folder / "fault-alone" / "run.json").read_text("utf-8"))
    assert described["config"]["rollout_engine"] == "separate"
    assert described["fault"]["changes"] == {"async_staleness": 8, "vllm_importance_sampling_correction": False}


def test_rounded_weights_are_apart_from_the_first_step_on(steps):
    assert min(column(steps["rounded"], f"{APART}/mean")) > 1e-3
    assert max(column(steps["rounded"], "sample/staleness_max")) == 0.0


def test_an_adapters_engine_follows_it(steps):
    assert max(column(steps["adapter"], f"{APART}/max")) < 1e-4
    first, *later = column(steps["adapter-stale"], f"{APART}/mean")
    assert first < 1e-6
    assert later[-1] > first


def test_the_metrics_of_an_engine_are_understood_by_the_diagnosis(folder):
    run = open_run(folder / "stale")
    assert run.series["engine_logprob_difference"].values[-1] > 0
    assert run.series["staleness_mean"].values.tolist() == [0.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    assert run.data_health.unmapped_tags == ()
