"""The sender: a thread and a short queue for each receiver, so that a dead or slow one holds up nobody."""

import queue
import threading
import time
from collections.abc import Callable, Iterable
from contextvars import copy_context
from functools import partial
from importlib import import_module

from diagnostics.alerts.alert import Alert
from diagnostics.alerts.alerts_file import Route
from diagnostics.alerts.channels.delivery import DeliveryError
from diagnostics.language import _

MOST_WAITING = 50  # alerts for one receiver
TRIES, PAUSE = 3, 2.0  # seconds before the second try, twice as many before the third
_MODULES = {
    "webhook": "diagnostics.alerts.channels.webhook",
    "command": "diagnostics.alerts.channels.command",
    "apprise": "diagnostics.alerts.channels.chat",
}


class Sender:
    """Delivers alerts in the background. `complain` gets one sentence for each alert that is not delivered."""

    def __init__(self, routes: Iterable[Route], complain: Callable[[str], None]) -> None:
        self._receivers = [_Receiver(route, complain) for route in routes if route.channel in _MODULES]

    def send(self, alert: Alert) -> None:
        """Put it into the queues of those that it is meant for; never waits."""
        for receiver in self._receivers:
            if receiver.route.takes(alert):
                receiver.put(alert)

    def finish(self, seconds: float) -> None:
        """Wait until all is delivered, but no longer than this."""
        end = time.monotonic() + seconds
        for receiver in self._receivers:
            receiver.finish(max(0.0, end - time.monotonic()))


class _Receiver:
    """One route with its queue and, once it has something to do, its thread."""

    def __init__(self, route: Route, complain: Callable[[str], None]) -> None:
        self.route = route
        self._complain = complain
        self._waiting: queue.Queue[Alert] = queue.Queue(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._is_idle = threading.Condition()
        self._unfinished = 0

    def put(self, alert: Alert) -> None:
        try:
            self._waiting.put_nowait(alert)
        except queue.Full:
            sentence = _("an alert was not sent by {channel}: {count} others wait there")
            self._complain(sentence.format(channel=self.route.channel, count=MOST_WAITING))
            return
        with self._is_idle:
            self._unfinished += 1
        if self._thread is None:
            run = partial(copy_context().run, self._run)  # in the language of who watches
            self._thread = threading.Thread(target=run, name=f"rlvitals-{self.route.channel}", daemon=True)
            self._thread.start()

    def finish(self, seconds: float) -> None:
        with self._is_idle:
            if not self._is_idle.wait_for(lambda: not self._unfinished, seconds):
                sentence = _("{count} alerts were not sent by {channel} in time")
                self._complain(sentence.format(count=self._unfinished, channel=self.route.channel))

    def _run(self) -> None:
        while True:
            alert = self._waiting.get()
            try:
                self._deliver(alert)
            except DeliveryError as error:
                self._complain_of(str(error))
            except Exception as error:  # apprise's many services raise what they like; its text may hold an address
                self._complain_of(type(error).__name__)
            with self._is_idle:
                self._unfinished -= 1
                self._is_idle.notify_all()

    def _complain_of(self, reason: str) -> None:
        sentence = _("an alert was not sent by {channel}: {reason}")
        self._complain(sentence.format(channel=self.route.channel, reason=reason))

    def _deliver(self, alert: Alert) -> None:
        deliver = import_module(_MODULES[self.route.channel]).deliver
        for pause in (PAUSE * 2**number for number in range(TRIES - 1)):
            try:
                deliver(alert, self.route)
            except DeliveryError as error:
                if not error.surely:  # it may have arrived, and nothing is told twice
                    raise
                time.sleep(pause)
            else:
                return
        deliver(alert, self.route)
