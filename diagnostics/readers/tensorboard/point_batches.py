"""Pieces: points of one tag that were read from a stretch at once, and their way into the columns, in order."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from diagnostics.model.series import Steps, Values
from diagnostics.readers.columns import Columns
from diagnostics.readers.tensorboard.crc import Places


class Piece(NamedTuple):
    """Points of one tag: `records` (N,) their places in the stretch, increasing; steps, values and times (N,)."""

    tag: str
    plugin: str
    records: Places
    steps: Steps
    values: Values
    times: Values

    @property
    def first(self) -> int:
        """The record of the first point."""
        return int(self.records[0])


class Gathering:
    """The points of one stretch on their way into the columns: of a tag they come in pieces, or record by record."""

    def __init__(self, columns: Columns, pieces: Iterable[Piece]) -> None:
        self.record = 0  # the one that `add` speaks of
        self._columns = columns
        self._parts: dict[str, list[Piece]] = {piece.tag: [] for piece in pieces}

    def add(self, tag: str, step: int, value: float, time: float) -> None:
        """Append the point of a single record."""
        if tag not in self._parts:
            self._columns.add(tag, step, value, time)
            return
        self._columns.open(tag)
        point = np.array([step], np.int64), np.array([value]), np.array([time])
        self._parts[tag].append(Piece(tag, "", np.array([self.record]), *point))

    def take(self, piece: Piece) -> None:
        """Append a piece, whose tag takes its place among the tags now."""
        self._columns.open(piece.tag)
        self._parts[piece.tag].append(piece)

    @property
    def sizes(self) -> dict[str, int]:
        """How many points each tag has before the record that `add` speaks of."""
        found = dict(self._columns.sizes)
        for tag, parts in self._parts.items():
            if parts:
                new = sum(int(np.searchsorted(part.records, self.record)) for part in parts)
                found[tag] = found.get(tag, 0) + new
        return found

    def settle(self) -> None:
        """Hand everything on, the points of each tag in the order of the records."""
        for tag, parts in self._parts.items():
            if len(parts) == 1:
                self._columns.extend(tag, parts[0].steps, parts[0].values, parts[0].times)
            elif parts:
                order = np.argsort(np.concatenate([part.records for part in parts]), kind="stable")
                steps = np.concatenate([part.steps for part in parts])[order]
                values = np.concatenate([part.values for part in parts])[order]
                self._columns.extend(tag, steps, values, np.concatenate([part.times for part in parts])[order])
