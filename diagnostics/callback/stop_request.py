"""A request to stop from outside: the SIGTERM of `rlvitals stop`, of the page's Stop and of a cluster's scheduler."""

import signal
import threading
from types import FrameType


class StopRequest:
    """While active, the first SIGTERM is noted and the next one ends the process as ever.

    It takes the signal only where nobody else does, and only in the main thread, where Python allows it.
    """

    def __init__(self) -> None:
        self.came = False
        self._is_active = False

    def activate(self) -> None:
        """Listen from now on."""
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._note)
            self._is_active = True

    def deactivate(self) -> None:
        """Leave the signal as it was found."""
        if self._is_active and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._is_active = False

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.came = True
        self.deactivate()
