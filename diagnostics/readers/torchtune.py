"""The reader of torchtune's own log: `log_UNIXTIME.txt`, lines of `Step N | name:value name:value`."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

from diagnostics.readers import RunRef, UnreadableRun
from diagnostics.readers.columns import Columns
from diagnostics.readers.rows import LARGEST_STEP
from diagnostics.readers.surroundings import run_name
from diagnostics.readers.text_lines import TextLines
from diagnostics.run import Recording, Samples, Source, Status

FILES = "log_*.txt"
SILENCE_LIMIT_SECONDS = 300.0
HEAD_BYTES = 256
_LINE = re.compile(r"Step (?P<step>-?\d+) \| ?(?P<values>.*)", re.DOTALL)
_FILE = re.compile(r"log_(?P<time>\d+)\.txt")


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every log right in the folder that begins as torchtune's do: each start of a training opens a new one."""
    files = [file for file in sorted(folder.glob(FILES)) if file.is_file() and _is_log(file)]
    return tuple(RunRef(file, "torchtune", _name(file), folder) for file in files)


def started(path: Path) -> float | None:
    """When the log was opened, as its name says."""
    match = _FILE.fullmatch(path.name)
    return float(match["time"]) if match else None


class Reader:
    """Follows one log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = _Log(path)
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """All that the run holds by now; the object of the last call when nothing changed. Raises UnreadableRun."""
        if not self.path.exists():
            raise UnreadableRun(self.path, f"{self.path} is gone: the log was there and has been removed")
        if self._log.lines.tail.was_replaced:
            self._log, self._last = _Log(self.path), None
        grew = self._log.read()
        written = self.path.stat().st_mtime
        state = "running" if time.time() - written <= SILENCE_LIMIT_SECONDS else "silent"
        status = Status(state=state, step=self._log.last_step, last_written=written)
        if self._last is None or grew or status != self._last.status:
            self._last = self._record(status)
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The file."""
        return (self.path,)

    def name(self) -> str:
        """What the run is called among the other runs of its folder."""
        return _name(self.path)

    def sample_index(self) -> None:
        """Nothing: a line of metrics holds no samples."""

    def samples_of(self, index: None) -> Samples:
        """No samples."""
        return Samples()

    def _record(self, status: Status) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("torchtune", self.path),),
            run_id=self.path.stem,
            name=_name(self.path),
            tags=self._log.columns.series(),
            status=status,
            created=started(self.path),
            malformed=self._log.malformed,
        )


class _Log:
    """What was read of one file so far; lines without a step or with a value that is no number are counted."""

    def __init__(self, path: Path) -> None:
        self.lines = TextLines(path)
        self.columns = Columns()
        self.malformed = 0
        self.last_step: int | None = None

    def read(self) -> bool:
        """Take in what is new; False where nothing is."""
        before = self.lines.tail.offset
        for line in self.lines.lines():
            self._take(line.rstrip())
        return self.lines.tail.offset != before

    def _take(self, line: str) -> None:
        match = _LINE.fullmatch(line)
        step = int(match["step"]) if match and len(match["step"]) < 20 else None
        if match is None or step is None or not -LARGEST_STEP <= step < LARGEST_STEP:
            self.malformed += 1
            return
        for name, value in _values(match["values"]):
            try:
                self.columns.add(name, step, float(value), 0.0)
            except ValueError:
                self.malformed += 1
        self.last_step = step


def _values(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of a line; a name may hold spaces and colons, a value neither."""
    words = list[str]()
    for word in text.split(" "):
        name, colon, value = word.rpartition(":")
        words.append(name if colon else word)
        if colon:
            yield " ".join(words), value
            words.clear()


def _is_log(file: Path) -> bool:
    try:
        with file.open("rb") as log:
            return _LINE.match(log.read(HEAD_BYTES).decode("utf-8", "replace")) is not None
    except OSError:
        return False


def _name(file: Path) -> str:
    return f"{run_name(file.parent)}/{file.stem}"
