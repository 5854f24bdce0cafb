"""The training prompts, drawn in shuffled passes over the rows."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from trainer.config.training import TrainConfig
from trainer.data.dataset import Row, load_rows


class Prompts:
    """Draws rows without repetition, reshuffling after each pass. The seed fixes the order."""

    def __init__(self, rows: Sequence[Row], seed: int) -> None:
        self._rows = list(rows)
        self._random = random.Random(seed)
        self._waiting: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def first(self, count: int) -> list[Row]:
        """The first rows of the data, without affecting what is drawn."""
        return self._rows[:count]

    def draw(self, count: int) -> list[Row]:
        """The next `count` rows, over several passes if there are fewer."""
        while len(self._waiting) < count:
            self._waiting += self._random.sample(range(len(self._rows)), len(self._rows))
        drawn, self._waiting = self._waiting[:count], self._waiting[count:]
        return [self._rows[index] for index in drawn]

    def state_dict(self) -> dict[str, Any]:
        """The state from which `load_state_dict` continues with the same draws over the same rows."""
        version, internal, gauss = self._random.getstate()
        return {
            "rows": len(self._rows),
            "waiting": list(self._waiting),
            "random": [version, list(internal), gauss],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state.

        Raises:
            ValueError: The state belongs to another number of rows.
        """
        if state["rows"] != len(self._rows):
            raise ValueError(f"the dataset had {state['rows']} rows when this state was saved and has {len(self)} now")
        version, internal, gauss = state["random"]
        self._random.setstate((version, tuple(internal), gauss))
        self._waiting = list(state["waiting"])


def load_prompts(config: TrainConfig) -> Prompts:
    """The prompts that a configuration names.

    Raises:
        ConfigError: the dataset cannot be read, is empty, or a row has no prompt.
    """
    return Prompts(load_rows(config), config.seed)
