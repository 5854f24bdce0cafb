"""A process of the trainer that answers a request, line by line, within a time limit."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import IO, Any

from diagnostics.told import told

_LOOK_SECONDS = 0.1  # between two looks at what it has answered, and at whether that is still wanted


class TrialError(Exception):
    """The reward functions, the policy or the tokenizer could not be tried; the message is one sentence."""


def answers_of(
    command: Sequence[str], request: Mapping[str, Any], whom: str, is_wanted: Callable[[], bool]
) -> Generator[dict[str, Any] | None, None, None]:
    """The answers of `trainer.main` to a request, each as soon as it is there; None about ten times a second meanwhile.

    The process is killed when the caller reads no further.

    Raises:
        TrialError: The process was not wanted any more, or says why it cannot.
    """
    words = [sys.executable, "-P", "-m", "trainer.main", *command]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as asked,  # a pipe takes no long request at once
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints,
    ):
        json.dump(request, asked, default=list)
        asked.seek(0)
        with subprocess.Popen(words, stdin=asked, stdout=output, stderr=complaints) as process:
            try:
                yield from _lines(process, output, whom, is_wanted)
            finally:
                process.kill()  # nothing happens to one that has ended
        if process.returncode:
            complaints.seek(0)
            said = _last_message(complaints.read())
            raise TrialError(said or told("the trainer's process ended with {code}", code=process.returncode))


def _lines(
    process: subprocess.Popen[bytes], output: IO[bytes], whom: str, is_wanted: Callable[[], bool]
) -> Generator[dict[str, Any] | None, None, None]:
    """What the process writes, until it has ended; the last look comes after its end."""
    read, torn, has_ended = 0, b"", False
    while not has_ended:
        if not is_wanted():
            raise TrialError(told("{whom} gave no answer: the attempt was cancelled before there was one", whom=whom))
        has_ended = _ends_within(process, _LOOK_SECONDS)
        news = os.pread(output.fileno(), os.fstat(output.fileno()).st_size - read, read)  # leaves the writer's place
        read += len(news)
        *lines, torn = (torn + news).split(b"\n")
        yield from filter(None, map(_answer, lines))
        yield None


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _answer(line: bytes) -> dict[str, Any] | None:
    """The line's object; None for what a library below Python printed there."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _last_message(text: str) -> str:
    """The last thing that the trainer said for a person, on one line; else the last line, which tells an exception."""
    _, mark, message = f"\n{text}".rpartition("\nrlvitals: ")
    lines = message.split() if mark else text.strip().splitlines()[-1:]
    return " ".join(lines)
