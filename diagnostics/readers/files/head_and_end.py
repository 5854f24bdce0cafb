"""The head and the end of a file: enough to recognise it without reading all of it."""

from collections.abc import Iterator
from pathlib import Path

from diagnostics.foreign_files import open_regular

HEAD_BYTES, END_BYTES = 1 << 20, 1 << 18


def head_and_end(file: Path, size: int) -> Iterator[bytes]:
    """The first bytes of a file of this size, then the last ones behind them. Raises OSError."""
    with open_regular(file) as content:
        yield content.read(HEAD_BYTES)
        content.seek(max(HEAD_BYTES, size - END_BYTES))
        yield content.read(END_BYTES)
