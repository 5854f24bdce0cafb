"""Buffers rows of a W&B history: many are decoded faster together than one at a time."""

from pathlib import Path

from diagnostics.readers.wandb.bulk_rows import decode_rows
from diagnostics.readers.wandb.history import SYSTEM, WandbHistory
from diagnostics.readers.wandb.protobuf_messages import Stats, decode_row

MOST_BYTES, MOST_ROWS = 1 << 20, 50_000  # bounded by processor caches, and by what numpy sorts in linear time


class RowBuffer:
    """Rows not yet added to a history, and the system samples between them.

    `files` is the folder of tables. `misfits` counts malformed rows.
    """

    def __init__(self, history: WandbHistory) -> None:
        self.misfits = 0
        self._history = history
        self._rows: list[bytes] = []
        self._bytes = 0
        self._machine: dict[int, list[Stats]] = {}  # by the number of rows buffered before a sample

    def add(self, row: bytes, files: Path) -> None:
        """Buffer one more row, given as its record's message."""
        self._rows.append(row)
        self._bytes += len(row)
        if self._bytes > MOST_BYTES or len(self._rows) > MOST_ROWS:
            self.flush(files)

    def add_sample(self, sample: Stats) -> None:
        """Buffer a system sample, after the rows so far."""
        self._machine.setdefault(len(self._rows), []).append(sample)

    def flush(self, files: Path) -> None:
        """Add the buffered rows to the history, in bulk if possible."""
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
