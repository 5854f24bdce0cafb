"""The prompts of a training: a dataset file's or a demo task's rows, drawn in shuffled passes."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trainer.config import TrainConfig
from trainer.options import ConfigError
from trainer.tasks import get_task

Row = Mapping[str, Any]


class Prompts:
    """Rows drawn without repetition until all have come; then they are shuffled anew. The seed fixes the order."""

    def __init__(self, rows: Sequence[Row], seed: int) -> None:
        self._rows = list(rows)
        self._random = random.Random(seed)
        self._waiting: list[Row] = []

    def __len__(self) -> int:
        return len(self._rows)

    def draw(self, count: int) -> list[Row]:
        """The next `count` rows; several passes where there are fewer."""
        while len(self._waiting) < count:
            self._waiting += self._random.sample(self._rows, len(self._rows))
        drawn, self._waiting = self._waiting[:count], self._waiting[count:]
        return drawn


def load_prompts(config: TrainConfig) -> Prompts:
    """The prompts that a configuration names.

    Raises:
        ConfigError: The dataset cannot be read, is empty, or a line has no prompt.
    """
    rows = read_dataset(Path(config.dataset)) if config.dataset else get_task(config.task).prompts(seed=config.seed)
    return Prompts(rows, config.seed)


def read_dataset(path: Path) -> list[Row]:
    """The rows of a JSONL file; every row is an object with a non-empty text under `prompt`."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the dataset {path} cannot be read: {error}") from error
    rows = [_row(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not rows:
        raise ConfigError(f'the dataset {path} is empty; it needs at least one line such as {{"prompt": "Hello"}}')
    return rows


def _row(path: Path, number: int, line: str) -> Row:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise ConfigError(f"line {number} of the dataset {path} is no JSON: {error}") from error
    if not isinstance(row, dict) or not isinstance(row.get("prompt"), str) or not row["prompt"]:
        raise ConfigError(f"line {number} of the dataset {path} has no text under `prompt`; every line needs one")
    return row
