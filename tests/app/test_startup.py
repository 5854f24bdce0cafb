"""What is done once as the server starts."""

import socket
import sys
import threading

import streamlit as st

from app.startup import PAGES, lifespan
from tests.event_loop import run_apart


def test_connections_send_at_once_and_the_pages_are_loaded_before_the_first_is_asked_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        assert not sends_at_once(listening)
        run_apart(start_and_stop())
        with socket.create_connection(listening.getsockname()) as browser, listening.accept()[0] as accepted:
            assert sends_at_once(accepted)
            assert not sends_at_once(browser)  # nothing else was changed

    for thread in threading.enumerate():
        if thread.name == "load-pages":
            thread.join()
    assert set(PAGES) <= set(sys.modules)


async def start_and_stop() -> None:
    async with lifespan(st.App("main.py")):
        pass


def sends_at_once(connection: socket.socket) -> bool:
    return bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
