"""Tests of requests to stop: whoever asks, the loop ends after its step, and a scheduler's request is told as one."""

import os
import signal
from collections.abc import Iterator

import pytest

from trainer.run.journal import StopRequest

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2)


@pytest.fixture(autouse=True)
def handlers_of_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_each_of_these_signals_asks_the_training_to_end(number: signal.Signals) -> None:
    request = StopRequest()
    assert not request
    os.kill(os.getpid(), number)
    assert request
    assert request.scheduler_signal == (number.name if number.name.startswith("SIGUSR") else "")
