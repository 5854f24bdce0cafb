"""The plans that a training process gets, and the folder that each one's training writes into."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.trl_side.corpus.models import UNFINISHED


def plans_with_folders(cache: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """Each plan on standard input with an empty folder, which becomes the cell's once the next plan is asked for.

    Says so on standard output, which then has nothing but these answers: what libraries print goes to standard error.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        plan = json.loads(line)
        folder = cache / "runs" / plan["name"]
        unfinished = folder.with_name(folder.name + UNFINISHED)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        yield plan, unfinished
        unfinished.rename(folder)
        answers.write(f"trained {plan['name']}\n")
        answers.flush()


@contextmanager
def printed_into(file: Path) -> Iterator[None]:
    """Everything that is printed goes into a file, whichever library does it."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with file.open("wb") as console:
        os.dup2(console.fileno(), 1)
        os.dup2(console.fileno(), 2)
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for stream, old in zip((1, 2), kept, strict=True):
                os.dup2(old, stream)
                os.close(old)
