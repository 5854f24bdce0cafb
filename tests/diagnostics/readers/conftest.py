"""The formats under conformance test, in the groups that a sentence of the suite may be about."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.diagnostics.readers.writers.catalog import METRIC_WRITERS, SAMPLE_WRITERS
from tests.diagnostics.readers.writers.databases import TrackioWriter
from tests.diagnostics.readers.writers.text_logs import JsonLinesWriter
from tests.diagnostics.readers.writers.trackers import EventFileWriter, SwanlabWriter, WandbWriter
from tests.diagnostics.readers.writers.writer import Growth, WholeWriter

WHOLE_WRITERS = tuple(kind for kind in METRIC_WRITERS if issubclass(kind, WholeWriter))


def _runs(writers: Iterable[type[Any]]) -> Callable[..., Any]:
    """A fixture: a run of each format, with nothing logged yet."""

    @pytest.fixture(params=list(writers), ids=lambda made: made.__name__.removesuffix("Writer"))
    def run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
        made = request.param(tmp_path / "run")
        yield made
        made.close()

    return run


writer = _runs(METRIC_WRITERS)
# A run that is there before its first point; of trackio there is none: a run has its name from its rows.
beginning_writer = _runs(kind for kind in METRIC_WRITERS if kind.begins_empty)
# Rows that name their step, so that any step can be one; RL4LMs' are counted.
naming_writer = _runs(kind for kind in METRIC_WRITERS if kind.names_steps)
# Files that grow at their end, whose tail may be torn.
appending_writer = _runs(kind for kind in METRIC_WRITERS if kind.growth is Growth.APPENDED)
# Databases, which have no tail: their journal makes a row whole, and a copy that is cut off lacks pages.
database_writer = _runs(kind for kind in METRIC_WRITERS if kind.growth is Growth.IN_PLACE)
# What only grows: nothing that was read of it is read again.
followed_writer = _runs(kind for kind in METRIC_WRITERS if kind.growth is not Growth.WHOLE)
# Files that are written anew and show where they end, so that half of one is told from the whole ...
sealed_writer = _runs(kind for kind in WHOLE_WRITERS if kind.ends_visibly)
# ... and the others, of which the rows that are whole can be read.
open_ended_writer = _runs(kind for kind in WHOLE_WRITERS if not kind.ends_visibly)
# A log and a database, for a million names take each format some ten seconds; `make fuzz` holds all of them to it.
million_writer = _runs((JsonLinesWriter, TrackioWriter))

sample_writer = _runs(SAMPLE_WRITERS)
# A run that is there before its first sample; a run of trackio or a layout of episodes shows in its first step.
beginning_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.begins_empty)
# Scores that may be NaN; prime-rl writes null in its place.
nan_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.keeps_nan)
# Files of which a damaged row costs itself; parquet, YAML and a stored table are lost whole, with the step they hold.
row_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.is_read_by_rows)
# What is there of a step that is half written, at the end of a log or in a file of its own ...
part_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.growth in (Growth.APPENDED, Growth.BY_STEP))
# ... and one file of all steps that is written anew.
whole_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.growth is Growth.WHOLE)


@pytest.fixture(scope="session")
def wandb_writer() -> type[WandbWriter]:
    """What writes a `.wandb` file at a path."""
    return WandbWriter


@pytest.fixture
def wandb_file(tmp_path: Path) -> WandbWriter:
    """A `.wandb` file with nothing logged yet."""
    return WandbWriter(tmp_path / "offline-run-20260101_000000-abc")


@pytest.fixture
def swanlab_file(tmp_path: Path) -> SwanlabWriter:
    """A `.swanlab` file with nothing logged yet."""
    return SwanlabWriter(tmp_path / "run-20260101_000000-abc")


@pytest.fixture
def event_file(tmp_path: Path) -> EventFileWriter:
    """An event file with nothing logged yet."""
    return EventFileWriter(tmp_path / "project")
