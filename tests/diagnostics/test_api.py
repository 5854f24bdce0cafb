"""Tests of the public API: opening, following and diagnosing a run, with real processes that write and die."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from diagnostics.api import LiveRun, UnreadableRun, diagnose, find_runs, open_run, watch
from diagnostics.runlog import RunLog

FIXTURES = Path(__file__).parents[1] / "fixtures" / "trl"

WRITE_FOREVER = """
import sys
from diagnostics.runlog import RunLog
log = RunLog(sys.argv[1], algorithm="grpo")
step = 0
while True:
    step += 1
    log.log(step, {"reward": float(step)}, samples=[{"query": "q", "response": "r" * 2000, "score": 1.0}] * 8)
    print(step, flush=True)
"""
HEAVY = ["torch", "transformers", "accelerate", "streamlit", "pandas", "plotly", "wandb", "tensorboard", "tensorflow"]
LIST_MODULES = "import sys, diagnostics.api; print(*{name.split('.')[0] for name in sys.modules})"


@pytest.mark.process
def test_a_killed_process_loses_no_step_that_was_logged(tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", WRITE_FOREVER, run_dir], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(200):
            process.stdout.readline()
        assert open_run(run_dir).status.state == "running"
        process.send_signal(signal.SIGKILL)
        told = [int(line) for line in process.stdout.read().split()]
    logged = max(told, default=200)

    run = open_run(run_dir)

    assert (run.status.state, run.status.is_ours) == ("died", False)
    assert logged <= run.status.step <= logged + 1
    assert list(range(1, run.status.step + 1)) == run.series["reward"].steps.tolist()
    assert all(len(run.samples.at(step)) == 8 for step in (1, logged))
    assert run.status.last_written is not None
    assert time.time() - run.status.last_written < 60


def test_a_name_longer_than_any_path_is_cut_and_others_stay_as_they_are(tmp_path: Path) -> None:
    for name, shown in (("two  blanks", "two  blanks"), ("x" * 5000, "x" * 4095 + "…")):
        folder = tmp_path / str(len(name))
        with RunLog(folder, name=name, algorithm="grpo") as log:
            log.log(1, {"reward": 1.0})

        (ref,) = find_runs(folder)

        assert (ref.name, open_run(ref).name) == (shown, shown)


@pytest.mark.process
def test_importing_the_interface_loads_nothing_heavy() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LIST_MODULES], capture_output=True, text=True, check=True
    ).stdout.split()

    assert [name for name in HEAVY if name in loaded] == []


def test_a_live_run_tells_only_what_is_new(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        live = LiveRun(tmp_path / "a")
        assert live.refresh().series == {}
        assert live.refresh() is None
        log.log(1, {"loss": 0.5})
        assert live.refresh().series["loss"].values.tolist() == [0.5]
    assert live.refresh().status.state == "finished"
    assert live.refresh() is None


def test_watching_ends_with_the_run(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "a")

    def train() -> None:
        for step in range(1, 6):
            log.log(step, {"loss": 1.0})
            time.sleep(0.02)
        log.close()

    threading.Thread(target=train).start()
    seen = list(watch(tmp_path / "a", interval=0.005))

    assert (seen[-1].status.state, seen[-1].status.step) == ("finished", 5)
    assert len(seen) > 2


def test_a_diagnosis_holds_its_run_and_the_rules_outcomes() -> None:
    run = open_run(FIXTURES / "ppo112_nmb1")

    diagnosis = diagnose(run)

    assert diagnosis.run is run
    assert len(diagnosis.outcomes) > 3


def test_every_fixture_can_be_diagnosed() -> None:
    found = find_runs(FIXTURES)

    assert len(found) == 11
    assert [
        outcome for ref in found for outcome in diagnose(open_run(ref.path)).outcomes if outcome.verdict == "broken"
    ] == []


def test_a_folder_around_one_run_stands_for_it() -> None:
    assert open_run(FIXTURES / "rloo116").algorithm == "rloo"


def test_a_folder_of_two_runs_asks_which_one() -> None:
    with pytest.raises(UnreadableRun, match="holds 2 runs, open one of them"):
        open_run(FIXTURES / "grpo116")


def test_a_truncated_event_file_gives_what_is_before_the_cut(tmp_path: Path) -> None:
    (source,) = (FIXTURES / "ppo112_nmb1").rglob("events.out.tfevents.*")
    (tmp_path / source.name).write_bytes(source.read_bytes()[:-30])

    run = open_run(tmp_path)

    assert run.algorithm == "ppo"
    assert any("ends within a record" in note for note in run.notes)


def test_a_model_card_that_comes_with_the_end_names_the_version(tmp_path: Path) -> None:
    (source,) = (FIXTURES / "rloo116").rglob("events.out.tfevents.*")
    folder = tmp_path / "out" / "runs" / "Nov21_02-10-44_vm"
    folder.mkdir(parents=True)
    (folder / source.name).write_bytes(source.read_bytes())
    live = LiveRun(tmp_path)

    assert live.refresh().producer_version is None
    (tmp_path / "out" / "README.md").write_text("- TRL: 1.16.0\n")
    assert live.refresh().producer_version == "1.16.0"


def test_a_file_that_cannot_be_read_is_told_in_one_sentence(tmp_path: Path) -> None:
    RunLog(tmp_path / "a").close()
    (tmp_path / "a" / "events.jsonl").unlink()
    (tmp_path / "a" / "events.jsonl").mkdir()

    with pytest.raises(UnreadableRun, match=r"a/events\.jsonl cannot be read: it is a folder, not a file"):
        open_run(tmp_path / "a")
