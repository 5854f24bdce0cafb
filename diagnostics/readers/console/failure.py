"""Why a training died, according to the last lines of its console output."""

import re
from collections import deque
from copy import copy

from diagnostics.readers.console.plain_text import strip_ansi
from diagnostics.readers.console_end import without_native_frames

LAST_LINES = 200  # since the last row: tracebacks of several processes, and what led to them
_TRACEBACK = "Traceback (most recent call last):"
_ERROR = re.compile(
    r"(?:\[?rank\d+\]?:\s*|\([^()]{0,80}\)\s+)?(?P<error>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)"
)
# torchrun, torchrun after a signal, accelerate launch.
_OF_LAUNCHER = re.compile(r"(?:\w+\.)*(?:ChildFailedError|SignalException|CalledProcessError)\b")
_KILLED = re.compile(  # messages of a shell, Slurm and torchrun
    r"Killed|\S{1,200}: line \d+:\s+\d+ Killed\b.*"
    r"|.{0,200}\boom[-_]kill\b.*|.{0,80}Signal 9 \(SIGKILL\) received by PID.*"
    r"|(?:slurmstepd|srun): error: \*\*\* .{0,200}\bCANCELLED AT .*"
)
_OF_KILLING = ("Killed", "oom_kill", "oom-kill", "SIGKILL", "CANCELLED AT")
_BY_HAND = "KeyboardInterrupt"


class Ending:
    """The last lines, and the error that ended the process if they show one.

    Launchers report afterwards that a child process failed; that counts as the error only if no other is known.
    """

    def __init__(self) -> None:
        self.lines = deque[str](maxlen=LAST_LINES)
        self.error: str | None = None
        self._is_in_traceback = False

    def feed(self, line: str) -> None:
        """Process the next line of the console."""
        words = strip_ansi(line.rpartition("\r")[2]).rstrip()
        if not words or without_native_frames(words):
            self.lines.append(words)
        if _TRACEBACK in words:
            self._is_in_traceback = True
        elif self._is_in_traceback and (match := _ERROR.match(words)):
            self._record_error(match["error"], is_root=_OF_LAUNCHER.match(match["error"]) is None)
        elif any(word in words for word in _OF_KILLING) and _KILLED.fullmatch(words.strip()):
            self._record_error(words.strip(), is_root=self._is_unknown)

    def with_last(self, line: str) -> "Ending":
        """The same with one more line, which may be incomplete."""
        found = copy(self)
        found.lines = self.lines.copy()
        if line:
            found.feed(line)
        return found

    @property
    def was_by_hand(self) -> bool:
        """Whether the user pressed Ctrl-C."""
        return self.error is not None and self.error.startswith(_BY_HAND)

    @property
    def _is_unknown(self) -> bool:
        return self.error is None or _OF_LAUNCHER.match(self.error) is not None

    def _record_error(self, error: str, *, is_root: bool) -> None:
        if is_root or self.error is None:
            self.error = error

    def clear(self) -> None:
        """Drop the error and the lines: the training continued."""
        self.error, self._is_in_traceback = None, False
        self.lines.clear()
