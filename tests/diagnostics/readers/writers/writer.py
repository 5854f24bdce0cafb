"""What the conformance suite needs of a format: how a run of it begins, grows and is damaged, and what it can hold."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import ClassVar

from diagnostics.readers.base import Reader

Metrics = Mapping[str, float]
Row = tuple[int, Metrics]


class Growth(Enum):
    """How a file comes to hold more, which decides what may be seen of it half written."""

    APPENDED = "at its end, so that a torn tail is waited for and nothing before it is read again"
    IN_PLACE = "page by page of a database, whose own journal makes a row whole"
    BY_STEP = "by a new file or folder for each step"
    WHOLE = "written anew from its first byte, by whoever saves or exports it"


class RunWriter(ABC):
    """A run of one format, with nothing in it yet, in a new folder at `path`.

    `form` is the name of the format and `mark` the one of its marks by which discovery finds this run. `file` is what
    the tests tear, shorten and replace.
    """

    form: ClassVar[str]
    mark: ClassVar[str]
    growth: ClassVar[Growth]
    begins_empty: ClassVar[bool] = True  # else there is no run before something is in it

    path: Path
    file: Path

    @abstractmethod
    def corrupt(self, place: int) -> None:
        """Make a record unreadable: of a run of metrics what the write of that number wrote."""

    @abstractmethod
    def reader(self) -> Reader:
        """A reader that has seen nothing of the run."""

    def content(self) -> dict[Path, bytes]:
        """Every file of the run."""
        return {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}

    def put_back(self, content: Mapping[Path, bytes]) -> None:
        """Write the files again as they were."""
        for path, found in content.items():
            path.write_bytes(found)

    def close(self) -> None:  # noqa: B027 - most have nothing to let go of
        """Let go of what is held open between writes."""


class MetricWriter(RunWriter):
    """A run of metrics."""

    growth = Growth.APPENDED
    names_steps: ClassVar[bool] = True  # else the rows are counted
    most_names: ClassVar[int] = 1_000_000  # that a step of this format can be expected to have

    @abstractmethod
    def write(self, step: int, metrics: Metrics) -> None:
        """Log these metrics at one step."""

    def write_rows(self, rows: Iterable[Row]) -> None:
        """Log many steps, at once where the producer can."""
        for step, metrics in rows:
            self.write(step, metrics)


class AppendingWriter(MetricWriter):
    """A run whose `file` is appended to. `vulnerable` is a byte of a record without which all of it is unreadable."""

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
    """A run whose `file` is written anew with every row that was logged so far; a bad row has no step."""

    growth = Growth.WHOLE
    ends_visibly: ClassVar[bool] = True  # else what was cut off at the end of a row may be the whole

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
