"""The identity of a process on its machine, and whether a process of that identity still lives."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_START_TOLERANCE = 1.0  # seconds: psutil derives the start from the boot time, which clock adjustments move a little


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process that cannot be mistaken for another: a pid alone is reused, a pid on another host means nothing."""

    host: str
    boot_id: str
    pid: int
    started: float  # seconds since the epoch

    @classmethod
    def current(cls) -> "ProcessIdentity":
        """The calling process."""
        import psutil  # noqa: PLC0415 - slow to import, and reading a finished run needs no process

        pid = os.getpid()
        return cls(socket.gethostname(), boot_id(), pid, psutil.Process(pid).create_time())

    @property
    def is_on_this_host(self) -> bool:
        """Only the host that started a process can judge whether it lives."""
        return self.host == socket.gethostname()

    @property
    def is_alive(self) -> bool:
        """Whether that very process still runs here (a zombie has ended). Always False for another host or boot."""
        if not self.is_on_this_host or self.boot_id != boot_id():
            return False
        import psutil  # noqa: PLC0415 - as above

        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) <= _START_TOLERANCE
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


def boot_id() -> str:
    """What tells one boot of this machine from the next: Linux's boot id, elsewhere the boot time in seconds."""
    if _BOOT_ID.exists():
        return _BOOT_ID.read_text().strip()
    import psutil  # noqa: PLC0415 - as above

    return str(int(psutil.boot_time()))
