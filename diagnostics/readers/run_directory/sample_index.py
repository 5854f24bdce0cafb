"""The samples of a run directory: an index from step to byte ranges, and the rows of one step on demand."""

from bisect import insort
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_span
from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.model.samples import Sample, Samples
from diagnostics.readers.files.json_lines import JsonLines, Row, as_number, as_text, as_whole, parse_row
from diagnostics.readers.samples.cut_steps import beyond_bytes, beyond_count

Span = tuple[int, int]  # first byte, and the byte after the last


class SampleIndex:
    """Where each step's samples are in samples.jsonl; if a step was logged twice, its last block counts."""

    def __init__(self, path: Path) -> None:
        self.lines = JsonLines(path)
        self._spans: dict[int, Span] = {}
        self._counts: Counter[int] = Counter()  # lines of the spans
        self._steps: list[int] = []  # of the spans, in order
        self._is_shared = False  # the spans were returned to a caller and must not change
        self._followed: set[int] = set()
        self._last_step: int | None = None
        self._misfits = 0  # lines that are JSON but name no step

    @property
    def malformed(self) -> int:
        """Lines that are not a sample."""
        return self.lines.malformed + self._misfits

    def read(self) -> None:
        """Index appended lines."""
        for start, end, row in self.lines.lines():
            step = as_whole(row.get("step"))
            if step is None:
                self._misfits += 1
                continue
            if step != self._last_step:
                self._followed.discard(step)
                self._counts[step] = 0
            self._counts[step] += 1
            if row.get("followed") is True:
                self._followed.add(step)
            self._note(step, self._spans[step][0] if step == self._last_step else start, end)
            self._last_step = step

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        yield from self.lines.notes()
        sizes = {step: end - start for step, (start, end) in self._spans.items()}
        yield from beyond_bytes(sizes, self.lines.tail.path)
        yield from beyond_count(self._counts)

    def _note(self, step: int, start: int, end: int) -> None:
        if step not in self._spans:
            insort(self._steps, step)
        elif self._is_shared:
            self._spans, self._is_shared = dict(self._spans), False
        self._spans[step] = start, end

    def index(self) -> dict[str, list[Any]]:
        """The index as JSON-serialisable data."""
        return {"spans": [[step, *span] for step, span in self._spans.items()], "followed": sorted(self._followed)}

    def restore(self, index: Mapping[str, Any]) -> None:
        """Adopt a stored index of the same file."""
        self._spans = {step: (start, end) for step, start, end in index["spans"]}
        self._steps = sorted(self._spans)
        self._followed = set(index["followed"])

    def snapshot(self) -> Samples:
        """The samples indexed so far; rows are read from disk on demand."""
        self._is_shared = True
        load = partial(load_samples, self.lines.tail.path, self._spans)
        return Samples(tuple(self._steps), load, tuple(sorted(self._followed)))


def load_samples(path: Path, spans: Mapping[int, Span], step: int) -> tuple[Sample, ...]:
    """The samples of one step in file order; none if the file is gone."""
    start, end = spans[step]
    try:
        rows = map(parse_row, read_span(path, start, end).split(b"\n"))
    except OSError:
        return ()
    found = (to_sample(row) for row in rows if row is not None and row.get("step") == step)
    return tuple(islice(found, SAMPLE_ROWS))


def to_sample(row: Row) -> Sample:
    """One line of samples.jsonl; keys without a Sample field go to `extra`."""
    rest = dict(row)
    rewards, terminated = rest.pop("rewards", None), rest.pop("terminated", None)
    return Sample(
        step=rest.pop("step"),
        query=as_text(rest.pop("query", "")),
        response=as_text(rest.pop("response", "")),
        score=as_number(rest.pop("score", None)),
        rewards=_numbers(rewards) if isinstance(rewards, dict) else {},
        advantage=as_number(rest.pop("advantage", None)),
        terminated=terminated if isinstance(terminated, bool) else None,
        length=as_whole(rest.pop("length", None)),
        group=as_whole(rest.pop("group", None)),
        split=as_text(rest.pop("split", "train")),
        followed=rest.pop("followed", False) is True,
        extra=rest,
    )


def _numbers(rewards: Row) -> dict[str, float]:
    numbers = {name: as_number(value) for name, value in rewards.items()}
    return {name: number for name, number in numbers.items() if number is not None}
