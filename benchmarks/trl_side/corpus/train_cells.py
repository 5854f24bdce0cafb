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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedModel, Trainer, set_seed

from benchmarks.trl_runs.tasks.catalog import TASKS
from benchmarks.trl_runs.tasks.task import Task
from benchmarks.trl_side.corpus.models import UNFINISHED, model_folder
from benchmarks.trl_side.corpus.scoring import greedy_scores
from benchmarks.trl_side.corpus.tokenization import load_tokenizer
from benchmarks.trl_side.corpus.training import trainer_of

HELD_OUT = 128
"""Held-out problems that each training is scored on, the same for all of a task."""
_HELD_OUT_SEED = 7
OUTCOME_FILE = "outcome.json"


def main(cache: Path) -> None:
    """Train every cell whose plan comes in."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries print what is no answer
    with TemporaryDirectory(dir=cache, prefix="logs-") as logs:
        os.environ.update(WANDB_DIR=logs, TRACKIO_DIR=f"{logs}/trackio")  # both are read once per process
        os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_CONSOLE="off", WANDB_X_DISABLE_STATS="true")
        for line in sys.stdin:
            plan = json.loads(line)
            folder = cache / "runs" / plan["name"]
            unfinished = folder.with_name(folder.name + UNFINISHED)
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            outcome = train(cache, Path(logs), plan, unfinished)
            unfinished.rename(folder)
            answers.write(f"trained {plan['name']} in {outcome['cpu_seconds']:.1f} CPU s\n")
            answers.flush()
            if outcome["error"] and torch.cuda.is_available():
                break  # an assertion that failed on the device leaves nothing usable to this process


def train(cache: Path, logs: Path, plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Train one cell into a folder, on the GPU if there is one; returns its outcome, which lies there too.

    `logs` is where this process's loggers write.
    """
    task = TASKS[plan["task"]]
    taught = model_folder(cache, task, plan["architecture"])
    set_seed(plan["seed"])
    model = AutoModelForCausalLM.from_pretrained(taught, dtype=getattr(torch, plan["weights"]))
    before = _scores_before(taught, task)
    with _logged_into(logs, folder):
        started = time.process_time()
        trainer = trainer_of(plan, task, taught, model, folder)
        gc.freeze()  # TRL's PPO collects garbage twice a step; what was imported need not be looked at each time
        error = _train_to_the_end(trainer)
        seconds = time.process_time() - started
        _keep(trainer, folder)
    is_finite = not error and all(bool(torch.isfinite(weights).all()) for weights in model.parameters())
    outcome = {
        "error": error,
        "is_finite": is_finite,
        "steps": trainer.state.global_step,
        "cpu_seconds": round(seconds, 1),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU",
        "libraries": {library.__name__: library.__version__ for library in (torch, transformers)},
        "before": before,
        "after": _scores(model.cpu(), taught, task) if is_finite else [math.nan] * HELD_OUT,
    }
    (folder / OUTCOME_FILE).write_text(json.dumps(outcome), "utf-8")
    return outcome


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


@contextmanager
def _logged_into(logs: Path, folder: Path) -> Iterator[None]:
    """Everything that is logged or printed goes into the folder, whichever library does it."""
    console = folder / "console"
    console.mkdir()
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with (console / "console.log").open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield
            _finish_logs(logs, folder)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for stream, old in zip((1, 2), kept, strict=True):
                os.dup2(old, stream)
                os.close(old)


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
    tokenizer = load_tokenizer(taught)
    problems = task.problems("held-out", HELD_OUT, _HELD_OUT_SEED)
    return greedy_scores(model, tokenizer, task, problems, tokenizer.eos_token_id)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
