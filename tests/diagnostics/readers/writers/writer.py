"""What the conformance suite needs from a format: how its runs begin, grow, get damaged, and what they can contain."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import ClassVar

from diagnostics.readers.base import Reader

Metrics = Mapping[str, float]
Row = tuple[int, Metrics]


class Growth(Enum):
    """How a file grows, which decides what a reader may see of it half written."""

    APPENDED = "at its end, so that a torn tail is waited for and nothing before it is read again"
    IN_PLACE = "page by page of a database, whose own journal makes a row whole"
    BY_STEP = "by a new file or folder for each step"
    WHOLE = "written anew from its first byte, by whoever saves or exports it"


class RunWriter(ABC):
    """A run of one format, still empty, in a new folder at `path`.

    `form` is the name of the format, and `mark` is the mark by which discovery finds this run. `file` is what the tests
    tear, shorten and replace.
    """

    form: ClassVar[str]
    mark: ClassVar[str]
    growth: ClassVar[Growth]
    begins_empty: ClassVar[bool] = True  # else there is no run until something is logged

    path: Path
    file: Path

    @abstractmethod
    def corrupt(self, place: int) -> None:
        """Make a record unreadable: in a run of metrics, the one written by the write of that number."""

    @abstractmethod
    def reader(self) -> Reader:
        """A reader that has not read any of the run yet."""

    def content(self) -> dict[Path, bytes]:
        """Every file of the run."""
        return {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}

    def put_back(self, content: Mapping[Path, bytes]) -> None:
        """Restore the files to this content."""
        for path, found in content.items():
            path.write_bytes(found)

    def close(self) -> None:  # noqa: B027 - most have nothing to let go of
        """Release whatever is kept open between writes."""


class MetricWriter(RunWriter):
    """A run of metrics."""

    growth = Growth.APPENDED
    names_steps: ClassVar[bool] = True  # else the rows are counted
    fewest_rows: ClassVar[int] = 1  # by which a file is known as a run
    most_names: ClassVar[int] = 1_000_000  # the most that a step of this format can be expected to have

    @abstractmethod
    def write(self, step: int, metrics: Metrics) -> None:
        """Log these metrics at one step."""

    def write_rows(self, rows: Iterable[Row]) -> None:
        """Log many steps, in one go if the producer can."""
        for step, metrics in rows:
            self.write(step, metrics)


class AppendingWriter(MetricWriter):
    """A run whose `file` is appended to.

    `vulnerable` is the offset in a record of a byte without which the whole record is unreadable.
    """

    vulnerable: ClassVar[int] = 0

    def __init__(self) -> None:
        self._starts: list[int] = []

    def write(self, step: int, metrics: Metrics) -> None:
        self._starts.append(self.file.stat().st_size)
        self.log(step, metrics)

    @abstractmethod
    def log(self, step: int, metrics: Metrics) -> None:
        """Append these metrics, in one record or several."""

    def corrupt(self, place: int) -> None:
        content = bytearray(self.file.read_bytes())
        content[self._starts[place] + self.vulnerable] ^= 0x55
        self.file.write_bytes(content)


class WholeWriter(MetricWriter):
    """A run whose `file` is rewritten with every row logged so far; a bad row has no step."""

    growth = Growth.WHOLE
    ends_visibly: ClassVar[bool] = True  # else a row with its end cut off may look complete

    def __init__(self) -> None:
        self.rows: list[tuple[int | None, Metrics]] = []

    def write(self, step: int, metrics: Metrics) -> None:
        self.write_rows([(step, metrics)])

    def write_rows(self, rows: Iterable[Row]) -> None:
        self.rows += rows
        self.save()

    def corrupt(self, place: int) -> None:
        self.rows[place] = None, self.rows[place][1]
        self.save()

    @abstractmethod
    def save(self) -> None:
        """Write all rows."""
