"""The console of a training: what is printed goes to the terminal and to <run>/console.log; progress with an ETA."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import TextIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Never, TextIO, TypeVar

from diagnostics.language import _
from diagnostics.runlog import CONSOLE_FILE
from diagnostics.visible_text import one_line

if TYPE_CHECKING:
    from tqdm import tqdm

SECONDS_BETWEEN_LINES = 2.0
_SHOWN_METRICS = ("objective/rlhf_reward", "reward")
_already_said: set[str] = set()
Item = TypeVar("Item")


def say_once(key: str, sentence: str) -> None:
    """Write a remark to the console the first time in this process that its key comes up."""
    if key not in _already_said:
        _already_said.add(key)
        sys.stderr.write(f"rlvitals: {one_line(sentence)}\n")


def progress(items: Iterable[Item], total: int, title: str) -> Iterable[Item]:
    """The items as they come; a terminal shows a bar meanwhile, a pipe gets one line that says what is going on."""
    from tqdm import tqdm  # noqa: PLC0415 - only what shows progress needs it

    if not sys.stderr.isatty():
        sys.stderr.write(f"{title}\n")
    return tqdm(items, title, total, disable=None)


class Tee(TextIOBase):
    """A text stream that writes everything twice: to where it is shown, and to a file that keeps it while it can."""

    def __init__(self, shown: TextIO, kept: TextIO) -> None:
        self.shown = shown
        self.kept = kept

    def write(self, text: str) -> int:
        with suppress(OSError):  # a full disk must not end a training that can still say so on the terminal
            self.kept.write(text)
        return self.shown.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self.kept.flush()
        self.shown.flush()

    def isatty(self) -> bool:
        return self.shown.isatty()

    def fileno(self) -> int:
        return self.shown.fileno()


@contextmanager
def recorded_console(directory: Path, number: int = 0) -> Iterator[None]:
    """Keep what is printed meanwhile in the run's console.log as well, unless the streams go there already.

    The processes beside the first one have console.rank1.log and so on, and show nothing.
    """
    if number:
        path = directory / f"console.rank{number}.log"
        with path.open("a", encoding="utf-8", buffering=1) as kept, redirect_stdout(kept), redirect_stderr(kept):
            yield
        return
    path = directory / CONSOLE_FILE
    if _goes_to(sys.stderr, path):
        yield
        return
    with (
        path.open("a", encoding="utf-8", buffering=1) as kept,
        redirect_stdout(Tee(sys.stdout, kept)),
        redirect_stderr(Tee(sys.stderr, kept)),
    ):
        yield


class Progress:
    """A bar on a terminal; elsewhere, and always in console.log, a line every few seconds."""

    def __init__(self, total: int, done: int = 0) -> None:
        self._total = total
        self._first: tuple[int, float] | None = None  # the start of the process, imports and all, is no step
        self._last_line = -SECONDS_BETWEEN_LINES
        stream = sys.stderr
        self._lines: TextIO = stream
        self._bar: tqdm[Never] | None = None
        if isinstance(stream, Tee) and stream.isatty():
            self._lines = stream.kept
            self._bar = _bar_on(stream.shown, total, done)

    def show(self, step: int, metrics: Mapping[str, float]) -> None:
        """Say where the training stands after a step."""
        note = " ".join(f"{name} {metrics[name]:.4g}" for name in _SHOWN_METRICS if name in metrics)
        note = note or _("no completion was scored")
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update()
        now = time.monotonic()
        if now - self._last_line >= SECONDS_BETWEEN_LINES or step == self._total:
            self._last_line = now
            where = _("step {step}/{total}").format(step=step, total=self._total)
            self._lines.write(f"{where} · {note}{self._pace_and_eta(step, now)}\n")
            self._lines.flush()

    def _pace_and_eta(self, step: int, now: float) -> str:
        """Seconds per step since the first one, and what they make of the steps that are left."""
        if self._first is None:
            self._first = step, now
            return ""
        seconds = (now - self._first[1]) / (step - self._first[0])
        words = _("{pace:.2f} s/step · {left:.0f} s left")
        return f" · {words.format(pace=seconds, left=(self._total - step) * seconds)}"

    def close(self) -> None:
        """End the bar's line."""
        if self._bar is not None:
            self._bar.close()


def _bar_on(stream: TextIO, total: int, done: int) -> "tqdm[Never]":
    from tqdm import tqdm  # noqa: PLC0415 - part of the trainer extra, whose absence is reported after this module loads

    return tqdm(total=total, initial=done, file=stream, unit=_("step"), dynamic_ncols=True)


def _goes_to(stream: TextIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except (OSError, ValueError):  # a stream without a descriptor, or no console.log yet
        return False
