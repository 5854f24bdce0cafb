"""A local server that answers the W&B client's queries about one run, as the real one does."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Row = Mapping[str, Any]
VIEWER = {"id": "v", "entity": "lab", "username": "ada", "teams": {"edges": []}, "flags": "{}", "email": "a@b.c"}


class StandIn(ThreadingHTTPServer):
    """One run: its history rows, its settings, and its files by name."""

    def __init__(self, rows: Sequence[Row], config: Row, files: Mapping[str, bytes], state: str = "finished") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rows, self.config, self.files, self.state = rows, config, files, state

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, query: str, variables: Row) -> Any:
        """The `data` of one GraphQL query."""
        if variables.get("name", variables.get("run", "abc")) != "abc":
            return {"project": {"internalId": "1", "run": None}}
        if "parquetHistory" in query:
            return _of_run({"parquetHistory": {"parquetUrls": [], "liveData": []}})
        if "history(" in query:
            first, end = variables["minStep"], variables["maxStep"]
            return _of_run({"history": [json.dumps(row) for row in self.rows if first <= row["_step"] < end]})
        if "events(" in query:
            return _of_run({"events": [json.dumps({"system.cpu": 12.5, "_timestamp": 1.7e9 + 1.5})]})
        if "files(" in query:
            return _of_run({"fileCount": len(self.files), "files": self._found(variables["fileNames"])})
        return _of_run(self._run()) if "project(" in query else {"viewer": VIEWER}

    def _run(self) -> Row:
        return {
            "projectId": "1",
            "id": "number",
            "name": "abc",
            "displayName": "nightly",
            "state": self.state,
            "config": json.dumps({name: {"value": value} for name, value in self.config.items()}),
            "summaryMetrics": json.dumps({"train_runtime": 12.0, "train/kl": 1.0}),
            "systemMetrics": "{}",
            "createdAt": "2026-01-01T00:00:00Z",
            "heartbeatAt": "2026-01-01T01:00:00Z",
            "historyLineCount": len(self.rows),
            "historyKeys": {"lastStep": self.rows[-1]["_step"], "keys": {}},
            "user": {"name": "ada", "username": "ada"},
            "tags": [],
            "readOnly": True,
        }

    def _found(self, names: Sequence[str]) -> Row:
        nodes = [
            {"id": name, "name": name, "url": f"{self.url}/{name}", "directUrl": f"{self.url}/{name}"}
            | {"sizeBytes": len(self.files[name]), "mimetype": "", "updatedAt": None, "md5": ""}
            for name in names
            if name in self.files
        ]
        edges = [{"node": node, "cursor": str(place)} for place, node in enumerate(nodes)]
        return {"edges": edges, "pageInfo": {"endCursor": None, "hasNextPage": False}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def log_message(self, *parts: Any) -> None:
        """Print nothing to stderr."""

    def do_GET(self) -> None:
        content = self.server.files.get(self.path.lstrip("/"))
        self._send(content or b"", 200 if content else 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path != "/graphql":
            self._send(b"{}", 200)
            return
        asked = json.loads(body)
        self._send(json.dumps({"data": self.server.answer(asked["query"], asked.get("variables") or {})}).encode(), 200)

    def _send(self, content: bytes, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _of_run(run: Row) -> Row:
    return {"project": {"internalId": "1", "id": "p", "run": run}}


@contextmanager
def serving(stand_in: StandIn) -> Iterator[str]:
    """Yields the server's address while it runs."""
    thread = threading.Thread(target=stand_in.serve_forever)
    thread.start()
    try:
        yield stand_in.url
    finally:
        stand_in.shutdown()
        thread.join()
        stand_in.server_close()
