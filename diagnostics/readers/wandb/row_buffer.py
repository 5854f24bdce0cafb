"""Rows of a W&B history that were read and not taken in yet: many are decoded faster together than one by one."""

from pathlib import Path

from diagnostics.readers.wandb.bulk_rows import decode_rows
from diagnostics.readers.wandb.history import SYSTEM, WandbHistory
from diagnostics.readers.wandb.messages import Stats, decode_row

MOST_BYTES, MOST_ROWS = 1 << 20, 50_000  # what the caches hold, and what numpy sorts in linear time


class RowBuffer:
    """The rows that wait for being taken into a history, and what the machine did between them.

    `files` is the folder that tables lie in. `misfits` counts rows that were none.
    """

    def __init__(self, history: WandbHistory) -> None:
        self.misfits = 0
        self._history = history
        self._rows: list[bytes] = []
        self._bytes = 0
        self._machine: dict[int, list[Stats]] = {}  # by how many rows waited before a sample

    def add(self, row: bytes, files: Path) -> None:
        """Let one more row wait, as the message of its record."""
        self._rows.append(row)
        self._bytes += len(row)
        if self._bytes > MOST_BYTES or len(self._rows) > MOST_ROWS:
            self.flush(files)

    def add_sample(self, sample: Stats) -> None:
        """Let a sample of the machine wait, after the rows so far."""
        self._machine.setdefault(len(self._rows), []).append(sample)

    def flush(self, files: Path) -> None:
        """Take in what waits, all at once where that can be done."""
        rows, machine = self._rows, self._machine
        self._rows, self._machine, self._bytes = [], {}, 0
        block = decode_rows(rows, SYSTEM)
        if block is not None:
            self._history.take_block(block, machine, files)
            return
        for index, message in enumerate(rows):
            self._history.take_samples(machine.get(index, ()))
            try:
                row = decode_row(message)
            except ValueError:
                self.misfits += 1
                continue
            self._history.take(row.row, row.step, files)
        self._history.take_samples(machine.get(len(rows), ()))
