"""An axis for a log whose step never moves: another column that counts steps, else the order of its rows.

Such a `global_step` is one that nobody increments. Rows are told apart by the time of their writing; in a log without
times each tag's points are counted.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from diagnostics.model.recording import Recording
from diagnostics.model.series import RawSeries, Steps
from diagnostics.told import told

FEWEST_ROWS = 3  # at one step: a training's row, its evaluation and its summary may be
COUNTERS = frozenset(
    {"step", "steps", "global_step", "train_step", "iteration", "update", "num_updates", "episode", "total_timesteps"}
)
_LARGEST = 2.0**53  # the whole numbers that a float holds


def has_no_axis(tags: Mapping[str, RawSeries]) -> bool:
    """Whether all points stand at one step although most tags have several."""
    series = [item for item in tags.values() if len(item.steps)]
    if 2 * sum(len(item.steps) >= FEWEST_ROWS for item in series) <= len(series):
        return False
    first = series[0].steps[0]
    return all(item.steps[-1] == first for item in series) and all((item.steps == first).all() for item in series)


def on_rows(recording: Recording) -> Recording:
    """The recording at the steps of its rows, with a note that says where they come from."""
    stood = next(int(item.steps[0]) for item in recording.tags.values() if len(item.steps))
    rows = _rows(recording.tags)
    last = max(map(_last, rows.values()))
    counter = next((tag for tag, series in recording.tags.items() if _counts(series, last)), None)
    if counter is None:
        steps = rows
        note = told(
            "Every point of the log is at step {step}, so its rows are counted instead",
            step=stood,
        )
    else:
        found = recording.tags[counter].values.astype(np.int64)
        steps = {tag: found[numbers - 1] for tag, numbers in rows.items()}
        note = told(
            "Every point of the log is at step {step}, so its steps are taken from {tag} instead",
            step=stood,
            tag=counter,
        )
    tags = {tag: replace(series, steps=steps[tag]) for tag, series in recording.tags.items()}
    status = replace(recording.status, step=max(map(_last, steps.values())))
    return replace(recording, tags=tags, status=status, notes=(*recording.notes, note))


def _rows(tags: Mapping[str, RawSeries]) -> dict[str, Steps]:
    """The number of each point's row, from 1, by tag."""
    are_timed = all(len(series.times) == len(series.steps) for series in tags.values())
    moments = np.unique(np.concatenate([series.times for series in tags.values()])) if are_timed else ()
    if len(moments) >= max(len(series.steps) for series in tags.values()):
        return {tag: np.searchsorted(moments, series.times).astype(np.int64) + 1 for tag, series in tags.items()}
    return {tag: np.arange(1, len(series.steps) + 1, dtype=np.int64) for tag, series in tags.items()}


def _last(rows: Steps) -> int:
    return int(rows[-1]) if len(rows) else 0


def _counts(series: RawSeries, rows: int) -> bool:
    """Whether a tag's values are whole numbers that increase from each row to the next."""
    values = series.values
    if series.tag.rpartition("/")[2].lower() not in COUNTERS or not len(values) == rows > 1:
        return False
    are_whole = (np.abs(values) < _LARGEST) & (values == np.round(values))
    return bool(are_whole.all() and (np.diff(values) > 0).all())
