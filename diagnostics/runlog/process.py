"""The identity of a process on its machine, and whether that process is still alive."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from diagnostics.foreign_files import read_text

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
LARGEST_PID = 2**31 - 1
"""What a pid_t holds; psutil raises OverflowError beyond it."""
_START_TOLERANCE = (
    1.0  # seconds: psutil derives the start time from the boot time, which clock adjustments shift slightly
)


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """Identifies a process unambiguously: pids are reused, and mean nothing on another host."""

    host: str
    boot_id: str
    pid: int
    started: float  # seconds since the epoch

    @classmethod
    def current(cls) -> "ProcessIdentity":
        """The calling process."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> "ProcessIdentity":
        """The process that has this pid now. Raises psutil.NoSuchProcess where none has."""
        import psutil  # noqa: PLC0415 - slow to import, and reading a finished run needs no process

        return cls(socket.gethostname(), boot_id(), pid, psutil.Process(pid).create_time())

    @property
    def is_on_this_host(self) -> bool:
        """Only the host that started a process can tell whether it is alive."""
        return self.host == socket.gethostname()

    @property
    def is_alive(self) -> bool:
        """Whether this very process still runs here (a zombie does not). Always False for another host or boot."""
        return self._status() not in ("", "zombie")

    @property
    def is_suspended(self) -> bool:
        """Whether this very process lives here and is stopped (SIGSTOP, Ctrl-Z): it does nothing until SIGCONT."""
        return self._status() == "stopped"

    @property
    def activity(self) -> str:
        """What its main thread does, in psutil's words: running, sleeping, disk-sleep, …; empty if it is not here."""
        return self._status()

    def _status(self) -> str:
        """psutil's word for the state of this very process; empty if it does not run here."""
        if not self.is_on_this_host or self.boot_id != boot_id():
            return ""
        import psutil  # noqa: PLC0415 - as above

        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) <= _START_TOLERANCE
            return str(process.status()) if same else ""
        except psutil.NoSuchProcess:
            return ""


def boot_id() -> str:
    """Identifies the current boot: Linux's boot id, elsewhere the boot time in seconds."""
    if _BOOT_ID.exists():
        return read_text(_BOOT_ID).strip()
    import psutil  # noqa: PLC0415 - as above

    return str(int(psutil.boot_time()))
