"""What a printed copy adds to the log that it is a copy of: the rows behind the log's last step, and nothing else.

A console's numbers are shortened and its steps often inferred, so a tracker's own points count wherever it has any. A
tracker that was cut off, or never wrote a row, has what was printed instead.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from diagnostics.model.recording import Recording
from diagnostics.model.series import RawSeries
from diagnostics.producers.transport import PREFIX

DIGITS = 1e-3  # relative: transformers prints four digits
DECIMALS = 5e-4  # absolute: verl printed three
FEWEST_EQUAL = 0.5  # of the values at common steps; fewer mean that the rows stand at other steps


def rows_behind(log: Recording, printed: Recording) -> Recording:
    """The printed copy, reduced to what lies behind the log's last step; all of it for a log without points.

    Nothing of it where it holds other values than the log at the same steps: then its steps were inferred wrongly.
    """
    last = max((int(series.steps.max()) for series in log.tags.values() if len(series.steps)), default=None)
    if last is None:
        return printed
    tags: dict[str, RawSeries] = {}
    if _is_at_the_same_steps(log.tags, printed.tags):
        cut = {tag: series.at(series.steps > last) for tag, series in printed.tags.items()}
        tags = {tag: series for tag, series in cut.items() if len(series.steps)}
    if tags:
        return replace(printed, tags=tags)
    return replace(printed, tags={}, malformed=0, rounded_to=0.0, notes=())


def _is_at_the_same_steps(log: Mapping[str, RawSeries], printed: Mapping[str, RawSeries]) -> bool:
    """Whether the values at common steps are the log's, to the digits printed; true where there are none to compare."""
    by_name = {tag.removeprefix(PREFIX): series for tag, series in log.items()}
    equal = compared = 0
    for tag, series in printed.items():
        logged = by_name.get(tag.removeprefix(PREFIX))
        if logged is None:
            continue
        _, ours, theirs = np.intersect1d(logged.steps, series.steps, return_indices=True)
        near = np.isclose(series.values[theirs], logged.values[ours], rtol=DIGITS, atol=DECIMALS, equal_nan=True)
        equal, compared = equal + int(near.sum()), compared + len(near)
    return equal >= FEWEST_EQUAL * compared
