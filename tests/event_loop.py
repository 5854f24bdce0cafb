"""Runs a coroutine in a thread of its own: browser tests leave a running event loop in that of the tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run_apart(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, or to its exception."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, coroutine).result()
