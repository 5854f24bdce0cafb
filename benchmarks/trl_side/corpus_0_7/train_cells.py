"""Trains cells of TRL's old API, one after another in this process, each once, into its folder of the cache.

python -P -m benchmarks.trl_side.corpus_0_7.train_cells CACHE      (standard input: one plan per line, of `Cell.plan`)

Prints the name of each trained cell. A cell's folder holds its log in three forms (`output` for TensorBoard, `wandb`,
`console`), each in a folder of its own, `rows.jsonl` with the scalars of each step, and `outcome.json` as of the other
TRLs. The models lie apart from theirs: this transformers cannot read what a later one has written.
"""

import json
import math
import os
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
import trl
from transformers import AutoModelForCausalLM, PreTrainedModel, set_seed

from benchmarks.trl_runs.tasks.catalog import TASKS
from benchmarks.trl_runs.tasks.task import Task
from benchmarks.trl_side.corpus.models import model_folder
from benchmarks.trl_side.corpus.plans import printed_into, train_plans
from benchmarks.trl_side.corpus.scoring import HELD_OUT, held_out_scores
from benchmarks.trl_side.corpus.tokenization import load_tokenizer
from benchmarks.trl_side.corpus_0_7 import loop

MODELS = "trl-0.7"
ROWS_FILE = "rows.jsonl"


def main(cache: Path) -> None:
    """Train every cell whose plan comes in."""
    os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_CONSOLE="off", WANDB_X_DISABLE_STATS="true")
    train_plans(cache, partial(train, cache))


def train(cache: Path, plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Train one cell into a folder; returns its outcome."""
    task = TASKS[plan["task"]]
    taught = model_folder(cache / MODELS, task, plan["architecture"])
    before = _scores_before(taught, task)
    set_seed(plan["seed"])
    training = loop.prepared(plan, task, taught)
    policy = loop.policy_of(training)
    (folder / "console").mkdir()
    with (
        printed_into(folder / "console" / "console.log"),
        (folder / ROWS_FILE).open("w", encoding="utf-8") as rows,
    ):
        started = time.process_time()
        steps, error = _train_to_the_end(loop.train(training, policy, folder, rows))
        seconds = time.process_time() - started
    is_finite = not error and all(bool(torch.isfinite(weights).all()) for weights in policy.parameters())
    return {
        "error": error,
        "is_finite": is_finite,
        "steps": steps,
        "cpu_seconds": round(seconds, 1),
        "device": "CPU",
        "libraries": {library.__name__: library.__version__ for library in (torch, transformers, trl)},
        "before": before,
        "after": _scores(policy.pretrained_model, taught, task) if is_finite else [math.nan] * HELD_OUT,
    }


def _train_to_the_end(steps: Iterator[int]) -> tuple[int, str]:
    """Train; the last step, and what ended it early as a user's console shows it, or nothing."""
    done = 0
    try:
        for step in steps:
            done = step
    except (RuntimeError, ValueError, ZeroDivisionError, OverflowError) as error:
        traceback.print_exc()
        return done, f"{type(error).__name__}: {error}"
    return done, ""


def _scores_before(taught: Path, task: Task) -> list[float]:
    """The scores of the taught model, which all cells of a task and architecture start from."""
    file = taught / "scores.json"
    if not file.exists():
        model = AutoModelForCausalLM.from_pretrained(taught, torch_dtype=torch.float32)
        file.write_text(json.dumps(_scores(model, taught, task)), "utf-8")
    scores: list[float] = json.loads(file.read_text("utf-8"))
    return scores


def _scores(model: PreTrainedModel, taught: Path, task: Task) -> list[float]:
    return held_out_scores(model, load_tokenizer(taught), task)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
