"""Tests of grouping: several logs of one training are one run, logs of several trainings stay several."""

import shutil
import time
from pathlib import Path

import numpy as np

from diagnostics.api import find_runs, open_run
from diagnostics.readers.base import RunRef
from diagnostics.readers.grouping import group_runs

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


def test_trainings_that_began_together_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(FIXTURES / "ppo112_nmb1", tmp_path / name)

    assert [ref.path for ref in find_runs(tmp_path)] == [tmp_path / "a", tmp_path / "b"]
    assert formats(tmp_path) == [{"tensorboard", "wandb", "trackio", "trainer-state"}] * 2


def test_a_thousand_runs_are_not_compared_pair_by_pair(tmp_path: Path) -> None:
    refs: list[RunRef] = []
    for number in range(1000):
        home = tmp_path / f"out-{number}"
        refs.append(RunRef(home / "runs" / "a", "tensorboard", "a", home))
        refs += [RunRef(home, "trainer-state", "a", home), RunRef(home / "completions", "completions", "a", home)]
    before = time.process_time()

    found = group_runs(refs)

    assert time.process_time() - before < 1.0
    assert [len(ref.parts) for ref in found] == [3] * 1000
    assert {ref.path.parent for ref in found} == {tmp_path}
