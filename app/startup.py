"""What is done once, as the server starts, so that the first page is as quick as those that follow."""

import importlib
import os
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil
import streamlit as st

PAGES = "app.views.compare", "app.views.launch", "app.views.learn", "app.views.run", "app.views.runs"


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Prepare the process; the server takes requests meanwhile."""
    send_at_once()
    threading.Thread(target=_load_pages, name="load-pages", daemon=True).start()
    yield


def send_at_once() -> None:
    """Send each answer as it is written, on every connection that this process accepts from now on.

    asyncio turns Nagle's algorithm off for sockets that name TCP as their protocol; the one that Streamlit listens on
    names none. The body of each answer would wait for the browser to confirm the headers, 40 ms on Linux. Accepted
    connections inherit the option from the socket that listens.
    """
    for connection in psutil.Process().net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN:
            with socket.socket(fileno=os.dup(connection.fd)) as listening:
                listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _load_pages() -> None:
    """Import what the pages need; it takes most of a second, and would be waited for by the first page."""
    for name in PAGES:
        importlib.import_module(name)
