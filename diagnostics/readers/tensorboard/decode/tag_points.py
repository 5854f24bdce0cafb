"""Points of one tag that were decoded together."""

from typing import Any, NamedTuple

import numpy.typing as npt

from diagnostics.model.series import Steps
from diagnostics.readers.tensorboard.decode.crc import Places


class TagPoints(NamedTuple):
    """Points of one tag in log order: steps, values and times (N,), some of them views on the file.

    `records` (N,) are ascending record numbers within the stretch; None if each tag of the stretch comes in one run
    without events in between, so that there is no order to restore.
    """

    tag: str
    plugin: str
    steps: Steps
    values: npt.NDArray[Any]
    times: npt.NDArray[Any]
    records: Places | None = None

    @property
    def first_record(self) -> int:
        """The record number of the first point; 0 where none are given."""
        return 0 if self.records is None else int(self.records[0])

    @property
    def last_record(self) -> int:
        """The record number of the last point; 0 where none are given."""
        return 0 if self.records is None else int(self.records[-1])
