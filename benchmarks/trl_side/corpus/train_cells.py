"""Trains cells of the TRL corpus, one after another in this process, each once, into its folder of the cache.

python -P -m benchmarks.trl_side.corpus.train_cells CACHE      (standard input: one plan per line, of `Cell.plan`)

Prints the name of each trained cell. A cell's folder holds its log in five forms, each in a folder of its own
(`output` for TensorBoard, `wandb`, `trackio`, `state`, `console`), and `outcome.json`: the held-out scores before and
after, and what ended the training if it broke.
"""

import gc
import json
import math
import os
import shutil
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedModel, Trainer, set_seed

from benchmarks.trl_runs.tasks.catalog import TASKS
from benchmarks.trl_runs.tasks.task import Task
from benchmarks.trl_side.corpus.models import model_folder
from benchmarks.trl_side.corpus.plans import Outcome, printed_into, train_plans
from benchmarks.trl_side.corpus.scoring import HELD_OUT, held_out_scores
from benchmarks.trl_side.corpus.tokenization import load_tokenizer
from benchmarks.trl_side.corpus.training import trainer_of


def main(cache: Path) -> None:
    """Train every cell whose plan comes in."""
    with TemporaryDirectory(dir=cache, prefix="logs-") as logs:
        os.environ.update(WANDB_DIR=logs, TRACKIO_DIR=f"{logs}/trackio")  # both are read once per process
        os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_CONSOLE="off", WANDB_X_DISABLE_STATS="true")
        train_plans(cache, partial(train, cache, Path(logs)), _is_spent)


def _is_spent(outcome: Outcome) -> bool:
    """Whether an assertion may have failed on the GPU, which leaves nothing usable to this process."""
    return bool(outcome["error"]) and torch.cuda.is_available()


def train(cache: Path, logs: Path, plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Train one cell into a folder, on the GPU if there is one; returns its outcome.

    `logs` is where this process's loggers write.
    """
    task = TASKS[plan["task"]]
    taught = model_folder(cache, task, plan["architecture"])
    set_seed(plan["seed"])
    model = AutoModelForCausalLM.from_pretrained(taught, dtype=getattr(torch, plan["weights"]))
    before = _scores_before(taught, task)
    (folder / "console").mkdir()
    with printed_into(folder / "console" / "console.log"):
        started = time.process_time()
        trainer = trainer_of(plan, task, taught, model, folder)
        gc.freeze()  # TRL's PPO collects garbage twice a step; what was imported need not be looked at each time
        error = _train_to_the_end(trainer)
        seconds = time.process_time() - started
        _keep(trainer, folder)
        _finish_logs(logs, folder)
    is_finite = not error and all(bool(torch.isfinite(weights).all()) for weights in model.parameters())
    return {
        "error": error,
        "is_finite": is_finite,
        "steps": trainer.state.global_step,
        "cpu_seconds": round(seconds, 1),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU",
        "libraries": {library.__name__: library.__version__ for library in (torch, transformers)},
        "before": before,
        "after": _scores(model.cpu(), taught, task) if is_finite else [math.nan] * HELD_OUT,
    }


def _train_to_the_end(trainer: Trainer) -> str:
    """Train; what ended it early, as a user's console shows it, or nothing."""
    try:
        trainer.train()
    except (RuntimeError, ValueError, ZeroDivisionError, OverflowError) as error:
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return ""


def _keep(trainer: Trainer, folder: Path) -> None:
    """The trainer's state, as a checkpoint would hold it."""
    (folder / "state").mkdir()
    trainer.state.save_to_json(str(folder / "state" / "trainer_state.json"))


def _finish_logs(logs: Path, folder: Path) -> None:
    """End the W&B and the trackio run, and move what they wrote into the folder."""
    import trackio  # noqa: PLC0415 - it reads its place when it is imported
    import wandb

    wandb.finish()
    with suppress(RuntimeError):  # it has finished unless the training broke
        trackio.finish()
    for place in ("wandb", "trackio"):
        shutil.move(logs / place, folder / place)


def _scores_before(taught: Path, task: Task) -> list[float]:
    """The scores of the taught model, which all cells of a task and architecture start from."""
    file = taught / "scores.json"
    if not file.exists():
        model = AutoModelForCausalLM.from_pretrained(taught, dtype=torch.float32)
        file.write_text(json.dumps(_scores(model, taught, task)), "utf-8")
    scores: list[float] = json.loads(file.read_text("utf-8"))
    return scores


def _scores(model: PreTrainedModel, taught: Path, task: Task) -> list[float]:
    return held_out_scores(model, load_tokenizer(taught), task)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
