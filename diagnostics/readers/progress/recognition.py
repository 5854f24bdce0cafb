"""Recognises the texts whose rows are in a form of somebody's own, by their head and their end."""

import re
from functools import lru_cache
from pathlib import Path

from diagnostics.readers.console.recognition import MOST_TEXTS, has_row, is_console
from diagnostics.readers.files.head_and_end import head_and_end
from diagnostics.readers.progress.lines import OF_TRAINING
from diagnostics.readers.progress.pattern import Progress
from diagnostics.readers.tables.torchtune import is_log
from diagnostics.readers.wandb.run_folders import is_own_log, run_of_output
from diagnostics.readers.whole_file import seen

_OF_TRAINING = re.compile(OF_TRAINING.pattern.encode())


def is_progress(file: Path) -> bool:
    """Whether a text shows rows of a training that no other format reads.

    That a known trainer is named in it, as in a traceback, does not make it that trainer's: it has none of its rows. A
    tracker's copy of the console stays with its run.
    """
    if is_own_log(file) or has_row(file) or (run_of_output(file) and is_console(file)):
        return False
    try:
        return _shows_progress(file, *seen(file)) and not is_log(file)
    except OSError:  # gone just now, or not ours to read
        return False


@lru_cache(MOST_TEXTS)
def _shows_progress(file: Path, inode: int, size: int, changed: int) -> bool:
    """Whether the head or the end of a text shows rows of progress; an unchanged text is not read again."""
    parts = head_and_end(file, size)
    return any(_OF_TRAINING.search(part) is not None and _is_training(part) for part in parts)


def _is_training(text: bytes) -> bool:
    progress = Progress()
    for line in text.decode("utf-8", "replace").split("\n"):
        progress.feed(line)
    return progress.is_training
