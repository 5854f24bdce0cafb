"""Tests of grouping: several logs of one training are one run, logs of several trainings stay several."""

import json
import shutil
import time
from pathlib import Path

import numpy as np

from benchmarks.event_files import event, framed, scalar
from diagnostics.api import find_runs, open_run
from diagnostics.readers.base import RunRef
from diagnostics.readers.grouping import group_runs
from diagnostics.readers.run_parts import start_time
from diagnostics.runlog import RunLog

FIXTURES = Path(__file__).parents[2] / "fixtures" / "trl"


def formats(path: Path) -> list[set[str]]:
    return [{source.format for source in open_run(ref).sources} for ref in find_runs(path)]


def test_four_logs_of_one_training_are_one_run() -> None:
    run = open_run(FIXTURES / "ppo112_nmb1")

    assert {source.format for source in run.sources} == {"tensorboard", "wandb", "trackio", "trainer-state"}
    assert run.status.state == "finished"
    assert not any("disagree" in note for note in run.notes)
    assert run.samples.steps == (1, 5)


def test_every_format_of_one_training_gives_the_same_series(tmp_path: Path) -> None:
    source, runs = FIXTURES / "ppo112_nmb1", {}
    for name, part in {"tensorboard": "out/runs", "wandb": "wandbdir", "trackio": "trackio", "state": "out"}.items():
        shutil.copytree(source / part, tmp_path / name, ignore=shutil.ignore_patterns("runs" if part == "out" else ""))
        shutil.copyfile(source / "out" / "README.md", tmp_path / name / "README.md")
        runs[name] = open_run(tmp_path / name)

    for name in ("kl_per_sequence", "scaled_score", "score", "ratio_mean", "value_loss", "learning_rate"):
        if name not in runs["tensorboard"].series:
            continue
        expected = runs["tensorboard"].series[name]
        for other in ("wandb", "trackio", "state"):
            found = runs[other].series[name]
            assert expected.steps.tolist() == found.steps.tolist(), (name, other)
            assert np.allclose(expected.values, found.values, rtol=1e-6, equal_nan=True), (name, other)
    assert {run.algorithm for run in runs.values()} == {"ppo"}


def test_samples_are_found_beside_the_event_files() -> None:
    found = {ref.name: open_run(ref) for ref in find_runs(FIXTURES / "grpo116")}

    assert {"tensorboard", "wandb", "completions"} == {source.format for source in found["grpo116/out"].sources}
    assert found["grpo116/out"].samples.steps == (1, 2, 3, 4, 5, 6)
    assert found["out_conv"].samples.steps == ()


def test_two_trainings_that_began_at_other_times_stay_two(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "ppo112_nmb2" / "out", tmp_path / "out")
    shutil.copytree(FIXTURES / "ppo112_nmb1" / "wandbdir", tmp_path / "wandbdir")

    assert sorted(map(sorted, formats(tmp_path))) == [["tensorboard"], ["wandb"]]


def test_two_trainings_that_began_within_seconds_of_each_other_stay_two(tmp_path: Path) -> None:
    (events,) = (FIXTURES / "ppo112_nmb2").rglob("events.out.tfevents.*")
    wandb = shutil.copytree(FIXTURES / "ppo112_nmb1" / "wandbdir", tmp_path / "wandbdir")
    (log,) = (ref for ref in find_runs(wandb))
    began = start_time(log)
    assert began is not None
    (tmp_path / "runs").mkdir()
    shutil.copyfile(events, tmp_path / "runs" / f"events.out.tfevents.{int(began)}.vm.25424.0")

    assert sorted(map(sorted, formats(tmp_path))) == [["tensorboard"], ["wandb"]]


def test_a_training_that_lies_in_two_folders_is_listed_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(FIXTURES / "ppo112_nmb1", tmp_path / name)

    assert [ref.path for ref in find_runs(tmp_path)] == [tmp_path / "a"]
    assert formats(tmp_path) == [{"tensorboard", "wandb", "trackio", "trainer-state"}]
    assert [ref.path for ref in find_runs(tmp_path / "b")] == [tmp_path / "b"]


def test_of_a_training_and_its_older_copy_the_fuller_one_is_listed(tmp_path: Path) -> None:
    (events,) = (FIXTURES / "ppo112_nmb2").rglob("events.out.tfevents.*")
    for name, size in {"backup": 8000, "out": None}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / events.name).write_bytes(events.read_bytes()[:size])

    assert [ref.path for ref in find_runs(tmp_path)] == [tmp_path / "out"]


def test_a_copy_that_trained_on_by_itself_is_a_training_of_its_own(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        log.log(1, {"loss": 0.5})
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert [ref.path for ref in find_runs(tmp_path)] == [tmp_path / "a"]

    for name, loss in {"a": 0.25, "b": 0.125}.items():
        with (tmp_path / name / "events.jsonl").open("a") as events:
            events.write(json.dumps({"step": 2, "metrics": {"loss": loss}}) + "\n")

    assert [ref.path for ref in find_runs(tmp_path)] == [tmp_path / "a", tmp_path / "b"]


def test_a_text_of_several_trainings_that_lies_in_two_folders_is_listed_once(tmp_path: Path) -> None:
    rows = "".join(f"{{'loss': {step / 8 + 0.01}, 'epoch': {step / 5}}}\n" for step in range(1, 6))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.log").write_text(rows + rows.replace("0.135", "0.145").replace(".01", ".02"))

    assert [ref.path for ref in find_runs(tmp_path)] == [tmp_path / "a" / "train.log" / number for number in "12"]


def test_two_failures_that_read_the_same_are_two(tmp_path: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "/venv/trl/trainer.py", line 7, in train\nMemoryError\n'
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(text)

    assert [ref.path.name for ref in find_runs(tmp_path)] == ["a.log", "b.log"]


def test_of_the_event_files_of_a_stage_the_trainers_state_joins_the_one_with_its_values(tmp_path: Path) -> None:
    stage, source = tmp_path / "stage", FIXTURES / "ppo112_nmb1"
    (stage / "logs").mkdir(parents=True)
    for name in ("ppo112_nmb1", "ppo112_nmb2"):
        (events,) = (FIXTURES / name).rglob("events.out.tfevents.*")
        shutil.copy(events, stage / "logs")
    shutil.copytree(source / "out" / "checkpoint-8", stage / "checkpoint-8")

    assert formats(tmp_path) == [{"tensorboard", "trainer-state"}, {"tensorboard"}]


def test_trainings_that_log_the_same_at_other_times_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for name, began in {"a": 1.7e9, "b": 1.7e9 + 900}.items():
        told = [event(step, began + step, scalar("train/loss", step / 8 + 0.01)) for step in range(1, 6)]
        (tmp_path / name / "runs").mkdir(parents=True)
        (tmp_path / name / "runs" / f"events.out.tfevents.{int(began)}.vm.1.0").write_bytes(framed(told))
        rows = "".join(f"{{'loss': {step / 8 + 0.01}, 'epoch': {step / 5}}}\n" for step in range(1, 6))
        (tmp_path / name / "train.log").write_text(f"{name}\n{rows}")

    found = find_runs(tmp_path)

    assert [[part.path.relative_to(tmp_path).parts[0] for part in ref.parts] for ref in found] == [["a"] * 2, ["b"] * 2]


def test_a_state_of_none_of_the_event_files_is_a_training_of_its_own(tmp_path: Path) -> None:
    stage = tmp_path / "stage"
    (stage / "logs").mkdir(parents=True)
    for name in ("ppo112_nmb2", "ppo112_min"):
        (events,) = (FIXTURES / name).rglob("events.out.tfevents.*")
        shutil.copy(events, stage / "logs")
    shutil.copytree(FIXTURES / "ppo112_nmb1" / "out" / "checkpoint-8", stage / "checkpoint-8")

    assert sorted(map(sorted, formats(tmp_path))) == [["tensorboard"], ["tensorboard"], ["trainer-state"]]


def output_folder(folder: Path, of_the_state: float, of_the_events: float) -> Path:
    """A Trainer's output folder: its state, its event files and a table of samples."""
    names, steps = ("loss", "reward", "entropy"), range(1, 21)
    began = 1.7e9
    told = [
        event(
            step,
            began + step,
            *(scalar(f"train/{name}", step / 8 + of_the_events + place) for place, name in enumerate(names)),
        )
        for step in steps
    ]
    (folder / "runs" / "a").mkdir(parents=True)
    (folder / "runs" / "a" / f"events.out.tfevents.{int(began)}.vm.1.0").write_bytes(framed(told))
    rows = [
        {name: step / 8 + of_the_state + place for place, name in enumerate(names)} | {"step": step} for step in steps
    ]
    (folder / "trainer_state.json").write_text(json.dumps({"global_step": 20, "max_steps": 20, "log_history": rows}))
    shutil.copytree(FIXTURES / "grpo116" / "out" / "completions", folder / "completions")
    return folder


def test_a_state_that_an_earlier_training_left_in_the_folder_is_not_joined_to_the_only_log(tmp_path: Path) -> None:
    same = output_folder(tmp_path / "same", 0.01, 0.01)
    other = output_folder(tmp_path / "other", 0.01, 0.26)

    assert formats(same) == [{"tensorboard", "trainer-state", "completions"}]
    assert sorted(map(sorted, formats(other))) == [["completions", "tensorboard"], ["trainer-state"]]


def grouping_seconds(folder: Path, runs: int) -> float:
    """The CPU time that grouping so many runs takes, each with a log, a state and completions."""
    refs: list[RunRef] = []
    for number in range(runs):
        home = folder / f"out-{number}"
        refs.append(RunRef(home / "runs" / "a", "tensorboard", "a", home))
        refs += [RunRef(home, "trainer-state", "a", home), RunRef(home / "completions", "completions", "a", home)]
    before = time.process_time()
    found = group_runs(refs)
    seconds = time.process_time() - before
    assert [len(ref.parts) for ref in found] == [3] * runs
    assert {ref.path.parent for ref in found} == {folder}
    return seconds


def test_a_thousand_runs_are_not_compared_pair_by_pair(tmp_path: Path) -> None:
    quarter, whole = (min(grouping_seconds(tmp_path, runs) for _ in range(2)) for runs in (250, 1000))
    assert whole < 8 * quarter  # pair by pair it would be 16 times
