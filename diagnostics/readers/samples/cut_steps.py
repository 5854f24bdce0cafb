"""What the bounds on the completions of a step leave out, as the sentences that a recording carries."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files import FileTooLarge, read_lines
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, SPAN_BYTES, TABLE_BYTES, WHOLE_FILE_BYTES, size_in_words
from diagnostics.readers.files.parquet import Fitting

_LEAST_BYTES = 6  # of a completion: a question and an answer, each with its quotes and a comma


class StepFile(NamedTuple):
    """A file with the completions of one step, or their folder, as of one moment; `written` in nanoseconds."""

    path: Path
    written: int
    size: int

    @classmethod
    def at(cls, path: Path) -> "StepFile":
        """The state of a path now. Raises OSError if it does not exist."""
        found = path.stat()
        return cls(path, found.st_mtime_ns, found.st_size)


def beyond_count(counts: Mapping[int, int]) -> Iterator[str]:
    """A sentence if steps hold more completions than are read; `counts` is how many each holds."""
    return _beyond(counts, SAMPLE_ROWS, " completions", "", lambda count: f"{count:,}")


def beyond_bytes(sizes: Mapping[int, int], file: Path) -> Iterator[str]:
    """A sentence if steps take more bytes in a file than are read."""
    return _beyond(sizes, SPAN_BYTES, "", f" in {file.name}", size_in_words)


def of_largest(root: Path, largest: StepFile, count: Callable[[Path], int]) -> Iterator[str]:
    """Sentences about the largest of the files of JSON lines with a step in each; the others are not looked at.

    Args:
        count: How many completions there are in a file, as far as it is read.
    """
    path, size, is_cut = largest.path, largest.size, largest.size > SPAN_BYTES
    found = count(path) if size >= SAMPLE_ROWS * _LEAST_BYTES else 0
    if found > SAMPLE_ROWS:
        yield _count_cut(root, path, f"more than {found:,}" if is_cut else f"{found:,}")
    elif is_cut:
        yield _size_cut(root, path, size)
    if WHOLE_FILE_BYTES < size <= SPAN_BYTES and _has_long_lines(path, size):
        most = size_in_words(WHOLE_FILE_BYTES)
        yield f"lines of {path.relative_to(root)}, the largest file, with more than {most} are skipped"


def of_largest_parquet(root: Path, largest: StepFile, fitting: Fitting) -> Iterator[str]:
    """The same of parquet files, by how many rows of the largest fit."""
    if fitting.rows >= fitting.declared:
        return
    within = "" if fitting.rows == SAMPLE_ROWS else f", up to {size_in_words(TABLE_BYTES)} of memory"
    yield f"{_count_cut(root, largest.path, f'{fitting.declared:,}', fitting.rows)}{within}"


def refused_largest(root: Path, largest: StepFile) -> Iterator[str]:
    """The same of files that are decoded as a whole or not at all."""
    if largest.size > WHOLE_FILE_BYTES:
        too_large = FileTooLarge(largest.path, largest.size, WHOLE_FILE_BYTES)
        yield f"{largest.path.relative_to(root)}, the largest file, cannot be read: {too_large.strerror}"


def _has_long_lines(file: Path, size: int) -> bool:
    try:
        return sum(map(len, read_lines(file))) < size
    except OSError:  # gone meanwhile
        return False


def _count_cut(root: Path, file: Path, of: str, read: int = SAMPLE_ROWS) -> str:
    return f"the first {read:,} completions of {file.relative_to(root)}, the largest file, are read (of {of})"


def _size_cut(root: Path, file: Path, size: int) -> str:
    read, of = size_in_words(SPAN_BYTES), size_in_words(size)
    return f"the first {read} of {file.relative_to(root)}, the largest file, are read (of {of})"


def _beyond(
    sizes: Mapping[int, int], most: int, unit: str, place: str, in_words: Callable[[int], str]
) -> Iterator[str]:
    """One sentence about all steps beyond a bound; it names the one that is furthest beyond."""
    beyond = [step for step, size in sizes.items() if size > most]
    if beyond:
        step = max(beyond, key=lambda step: sizes[step])
        others = f"; other steps beyond this bound: {len(beyond) - 1:,}" if len(beyond) > 1 else ""
        yield f"the first {in_words(most)}{unit} of step {step}{place} are read (of {in_words(sizes[step])}){others}"
