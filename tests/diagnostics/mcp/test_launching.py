"""A training that a program launches goes through the queue, into a folder of its own below those shown."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.foreign_files import confine_to
from diagnostics.mcp import launching
from diagnostics.mcp.answers import ToolProblem
from diagnostics.mcp.opening import Library
from diagnostics.runlog.parent import SAMPLE_RUNS
from trainer.launch.queue import Queue

pytestmark = pytest.mark.process

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
SETTINGS = {"max_steps": 1, "report_to": "none", "num_sample_generations": 0, "save_strategy": "no"}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """The runs of a folder, and an empty queue of one slot; what still runs of it at the end is killed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    queue = Queue.of_user()
    queue.set_slots(cpu=1, gpu=0)
    (tmp_path / "runs").mkdir()
    yield Library((tmp_path / "runs",))
    confine_to(None)
    for job in queue.jobs():
        if job.process is not None and job.process.is_alive:
            os.killpg(job.process.pid, signal.SIGKILL)


def test_a_training_waits_for_its_slot_and_leaves_the_queue_when_it_is_stopped(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "_SECONDS_FOR_A_SLOT", 0.5)
    monkeypatch.chdir(tmp_path)
    launching._queue("add", after=SLEEPER)
    first, second = (launching.launch(library, "grpo", SETTINGS, "", apply_fixes=False) for _ in range(2))
    assert [Path(job["run"]).name for job in (first, second)] == ["grpo-1", "grpo-2"]
    assert [(job["state"], job["jobs_before_it"]) for job in (first, second)] == [("queued", 1), ("queued", 2)]
    assert "not begun yet" in first["says"]
    told = launching.stop(library, "", second["job"])
    assert (told["jobs"][0]["state"], told["says"]) == ("killed", f"job {second['job']} is out of the queue")
    assert [(job["job"], job["state"]) for job in launching.jobs(library)["jobs"]] == [
        (first["job"], "queued"),
        (second["job"], "killed"),
    ]  # what else is queued here is not for this program to see, nor to stop
    with pytest.raises(ToolProblem, match="there is no job 1 with a run below the folders shown"):
        launching.stop(library, "", 1)
    assert Queue.of_user().job(1).state == "running"
    assert not (tmp_path / "runs" / "grpo-2").exists()


def test_a_run_is_relaunched_with_the_fixes_of_its_diagnosis(library: Library, tmp_path: Path) -> None:
    (tmp_path / "runs" / "sick").symlink_to(SAMPLE_RUNS / "cut-off")
    with pytest.raises(ToolProblem, match="is no path below the folders shown"):
        launching.launch(library, "", SETTINGS, "sick", apply_fixes=True)
    shown = Library((tmp_path / "runs", SAMPLE_RUNS))
    job = launching.launch(shown, "", SETTINGS, "cut-off", apply_fixes=True)
    assert (Path(job["run"]), job["state"]) == (tmp_path / "runs" / "relaunched-1", "running")
    assert "--max_completion_length" in Queue.of_user().job(job["job"]).spec.words


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"learning_rat": 1}, "there is no option 'learning_rat'"),
        ({"config": "x"}, "no setting of a training that can be"),
    ],
)
def test_a_setting_that_does_not_exist_leaves_nothing_behind(
    library: Library, tmp_path: Path, settings: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ToolProblem, match=sentence):
        launching.launch(library, "grpo", settings, "", apply_fixes=False)
    assert list((tmp_path / "runs").iterdir()) == []
    assert launching.jobs(library)["found"] == 0


def test_a_training_that_fails_at_once_is_told(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    settings = {**SETTINGS, "model_name_or_path": str(tmp_path / "no-model")}
    with pytest.raises(ToolProblem, match="no-model"):
        launching.launch(library, "grpo", settings, "", apply_fixes=False)
