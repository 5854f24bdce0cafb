"""The formats under conformance test, grouped by what the suite states about them."""

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
    """A fixture: an empty run of each format."""

    @pytest.fixture(params=list(writers), ids=lambda made: made.__name__.removesuffix("Writer"))
    def run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
        made = request.param(tmp_path / "run")
        yield made
        made.close()

    return run


writer = _runs(METRIC_WRITERS)
# Runs that exist before their first point; trackio's do not: a run takes its name from its rows.
beginning_writer = _runs(kind for kind in METRIC_WRITERS if kind.begins_empty)
# Rows that name their step, so that steps can be arbitrary; RL4LMs' are counted.
naming_writer = _runs(kind for kind in METRIC_WRITERS if kind.names_steps)
# Files that grow at their end, whose tail may be torn.
appending_writer = _runs(kind for kind in METRIC_WRITERS if kind.growth is Growth.APPENDED)
# Databases, which have no tail: their journal makes a row atomic, and a truncated copy lacks pages.
database_writer = _runs(kind for kind in METRIC_WRITERS if kind.growth is Growth.IN_PLACE)
# Formats that only grow: no byte is read twice.
followed_writer = _runs(kind for kind in METRIC_WRITERS if kind.growth is not Growth.WHOLE)
# Files that are rewritten and mark their end, so that half of one can be recognised ...
sealed_writer = _runs(kind for kind in WHOLE_WRITERS if kind.ends_visibly)
# ... and the others, whose complete rows can be read.
open_ended_writer = _runs(kind for kind in WHOLE_WRITERS if not kind.ends_visibly)
# A log and a database, since a million names take each format some ten seconds; `make fuzz` covers all formats.
million_writer = _runs((JsonLinesWriter, TrackioWriter))

sample_writer = _runs(SAMPLE_WRITERS)
# Runs that exist before their first sample; trackio runs and episode layouts appear with their first step.
beginning_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.begins_empty)
# Scores that may be NaN; prime-rl writes null instead.
nan_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.keeps_nan)
# Files in which damage loses only its row; parquet, YAML and a stored table are lost whole, with their step.
row_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.is_read_by_rows)
# Half-written steps, at the end of a log or in their own file ...
part_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.growth in (Growth.APPENDED, Growth.BY_STEP))
# ... and one file of all steps that is rewritten.
whole_sample_writer = _runs(kind for kind in SAMPLE_WRITERS if kind.growth is Growth.WHOLE)


@pytest.fixture(scope="session")
def wandb_writer() -> type[WandbWriter]:
    """The writer of a `.wandb` file at a path."""
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
