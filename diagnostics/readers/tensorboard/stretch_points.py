"""Collects the points of one stretch of records and restores their order in the log."""

from collections.abc import Iterable

import numpy as np

from diagnostics.readers.columns import Columns
from diagnostics.readers.tensorboard.decode import TagPoints


class StretchPoints:
    """Collects the points of one stretch, which come in runs of one tag or record by record.

    `record` is the number of the record that `add` is called for.
    """

    def __init__(self, columns: Columns, points: Iterable[TagPoints]) -> None:
        self.record = 0
        self._columns = columns
        self._runs: dict[str, list[TagPoints]] = {run.tag: [] for run in points}

    def add(self, tag: str, step: int, value: float, time: float) -> None:
        """Append the point of a single record."""
        if tag not in self._runs:
            self._columns.add(tag, step, value, time)
            return
        self._columns.open(tag)
        record = np.array([self.record], np.int64)
        self._runs[tag].append(
            TagPoints(tag, "", np.array([step], np.int64), np.array([value]), np.array([time]), record)
        )

    def extend(self, run: TagPoints) -> None:
        """Append a run of points; its tag takes its position among the tags now."""
        self._columns.open(run.tag)
        self._runs[run.tag].append(run)

    @property
    def sizes(self) -> dict[str, int]:
        """How many points each tag has before the record that `add` is called for."""
        found = dict(self._columns.sizes)
        for tag, runs in self._runs.items():
            if runs:
                before = sum(int(np.searchsorted(_records(run), self.record)) for run in runs)
                found[tag] = found.get(tag, 0) + before
        return found

    def flush(self) -> None:
        """Pass all points to the columns, those of each tag in record order."""
        for tag, runs in self._runs.items():
            if len(runs) == 1:
                self._columns.extend(tag, runs[0].steps, runs[0].values, runs[0].times)
            elif runs:
                order = np.argsort(np.concatenate([_records(run) for run in runs]), kind="stable")
                steps = np.concatenate([run.steps for run in runs])[order]
                values = np.concatenate([run.values for run in runs])[order]
                self._columns.extend(tag, steps, values, np.concatenate([run.times for run in runs])[order])


def _records(run: TagPoints) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    assert run.records is not None, "an interleaved stretch numbers its records"
    return run.records
