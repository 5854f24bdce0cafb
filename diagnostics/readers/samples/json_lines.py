"""Reads sample logs: JSON lines in which each row of completions names its step, one file for all steps.

ms-swift writes one line per step whose cells are lists; open-instruct one line per completion, in numbered parts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.foreign_files import open_regular, read_spans
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, SPAN_BYTES
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files.json_lines import JsonLines, Row, parse_row
from diagnostics.readers.run_folder import run_name
from diagnostics.readers.samples.cut_steps import beyond_bytes, beyond_count
from diagnostics.readers.samples.tables import completions_in, is_sample_table, step_of, to_samples
from diagnostics.told import told

FIRST_ROW_BYTES = 1 << 22  # a line may contain the completions of a whole batch
_PART = re.compile(r"(?P<run>.+_rollouts_)(?P<number>\d{6})")
_STEP_FILE = re.compile(r"(?:.*_step|.*\.step_|)\d+")
_EVAL_NAMES = ("val", "eval")


class Span(NamedTuple):
    """Consecutive rows: bytes `start` to `end` of a file."""

    file: Path
    start: int
    end: int


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every file directly in the folder whose first row contains completions and their step; the first of parts."""
    return tuple(RunRef(file, "samples", f"{run_name(folder)}/{file.stem}", folder) for file in _logs_in(folder))


def start_time(path: Path) -> float | None:
    """Unknown: the rows contain no times."""


def is_sample_log(file: Path) -> bool:
    """Whether a file's first row contains completions and names their step."""
    try:
        with open_regular(file) as lines:
            row = parse_row(lines.readline(FIRST_ROW_BYTES))
    except OSError:
        return False
    return row is not None and is_sample_table(row) and step_of(row) is not None


class Reader:
    """Follows the parts of one log: a run with samples but no metrics of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = _Log()
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if not self.path.exists():
            raise UnreadableRun(
                self.path, told("{path} is gone: its samples were there and have been removed", path=self.path)
            )
        if self._log.was_replaced:
            self._log, self._last = _Log(), None
        if self._log.read(_parts_of(self.path)) or self._last is None:
            self._last = self._record()
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The parts of the log, and the folder in which more may appear."""
        return (*_parts_of(self.path), self.path.parent)

    def name(self) -> str:
        """The run's name among the runs of its folder."""
        return f"{run_name(self.path.parent)}/{self.path.stem}"

    def sample_index(self) -> Any:
        """The rows of each step, by file, first and last byte."""
        return [[step, [[str(file), *ends] for file, *ends in spans]] for step, spans in self._log.spans.items()]

    def samples_of(self, index: Any) -> Samples:
        """The samples in these rows."""
        path_of = cache(Path)  # a log whose steps alternate has as many spans as rows
        return _samples({step: [Span(path_of(file), *ends) for file, *ends in spans] for step, spans in index})

    def _record(self) -> Recording:
        spans = self._log.spans
        return Recording(
            path=self.path,
            sources=(Source("samples", self.path),),
            run_id=self.path.stem,
            name=self.name(),
            tags={},
            samples=_samples(spans),
            status=Status(state="unknown", step=max(spans, default=None), last_written=self.path.stat().st_mtime),
            malformed=self._log.malformed,
            notes=tuple(self._log.notes()),
        )


class _Log:
    """What was read of one log's parts so far."""

    def __init__(self) -> None:
        self.spans: dict[int, list[Span]] = {}
        self._parts: dict[Path, JsonLines] = {}
        self._counts: Counter[int] = Counter()  # completions by step
        self._sizes: Counter[int] = Counter()  # bytes by step
        self._misfits = 0  # rows that name no step

    @property
    def was_replaced(self) -> bool:
        return any(part.tail.was_replaced for part in self._parts.values())

    @property
    def malformed(self) -> int:
        return self._misfits + sum(part.malformed for part in self._parts.values())

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        for file, part in self._parts.items():
            yield from part.notes()
            yield from beyond_bytes(self._large_steps(file), file)
        yield from beyond_count(self._counts)

    def _large_steps(self, file: Path) -> dict[int, int]:
        """The bytes of steps in one of the parts, of those alone that are large in all parts together."""
        large = [step for step, size in self._sizes.items() if size > SPAN_BYTES]
        return {step: sum(end - start for path, start, end in self.spans[step] if path == file) for step in large}

    def read(self, files: tuple[Path, ...]) -> bool:
        """Index the new rows; False if there are none."""
        before = sum(part.tail.offset for part in self._parts.values())
        for file in files:
            for start, end, row in self._parts.setdefault(file, JsonLines(file)).lines():
                step = step_of(row)
                if step is None:
                    self._misfits += 1
                else:
                    self._note(step, Span(file, start, end))
                    self._counts[step] += completions_in(row)
                    self._sizes[step] += end - start
        return sum(part.tail.offset for part in self._parts.values()) != before

    def _note(self, step: int, span: Span) -> None:
        spans = self.spans.setdefault(step, [])
        if spans and (spans[-1].file, spans[-1].end) == (span.file, span.start):
            span = spans.pop()._replace(end=span.end)
        spans.append(span)


def _samples(spans: Mapping[int, Sequence[Span]]) -> Samples:
    found = {step: tuple(spans[step]) for step in sorted(spans)}
    return Samples(tuple(found), partial(load_samples, found))


def load_samples(spans: Mapping[int, tuple[Span, ...]], step: int) -> tuple[Sample, ...]:
    """The samples of one step in file order; none if the file is gone."""
    rows = list(islice(_rows(spans[step]), SAMPLE_ROWS))
    is_eval = spans[step][0].file.name.startswith(_EVAL_NAMES)
    return to_samples(rows, step, split="eval" if is_eval else "train")


def _rows(spans: Sequence[Span]) -> Iterator[Row]:
    for file, found in groupby(spans, attrgetter("file")):
        with suppress(OSError):
            for text in read_spans(file, ((span.start, span.end) for span in found)):
                yield from (row for row in map(parse_row, text.split(b"\n")) if row is not None)


def _logs_in(folder: Path) -> Iterator[Path]:
    logs = set[str]()  # whose first part was seen
    for file in files_in(folder, "*.jsonl"):
        if _STEP_FILE.fullmatch(file.stem):  # the reader of completions knows it
            continue
        part = _PART.fullmatch(file.stem)
        log = part["run"] if part else file.stem
        if log not in logs and is_sample_log(file):
            yield file
        logs.add(log)


def _parts_of(file: Path) -> tuple[Path, ...]:
    """The numbered parts of one log in order; the file alone if it is not a part."""
    match = _PART.fullmatch(file.stem)
    if match is None:
        return (file,)
    matches = {path: _PART.fullmatch(path.stem) for path in files_in(file.parent, f"*{file.suffix}")}
    return tuple(sorted(path for path, found in matches.items() if found and found["run"] == match["run"]))
