"""The end of a training's console log."""

from pathlib import Path

from diagnostics.foreign_files import read_end
from diagnostics.readers.console.plain_text import strip_ansi

_LINES = 200
_BYTES = 64 * 1024  # enough for that many lines, however long the file is


def console_tail(path: Path | None, lines: int = _LINES) -> str:
    """The last lines of a console log; empty where there is none.

    Colours are left out, and redrawn progress bars are reduced to their last state.
    """
    if path is None:
        return ""
    try:
        text = read_end(path, _BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""
    shown = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")[-lines - 1 :])
    return strip_ansi("\n".join(shown).strip("\n"))
