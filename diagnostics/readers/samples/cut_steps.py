"""What the bounds on the completions of a step leave out, as the sentences that a recording carries."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files import FileTooLarge, read_lines
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, SPAN_BYTES, TABLE_BYTES, WHOLE_FILE_BYTES, size_in_words
from diagnostics.language import N_
from diagnostics.readers.files.parquet import Fitting
from diagnostics.told import told

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
    template = N_("the first {read} completions of step {step} are read (of {of})")
    return _beyond(counts, SAMPLE_ROWS, template, lambda count: f"{count:,}")


def beyond_bytes(sizes: Mapping[int, int], file: Path) -> Iterator[str]:
    """A sentence if steps take more bytes in a file than are read."""
    template = N_("the first {read} of step {step} in {file} are read (of {of})")
    return _beyond(sizes, SPAN_BYTES, template, size_in_words, file=file.name)


def of_largest(root: Path, largest: StepFile, count: Callable[[Path], int]) -> Iterator[str]:
    """Sentences about the largest of the files of JSON lines with a step in each; the others are not looked at.

    Args:
        count: How many completions there are in a file, as far as it is read.
    """
    path, size, is_cut = largest.path, largest.size, largest.size > SPAN_BYTES
    found = count(path) if size >= SAMPLE_ROWS * _LEAST_BYTES else 0
    if found > SAMPLE_ROWS:
        yield _count_cut(root, path, told("more than {count}", count=f"{found:,}") if is_cut else f"{found:,}")
    elif is_cut:
        yield _size_cut(root, path, size)
    if WHOLE_FILE_BYTES < size <= SPAN_BYTES and _has_long_lines(path, size):
        most = size_in_words(WHOLE_FILE_BYTES)
        yield told(
            "lines of {file}, the largest file, with more than {most} are skipped",
            file=path.relative_to(root),
            most=most,
        )


def of_largest_parquet(root: Path, largest: StepFile, fitting: Fitting) -> Iterator[str]:
    """The same of parquet files, by how many rows of the largest fit."""
    if fitting.rows >= fitting.declared:
        return
    told_of = _count_cut(root, largest.path, f"{fitting.declared:,}", fitting.rows)
    if fitting.rows == SAMPLE_ROWS:
        yield told_of
    else:
        yield told("{sentence}, up to {size} of memory", sentence=told_of, size=size_in_words(TABLE_BYTES))


def refused_largest(root: Path, largest: StepFile) -> Iterator[str]:
    """The same of files that are decoded as a whole or not at all."""
    if largest.size > WHOLE_FILE_BYTES:
        too_large = FileTooLarge(largest.path, largest.size, WHOLE_FILE_BYTES)
        yield told(
            "{file}, the largest file, cannot be read: {why}",
            file=largest.path.relative_to(root),
            why=too_large.strerror,
        )


def _has_long_lines(file: Path, size: int) -> bool:
    try:
        return sum(map(len, read_lines(file))) < size
    except OSError:  # gone meanwhile
        return False


def _count_cut(root: Path, file: Path, of: str, read: int = SAMPLE_ROWS) -> str:
    return told(
        "the first {read} completions of {file}, the largest file, are read (of {of})",
        read=f"{read:,}",
        file=file.relative_to(root),
        of=of,
    )


def _size_cut(root: Path, file: Path, size: int) -> str:
    read, of = size_in_words(SPAN_BYTES), size_in_words(size)
    return told(
        "the first {read} of {file}, the largest file, are read (of {of})",
        read=read,
        file=file.relative_to(root),
        of=of,
    )


def _beyond(
    sizes: Mapping[int, int], most: int, template: str, in_words: Callable[[int], str], **values: str
) -> Iterator[str]:
    """One sentence about all steps beyond a bound; it names the one that is furthest beyond."""
    beyond = [step for step, size in sizes.items() if size > most]
    if not beyond:
        return
    step = max(beyond, key=lambda step: sizes[step])
    sentence = told(template, read=in_words(most), step=step, of=in_words(sizes[step]), **values)
    if len(beyond) == 1:
        yield sentence
    else:
        others = N_("{sentence}; other steps beyond this bound: {count}")
        yield told(others, sentence=sentence, count=f"{len(beyond) - 1:,}")
