"""The demo tasks: the prompts, checkpoint and rewards of each. Imports no torch."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from trainer.tasks import addition, remarks

Split = Literal["train", "eval"]


@dataclass(frozen=True, slots=True)
class Task:
    """A demo task that needs no download."""

    name: str
    summary: str
    algorithm: Literal["ppo", "grpo"]
    """The algorithm that the task is made for; others work as well."""
    checkpoint: Path
    """Directory that transformers loads: config, fp16 weights, tokenizer, generation config."""
    max_new_tokens: int
    """Tokens a completion may take, `<eos>` included."""
    reward_funcs: tuple[str, ...]
    """Names in `trainer.rewards`."""
    rows: Callable[[str], list[dict[str, Any]]] = field(repr=False)
    """Split → its rows in a fixed order."""

    def prompts(self, split: Split = "train", seed: int = 0) -> list[dict[str, Any]]:
        """All rows of a split, shuffled by `seed`: `prompt` and the columns that the reward functions read.

        Raises:
            ValueError: The split is neither "train" nor "eval".
        """
        if split not in ("train", "eval"):
            raise ValueError(f"task {self.name} has no split {split!r}: ask for 'train' or 'eval'")
        rows = self.rows(split)
        random.Random(seed).shuffle(rows)
        return rows


def _remark_rows(split: str) -> list[dict[str, Any]]:
    return [{"prompt": opening} for opening in remarks.openings(split)]


def _addition_rows(split: str) -> list[dict[str, Any]]:
    return [{"prompt": problem.prompt, "answer": problem.answer} for problem in addition.sums(split)]


_REMARKS = Task(
    name="remarks",
    summary="Finish the opening of a film remark so that it sounds positive, judged by a small learned reward.",
    algorithm="ppo",
    checkpoint=remarks.CHECKPOINT,
    max_new_tokens=14,
    reward_funcs=("remark_positivity",),
    rows=_remark_rows,
)
_ADDITION = Task(
    name="addition",
    summary="Add two numbers of two digits, with or without a scratchpad; the checkpoint answers about 6 in 10 right.",
    algorithm="grpo",
    checkpoint=addition.CHECKPOINT,
    max_new_tokens=26,
    reward_funcs=("addition_accuracy",),
    rows=_addition_rows,
)

TASKS: Mapping[str, Task] = MappingProxyType({task.name: task for task in (_REMARKS, _ADDITION)})


def get_task(name: str) -> Task:
    """The demo task with this name.

    Raises:
        ValueError: There is none; the message lists the known ones.
    """
    if name not in TASKS:
        raise ValueError(f"unknown task {name!r}: the known tasks are {', '.join(TASKS)}")
    return TASKS[name]
