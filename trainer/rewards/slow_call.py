"""Says on the console that a reward function does not come back, and where it stands."""

import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from diagnostics.language import _
from diagnostics.visible_text import visible

PATIENCE_SECONDS = 120.0  # of one call, after which it is said; again after twice as long, and so on
SHOWN_FRAMES = 4  # of the stack, the innermost last


@contextmanager
def announced_if_slow(name: str) -> Iterator[None]:
    """Watch what runs in this context: a hang that says nothing looks like one of the trainer or of NCCL."""
    watch = _Watch(name, threading.get_ident())
    watch.wait(PATIENCE_SECONDS)
    try:
        yield
    finally:
        watch.stop()


class _Watch:
    """Waits beside a call, and speaks at 1, 2, 4, … times the patience."""

    def __init__(self, name: str, thread: int) -> None:
        self._name, self._thread = name, thread
        self._timer: threading.Timer | None = None
        self._is_over = False

    def wait(self, seconds: float, waited: float = 0.0) -> None:
        """Speak once this much more time has passed."""
        self._timer = threading.Timer(seconds, self._speak, (seconds + waited,))
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        """The call came back."""
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()

    def _speak(self, waited: float) -> None:
        frame = sys._current_frames().get(self._thread)
        stack = "".join(traceback.format_stack(frame)[-SHOWN_FRAMES:]) if frame else ""
        if self._is_over:
            return
        words = _("the reward function {name} has not come back for {seconds:.0f} s; it stands in")
        sentence = words.format(name=self._name, seconds=waited)
        sys.stderr.write(visible(f"rlvitals: {sentence}\n{stack}"))
        self.wait(waited, waited)
