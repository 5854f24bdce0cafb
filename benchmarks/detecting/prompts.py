"""Splits a task's prompts into two sets of equal size, for runs that switch data.

A resumed run continues with its own dataset file, which the second set then replaces.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trainer.tasks import get_task

LARGE = 55  # the middle of the first numbers of the sums


def rows_around_switch(task: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows before and after the switch, equal in number, as a resumed run expects."""
    rows = get_task(task).rows("train")
    first = [row for row in rows if _is_first(row["prompt"])]
    then = [row for row in rows if not _is_first(row["prompt"])]
    count = min(len(first), len(then))
    return first[:count], then[:count]


def dataset_words(folder: Path, task: str) -> list[str]:
    """The `train` options for prompts from this folder, evaluated on the task's own."""
    held_out = folder / "eval.jsonl"
    write_rows(held_out, get_task(task).rows("eval"))
    return ["--dataset", str(dataset_file(folder)), "--eval_dataset", str(held_out)]


def dataset_file(folder: Path) -> Path:
    """The prompt file named by those options."""
    return folder / "train.jsonl"


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write one row per line, replacing the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _is_first(prompt: str) -> bool:
    """Whether a sum has a small first number, or an opening has an even number of characters."""
    left = prompt.partition("+")[0]
    return int(left) < LARGE if left.isdigit() else len(prompt) % 2 == 0
