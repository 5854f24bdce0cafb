"""Tests of histograms that are appended as a log grows."""

from diagnostics.model.histograms import Histogram
from diagnostics.readers.histogram_columns import HistogramColumns


def test_of_a_step_that_was_logged_twice_the_later_histogram_counts() -> None:
    columns = HistogramColumns()
    for step, count in ((1, 1), (2, 2), (1, 3)):
        columns.add("h", step, Histogram.of([0, 1], [count]))
    merged = columns.by_tag()["h"].last_of_each_step("kl_distribution", "h")
    assert (merged.name, merged.steps.tolist()) == ("kl_distribution", [1, 2])
    assert [bins.counts.tolist() for bins in merged.bins] == [[3], [2]]
