"""Faults in real trainings: switched on at their step, logged, and surviving a resume."""

import json
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from tests.trainer.clocks import CLOCKS
from tests.trainer.forked import run_forked

pytestmark = pytest.mark.process

QUICK = ("--per_device_train_batch_size", "16", "--report_to", "none")


def train(folder: Path, *words: str) -> dict[int, dict[str, float]]:
    """Step → what was logged, without times."""
    run_forked(folder.parent, "train", *words).check_returncode()
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]
    return {
        event["step"]: {name: value for name, value in event["metrics"].items() if name not in CLOCKS}
        for event in events
    }


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, float]]:
    folder = tmp_path_factory.mktemp("runs") / "healthy"
    return train(folder, "grpo", *QUICK, "--max_steps", "4", "--save_strategy", "no", "--run_dir", str(folder))


@pytest.fixture(scope="module")
def sick_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose reward becomes chance at step 3."""
    return tmp_path_factory.mktemp("runs") / "sick"


@pytest.fixture(scope="module")
def sick(sick_folder: Path) -> dict[int, dict[str, float]]:
    words = ("--fault", "random-reward", "--fault_step", "3", "--max_steps", "4", "--save_strategy", "no")
    return train(sick_folder, "grpo", *QUICK, *words, "--run_dir", str(sick_folder))


def test_a_run_is_the_healthy_one_up_to_the_onset(
    healthy: dict[int, dict[str, float]], sick: dict[int, dict[str, float]]
) -> None:
    assert [sick[step] == healthy[step] for step in (1, 2, 3, 4)] == [True, True, False, False]
    assert ["rewards/random/mean" in sick[step] for step in (1, 2, 3, 4)] == [False, False, True, True]


def test_the_run_tells_its_fault_and_when_it_began(sick_folder: Path, sick: dict[int, dict[str, float]]) -> None:
    run = json.loads((sick_folder / "run.json").read_text("utf-8"))
    assert run["fault"] == {"name": "random-reward", "onset_step": 3, "changes": {"reward_funcs": ["random"]}}


def test_a_diagnosis_does_not_see_the_label(sick_folder: Path, sick: dict[int, dict[str, float]]) -> None:
    labelled = diagnose(open_run(sick_folder))
    file = sick_folder / "run.json"
    described = json.loads(file.read_text("utf-8"))
    del described["fault"]
    described["config"] |= {"fault": None, "fault_step": 1}
    file.write_text(json.dumps(described))
    assert diagnose(open_run(sick_folder)).outcomes == labelled.outcomes


def test_a_fault_survives_a_resume(tmp_path: Path, sick: dict[int, dict[str, float]]) -> None:
    words = ("--fault", "random-reward", "--fault_step", "3", "--save_steps", "3", "--max_steps", "3")
    folder = tmp_path / "resumed"
    train(folder, "grpo", *QUICK, *words, "--run_dir", str(folder))
    assert train(folder, "--resume", str(folder), "--max_steps", "4") == sick


def test_a_learning_rate_changes_at_the_onset_for_policy_and_value_model_alike(tmp_path: Path) -> None:
    folder = tmp_path / "still"
    words = ("--fault", "learning-rate-zero", "--fault_step", "3", "--max_steps", "4", "--warmup_steps", "0")
    events = train(folder, "ppo", *QUICK, *words, "--save_strategy", "no", "--run_dir", str(folder))
    assert [events[step]["lr"] > 0 for step in (1, 2, 3, 4)] == [True, True, False, False]
    assert [events[step]["policy/approxkl_avg"] > 1e-9 for step in (2, 3, 4)] == [True, False, False]
