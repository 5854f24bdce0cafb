"""Tests of discovery: what is a run, what is not, and the message if there is none."""

import os
import shutil
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.readers.base import FORMATS, UnreadableRun
from diagnostics.readers.discovery import find, open_readers
from diagnostics.runlog import RunLog

FIXTURES = Path(__file__).parents[2] / "fixtures" / "trl"
STATE = FIXTURES.with_name("trl_corpus") / "learning-rate-tiny" / "trainer_state.json"


def make_run(path: Path, name: str = "") -> Path:
    with RunLog(path, name=name) as log:
        log.log(1, {"loss": 1.0})
    return path


def found_below(path: Path) -> list[str]:
    return [str(ref.path.relative_to(path)) for ref in find(path)]


def test_runs_are_found_at_any_depth_and_by_name(tmp_path: Path) -> None:
    make_run(tmp_path / "a" / "deep" / "er", name="first try")
    make_run(tmp_path / "b")

    found = find(tmp_path)

    assert [(str(r.path.relative_to(tmp_path)), r.name) for r in found] == [("a/deep/er", "first try"), ("b", "b")]


def test_a_run_directory_is_not_descended_into(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a")
    make_run(run / "tensorboard" / "inner")

    assert found_below(tmp_path) == ["a"]


def test_one_folder_with_two_trl_trainings_holds_two_runs() -> None:
    assert [ref.name for ref in find(FIXTURES / "grpo116")] == ["grpo116/out", "out_conv"]


def test_every_trl_fixture_is_one_run_but_for_the_folder_of_two() -> None:
    assert {folder.name: len(find(folder)) for folder in FIXTURES.iterdir() if len(find(folder)) != 1} == {"grpo116": 2}


def test_a_link_makes_no_double_and_a_loop_ends(tmp_path: Path) -> None:
    make_run(tmp_path / "z" / "run")
    (tmp_path / "latest-run").symlink_to(tmp_path / "z" / "run")
    (tmp_path / "z" / "loop").symlink_to(tmp_path)

    assert found_below(tmp_path) == ["z/run"]


def test_a_link_to_a_run_elsewhere_is_followed(tmp_path: Path) -> None:
    make_run(tmp_path / "elsewhere" / "run")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "linked").symlink_to(tmp_path / "elsewhere" / "run")

    assert found_below(tmp_path / "here") == ["linked"]


def test_hidden_folders_are_left_alone(tmp_path: Path) -> None:
    make_run(tmp_path / ".cache" / "run")

    assert found_below(tmp_path) == []


def test_a_missing_path_holds_no_runs(tmp_path: Path) -> None:
    assert find(tmp_path / "missing") == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_hides_no_other(tmp_path: Path) -> None:
    make_run(tmp_path / "a")
    (tmp_path / "b").mkdir(mode=0)

    assert found_below(tmp_path) == ["a"]


def test_a_file_of_a_run_stands_for_its_run(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a")

    assert [run] == [ref.path for ref in find(run / "run.json")]


def sentence(path: Path) -> str:
    with pytest.raises(UnreadableRun) as caught:
        open_readers(path)
    assert caught.value.path == path
    return caught.value.sentence.replace(str(path), "X")


def test_each_kind_of_bad_path_gets_its_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("loss went down")
    (tmp_path / "notes.pdf").write_text("%PDF")
    (tmp_path / "notes.ipynb").write_text('{"cells": [], "nbformat": 4}')
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("")
    marks = ", ".join(dict.fromkeys(mark for form in FORMATS for mark in form.marks))

    assert sentence(tmp_path / "missing") == "X does not exist"
    assert sentence(tmp_path / "empty") == "X is an empty folder: no run has been written into it yet"
    assert sentence(tmp_path / "full") == f"X holds no known run (looked for {marks}, here and in the folders below)"
    assert sentence(tmp_path / "notes.txt").startswith(
        "X is a file of no known format: its name is that of a log, but it holds no rows such as {'reward'"
    )
    assert sentence(tmp_path / "notes.ipynb").startswith(
        "X shows no training: the outputs of its cells hold no table of steps, and no rows such as {'reward'"
    )
    assert (
        sentence(tmp_path / "notes.pdf") == f"X is a file of no known format (looked for {marks}); give a run's folder"
    )


def test_a_folder_of_several_runs_lists_them(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d", "e", "f", "g"):
        make_run(tmp_path / name)

    assert sentence(tmp_path) == "X holds 7 runs, open one of them: X/a, X/b, X/c, X/d, X/e and 2 more"


def test_the_state_that_a_checkpoint_holds_opens_its_training(tmp_path: Path) -> None:
    state = tmp_path / "output" / "checkpoint-8" / "trainer_state.json"
    state.parent.mkdir(parents=True)
    shutil.copy(STATE, state)

    (ref,) = find(state)
    assert (ref.path, ref.format) == (tmp_path / "output", "trainer-state")
    assert open_run(state).series["reward"].steps.tolist() == open_run(STATE).series["reward"].steps.tolist()
