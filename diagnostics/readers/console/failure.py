"""What a training died of, by the last lines of its console."""

import re
from collections import deque
from copy import copy

from diagnostics.readers.console.plain_text import strip_ansi

LAST_LINES = 40
_TRACEBACK = "Traceback (most recent call last):"
_ERROR = re.compile(
    r"(?:\[?rank\d+\]?:\s*|\([^()]{0,80}\)\s+)?(?P<error>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)"
)
# Of torchrun, of torchrun at a signal, of accelerate launch.
_OF_LAUNCHER = re.compile(r"(?:\w+\.)*(?:ChildFailedError|SignalException|CalledProcessError)\b")
_KILLED = re.compile(  # said by a shell, by Slurm, by torchrun
    r"Killed|\S{1,200}: line \d+:\s+\d+ Killed\b.*"
    r"|.{0,200}\boom[-_]kill\b.*|.{0,80}Signal 9 \(SIGKILL\) received by PID.*"
    r"|(?:slurmstepd|srun): error: \*\*\* .{0,200}\bCANCELLED AT .*"
)
_OF_KILLING = ("Killed", "oom_kill", "oom-kill", "SIGKILL", "CANCELLED AT")
_BY_HAND = "KeyboardInterrupt"


class Ending:
    """The last lines, and the error that the process died of, if these show one.

    A launcher says after it that one of its processes failed, which is an error by itself only where no other is known.
    """

    def __init__(self) -> None:
        self.lines = deque[str](maxlen=LAST_LINES)
        self.error: str | None = None
        self._is_in_traceback = False

    def take(self, line: str) -> None:
        """Look at the next line of the console."""
        words = strip_ansi(line.rpartition("\r")[2]).rstrip()
        self.lines.append(words)
        if _TRACEBACK in words:
            self._is_in_traceback = True
        elif self._is_in_traceback and (match := _ERROR.match(words)):
            self._fail(match["error"], is_root=_OF_LAUNCHER.match(match["error"]) is None)
        elif any(word in words for word in _OF_KILLING) and _KILLED.fullmatch(words.strip()):
            self._fail(words.strip(), is_root=self._is_unknown)

    def with_last(self, line: str) -> "Ending":
        """What it is with one more line, which may not be whole yet."""
        found = copy(self)
        found.lines = self.lines.copy()
        if line:
            found.take(line)
        return found

    @property
    def was_by_hand(self) -> bool:
        """Whether somebody pressed Ctrl-C."""
        return self.error is not None and self.error.startswith(_BY_HAND)

    @property
    def _is_unknown(self) -> bool:
        return self.error is None or _OF_LAUNCHER.match(self.error) is not None

    def _fail(self, error: str, *, is_root: bool) -> None:
        if is_root or self.error is None:
            self.error = error

    def forget(self) -> None:
        """The training went on after all."""
        self.error, self._is_in_traceback = None, False
