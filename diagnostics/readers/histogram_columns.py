"""The histograms of all tags of a log, appended as it grows."""

import numpy as np

from diagnostics.model.histograms import Histogram, Histograms
from diagnostics.model.series import NO_STEPS
from diagnostics.readers.growing_array import Growing


class HistogramColumns:
    """The histograms of each tag, in the order of the log."""

    def __init__(self) -> None:
        self._steps: dict[str, Growing[np.int64]] = {}
        self._bins: dict[str, list[Histogram]] = {}

    def add(self, tag: str, step: int, bins: Histogram) -> None:
        """Append the histogram of one step."""
        self._steps.setdefault(tag, Growing(NO_STEPS)).append(np.array([step], dtype=np.int64))
        self._bins.setdefault(tag, []).append(bins)

    def by_tag(self) -> dict[str, Histograms]:
        """All histograms so far, by tag."""
        return {tag: Histograms(tag, tag, steps.view(), tuple(self._bins[tag])) for tag, steps in self._steps.items()}
