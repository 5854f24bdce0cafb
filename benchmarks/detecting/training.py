"""Trains the corpus: one cell after another in this process, each once, into its cache folder."""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path

from benchmarks.detecting.averaging import average
from benchmarks.detecting.cells import Cell
from benchmarks.detecting.models import make_missing
from benchmarks.detecting.prompts import dataset_file, dataset_words, rows_around_switch, write_rows
from benchmarks.machine import machine
from diagnostics.runlog import RUN_FILE, STATUS_FILE
from trainer.config.recipes import demo_recipe
from trainer.main import FINISHED
from trainer.main import main as trainer_main

UNFINISHED = ".unfinished"
CPU_FILE, MACHINE_FILE = "cpu_seconds", "machine"
"""Files beside a run's log: the processor time of its training, and the machine."""


def run_folder(cache: Path, cell: Cell) -> Path:
    """The folder of a cell's trained run."""
    return cache / "runs" / cell.name


def is_trained(cache: Path, cell: Cell) -> bool:
    """Whether the cache contains the cell's complete run, for the cell's task."""
    record = run_folder(cache, cell) / RUN_FILE
    return record.is_file() and json.loads(record.read_text("utf-8"))["config"]["task"] == cell.task


def machine_of(run: Path) -> str:
    """The machine that trained a run, in words; empty where it was not noted."""
    noted = run / MACHINE_FILE
    return noted.read_text("utf-8") if noted.exists() else ""


def train_missing(cache: Path, cells: Iterable[Cell], deadline: float) -> int:
    """Train missing cells until `deadline` (of `time.monotonic`); returns the number trained."""
    trained = 0
    for cell in cells:
        if time.monotonic() >= deadline:
            break
        if not is_trained(cache, cell):
            cpu = train(cache, cell)
            trained += 1
            sys.stdout.write(f"trained {cell.name} in {cpu:.1f} CPU s\n")
            sys.stdout.flush()
    return trained


def train(cache: Path, cell: Cell) -> float:
    """Train one cell; returns its CPU seconds. An interrupted run does not count as trained."""
    recipe = demo_recipe(cell.algorithm, cell.task)
    assert recipe is not None  # each algorithm has a recipe for each demo task
    folder = run_folder(cache, cell)
    shutil.rmtree(folder, ignore_errors=True)  # may be a run of another task
    model = ["--model_name_or_path", str(make_missing(cache, cell.size, cell.task))] if cell.size else []
    beginning = ["train", cell.algorithm, "--recipe", recipe.name, *cell.words, *model]
    started = time.process_time()
    with _written_whole(folder) as unfinished:
        if cell.resume_step:
            _train_in_two(cache, cell, beginning, unfinished)
        else:
            train_words([*beginning, "--run_dir", str(unfinished)])
        _check_finished(unfinished)
        average(unfinished, cell.average_over)
        spent = time.process_time() - started
        (unfinished / CPU_FILE).write_text(f"{spent:.1f}\n", "utf-8")
        (unfinished / MACHINE_FILE).write_text(machine(), "utf-8")
    return spent


def _train_in_two(cache: Path, cell: Cell, beginning: list[str], run: Path) -> None:
    """Train to a checkpoint and resume from it, with different prompts if the cell switches them."""
    prompts, data = cache / "prompts" / cell.name, []
    first, then = rows_around_switch(cell.task)
    if cell.switch_step:
        data = dataset_words(prompts, cell.task)
        write_rows(dataset_file(prompts), first)
    stop_there = ["--max_steps", str(cell.resume_step), "--save_strategy", "steps", "--save_steps"]
    train_words([*beginning, *data, *stop_there, str(cell.resume_step), "--run_dir", str(run)])
    if cell.switch_step:
        write_rows(dataset_file(prompts), then)
    train_words(["train", "--resume", str(run), "--max_steps", str(cell.steps), "--save_strategy", "no"])
    shutil.rmtree(run / "checkpoints", ignore_errors=True)


def train_words(words: list[str]) -> None:
    """Run `rlvitals` with these arguments in this process. Raises SystemExit if the training fails."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        code = trainer_main(words)
    if code != FINISHED:
        raise SystemExit(f"rlvitals {' '.join(words)} ended with {code}; its console.log says why")


def _check_finished(folder: Path) -> None:
    """Raises SystemExit for a run that stopped early: it does not count."""
    state = json.loads((folder / STATUS_FILE).read_text("utf-8"))["state"]
    if state != "finished":
        raise SystemExit(f"{folder.name} is {state}, not finished; it will be trained again from the start")


@contextmanager
def _written_whole(folder: Path) -> Iterator[Path]:
    unfinished = folder.with_name(folder.name + UNFINISHED)
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    yield unfinished
    unfinished.rename(folder)
