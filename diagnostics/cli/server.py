"""The dashboard's process: a Streamlit server that is started, awaited and ended."""

import http.client
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from diagnostics.cli.address import Address
from diagnostics.cli.command import CommandError
from diagnostics.cli.packages import python_command
from diagnostics.language import _

_READY_SECONDS = 60.0
_POLL_SECONDS = 0.1
_LOOK_SECONDS = 0.5
_ANSWER_SECONDS = 2.0
_END_SECONDS = 5.0
_HEALTH = "/_stcore/health"
_SETTINGS = {
    "server.headless": "true",  # no browser, and no question for an e-mail address at the first start
    "server.fileWatcherType": "none",
    "runner.postScriptGC": "false",  # after each poll of each page; the app looks for garbage by the clock instead
    "logger.level": "warning",
    "logger.enableRich": "false",  # rich prints tracebacks to stdout; the plain logger uses stderr
    "logger.hideWelcomeMessage": "true",  # for it Streamlit would ask the internet for this machine's address
    "browser.gatherUsageStats": "false",
    "server.enableCORS": "true",  # these three whatever the user's own config.toml says
    "server.enableXsrfProtection": "true",
    "server.enableAgentApi": "false",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A started server; leaving its `with` block ends it."""

    process: "subprocess.Popen[bytes]"
    address: Address

    @classmethod
    def start(cls, script: Path, address: Address, environment: Mapping[str, str]) -> Self:
        """Start a server, in a session of its own, so that Ctrl-C reaches it through this process alone.

        The server exits with this process: its standard input is a pipe that closes when this process ends.
        """
        settings = {
            **_SETTINGS,
            "server.address": address.host,
            "server.port": str(address.port),
            "server.baseUrlPath": address.base_path,
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        process = subprocess.Popen(
            python_command("diagnostics.cli.end_with_parent", "streamlit", "run", str(script), *words),
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,  # its greeting; warnings and errors come through stderr
            stderr=sys.stderr,
            start_new_session=True,
        )
        return cls(process, address)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.terminate()

    def becomes_ready(self) -> bool:
        """Wait until the page can be opened; False when the process ends before.

        Raises CommandError when it takes longer than a minute.
        """
        deadline = time.monotonic() + _READY_SECONDS
        while self.process.poll() is None:
            if self._holds_port() and self._is_healthy():
                return True
            if time.monotonic() > deadline:
                sentence = _("the dashboard did not answer on port {port} within {seconds} s")
                raise CommandError(sentence.format(port=self.address.port, seconds=f"{_READY_SECONDS:.0f}"))
            time.sleep(_POLL_SECONDS)
        return False

    def wait(self, is_asked_to_end: Callable[[], bool]) -> int:
        """Wait until the process ends by itself; its exit code. Raises KeyboardInterrupt once it is asked to end.

        It looks time and again: Python drops an exception that a signal raises while it calls a finalizer.
        """
        while (code := self.process.poll()) is None:
            if is_asked_to_end():
                raise KeyboardInterrupt
            time.sleep(_LOOK_SECONDS)
        return code

    def terminate(self) -> None:
        """End the process: politely, and by force when that takes too long or is interrupted."""
        self.process.terminate()
        try:
            self.process.wait(_END_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            self.process.kill()
            self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()

    def _holds_port(self) -> bool:
        """Whether this very process holds the port: an answer alone may come from another dashboard."""
        try:
            connections = psutil.Process(self.process.pid).net_connections(kind="tcp")
        except psutil.Error:
            return False
        return any(item.status == psutil.CONN_LISTEN and item.laddr.port == self.address.port for item in connections)

    def _is_healthy(self) -> bool:
        connection = http.client.HTTPConnection(self.address.local, self.address.port, timeout=_ANSWER_SECONDS)
        try:
            connection.request("GET", self.address.base_path + _HEALTH)
            return connection.getresponse().status == http.HTTPStatus.OK
        except OSError:
            return False
        finally:
            connection.close()
