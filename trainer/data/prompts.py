"""The prompts of a training: its rows, drawn in shuffled passes."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from trainer.config.training import TrainConfig
from trainer.data.dataset import Row, load_rows


class Prompts:
    """Rows drawn without repetition until all have come; then they are shuffled anew. The seed fixes the order."""

    def __init__(self, rows: Sequence[Row], seed: int) -> None:
        self._rows = list(rows)
        self._random = random.Random(seed)
        self._waiting: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def first(self, count: int) -> list[Row]:
        """The first rows of the data; drawing goes on as if nobody had asked."""
        return self._rows[:count]

    def draw(self, count: int) -> list[Row]:
        """The next `count` rows; several passes where there are fewer."""
        while len(self._waiting) < count:
            self._waiting += self._random.sample(range(len(self._rows)), len(self._rows))
        drawn, self._waiting = self._waiting[:count], self._waiting[count:]
        return [self._rows[index] for index in drawn]

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs to draw the same rows next, over the same rows in the same order."""
        version, internal, gauss = self._random.getstate()
        return {
            "rows": len(self._rows),
            "waiting": list(self._waiting),
            "random": [version, list(internal), gauss],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state.

        Raises:
            ValueError: it was saved over another number of rows.
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
