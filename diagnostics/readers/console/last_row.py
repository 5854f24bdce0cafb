"""The last row of a text, which lacks a line end where the text was pasted or its writer was killed."""

import time
from pathlib import Path

from diagnostics.readers.console.lines import is_whole_row
from diagnostics.readers.liveness import CRASH_SECONDS


def is_last_row(incomplete_line: str, file: Path) -> bool:
    """Whether the end of a file is a complete row to which nothing more will be written. Raises OSError."""
    return is_whole_row(incomplete_line) and time.time() - file.stat().st_mtime > CRASH_SECONDS
