"""A real S3 server on the loopback behind a proxy that keeps a log, fails when it is told to, and can be slow."""

import http.client
import logging
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "bucket"
SECONDS_BETWEEN_LOOKS = 0.3
_CHUNK = 16 * 1024
_SLOW_DOWN = (
    b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>'
)
_READS = frozenset({"GET", "HEAD"})


class Asked(NamedTuple):
    """One request as the server saw it, and how many bytes of content it got back."""

    method: str
    path: str
    range: str
    bytes: int


@dataclass
class Store:
    """One bucket. The owner writes past the proxy; whoever reads comes through it."""

    address: str
    port: int
    client: Any
    asked: list[Asked] = field(default_factory=list)
    is_down: bool = False
    failures: int = 0
    """So many of the next requests are answered with 503, as by a store that is asked too much."""
    bytes_per_second: float = float("inf")

    def put(self, name: str, content: bytes) -> None:
        """Write one object, as its owner does."""
        self.client.put_object(Bucket=BUCKET, Key=name, Body=content)

    def put_folder(self, folder: Path, name: str) -> None:
        """Write every file of a folder."""
        for file in filter(Path.is_file, folder.rglob("*")):
            self.put(f"{name}/{file.relative_to(folder)}", file.read_bytes())

    def remove(self, name: str) -> None:
        """Remove one object."""
        self.client.delete_object(Bucket=BUCKET, Key=name)

    def content(self) -> Mapping[str, tuple[str, int]]:
        """The version and size of every object."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return {item["Key"]: (item["ETag"], item["Size"]) for page in pages for item in page.get("Contents", ())}

    def transferred(self, name: str = "") -> int:
        """The bytes of content that were read of objects with this in their names."""
        return sum(asked.bytes for asked in self.asked if asked.range and name in asked.path)

    def writes(self) -> list[Asked]:
        """What readers asked for that could change anything."""
        return [asked for asked in self.asked if asked.method not in _READS]

    def environment(self) -> dict[str, str]:
        """What a reader's process needs to know: where the server is, and its credentials."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": "reader",
            "AWS_SECRET_ACCESS_KEY": "the-secret-of-the-reader",
            "AWS_DEFAULT_REGION": "us-east-1",
            "RLVITALS_REMOTE_SECONDS": str(SECONDS_BETWEEN_LOOKS),
        }


@contextmanager
def s3_store() -> Iterator[Store]:
    """A server with one empty bucket, and the proxy before it, for the block."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    owner = boto3.client(
        "s3",
        endpoint_url=f"http://{host}:{port}",
        aws_access_key_id="owner",
        aws_secret_access_key="owner",
        region_name="us-east-1",
    )
    owner.create_bucket(Bucket=BUCKET)
    store = Store(f"s3://{BUCKET}", 0, owner)
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(store, port)) as proxy:
        proxy.daemon_threads = True
        store.port = proxy.server_port
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield store
        finally:
            proxy.shutdown()
            thread.join()
            server.stop()


def _handler(store: Store, port: int) -> type[BaseHTTPRequestHandler]:
    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            if store.is_down:  # as a connection that breaks: nothing is answered
                self.close_connection = True
                return
            if store.failures > 0:
                store.failures -= 1
                self._answer(503, {"Content-Type": "application/xml"}, _SLOW_DOWN)
                return
            self._pass_on()

        do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            server = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            server.request(self.command, self.path, body or None, dict(self.headers))
            response = server.getresponse()
            content = response.read()
            server.close()
            is_content = self.command == "GET" and response.status in (200, 206) and "list-type" not in self.path
            store.asked.append(
                Asked(self.command, self.path, self.headers.get("Range", ""), len(content) if is_content else 0)
            )
            self._answer(response.status, dict(response.getheaders()), content)

        def _answer(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
            self.send_response_only(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            length = headers.get("Content-Length", "0") if self.command == "HEAD" else str(len(content))
            self.send_header("Content-Length", length)
            self.end_headers()
            for start in range(0, len(content), _CHUNK):
                chunk = content[start : start + _CHUNK]
                time.sleep(len(chunk) / store.bytes_per_second)
                self.wfile.write(chunk)

    return Proxy


@contextmanager
def reading_from(store: Store, cache: Path) -> Iterator[None]:
    """This process reads from the store, with a cache of its own."""
    settings = {**store.environment(), "XDG_CACHE_HOME": str(cache)}
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
