"""Cancellation of reading: the work asks now and then whether anybody still waits for it, and for how long.

The scope is a context variable: it holds for what its thread does inside the `with`, however deep, and costs readers no
argument.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_SECONDS_BETWEEN_QUESTIONS = 0.1  # asking may take a lock


class Cancelled(BaseException):
    """Nobody waits for this work any more. No Exception, so that no handler of errors takes it for one."""


class TimedOut(Exception):  # noqa: N818 - as above
    """The work took longer than its time limit of `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"took longer than {seconds:g} s")
        self.seconds = seconds


@dataclass(slots=True)
class _Scope:
    outer: "_Scope | None"
    is_unwanted: Callable[[], bool] | None = None
    was_unwanted: bool = False
    asked: float = 0.0
    seconds: float = 0.0
    deadline: float | None = None

    def check(self) -> None:
        now = time.monotonic()
        if self.deadline is not None and now > self.deadline:
            raise TimedOut(self.seconds)
        if self.is_unwanted is not None and now - self.asked >= _SECONDS_BETWEEN_QUESTIONS:
            self.asked = now
            self.was_unwanted = self.was_unwanted or self.is_unwanted()
        if self.was_unwanted:
            raise Cancelled


_scope: ContextVar[_Scope | None] = ContextVar("scope of cancellation", default=None)


@contextmanager
def cancelled_when(is_unwanted: Callable[[], bool]) -> Iterator[None]:
    """Reading inside raises Cancelled soon after the function says that nobody wants it any more."""
    with _inside(_Scope(_scope.get(), is_unwanted=is_unwanted)):
        yield


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Reading inside raises TimedOut once these seconds have passed."""
    with _inside(_Scope(_scope.get(), seconds=seconds, deadline=time.monotonic() + seconds)):
        yield


def check_cancelled() -> None:
    """Raises Cancelled or TimedOut if the work should end; for loops over chunks, files and folders."""
    scope = _scope.get()
    while scope is not None:
        scope.check()
        scope = scope.outer


@contextmanager
def _inside(scope: _Scope) -> Iterator[None]:
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)
