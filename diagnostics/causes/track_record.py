"""How often a cause was right where it was named first: counted in trainings of TRL whose fault is known.

`python -m benchmarks.detection_trl` writes the table.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """Of the measured runs in which a cause was `named` first, in so many it was `right`.

    In `among` of them the right one was it or a rival that was named beside it, where that was not decided.
    """

    right: int
    among: int
    named: int


def track_record(cause: str) -> TrackRecord | None:
    """The record of a cause; None for one that was never named first, and for a rule."""
    return track_records().get(cause)


@cache
def track_records() -> Mapping[str, TrackRecord]:
    """Cause → its record, for each that was ever named first."""
    text = files("diagnostics.causes").joinpath("track_record.toml").read_text("utf-8")
    return {cause: TrackRecord(**counts) for cause, counts in tomllib.loads(text).items()}
