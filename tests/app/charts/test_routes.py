"""The charts' routes on a real dashboard: behind the token, the host, the origin and the folders that are shown."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.runlog import RunLog
from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.dashboard import dashboard, free_port, printed_address

pytestmark = pytest.mark.process

POINTS, SCRIPT = "/charts/points", "/charts/scripts/charts.js"


class Server:
    """A dashboard that shows one folder and asks for its token."""

    def __init__(self, port: int, token: str, shown: Path) -> None:
        self.port, self.token, self.shown = port, token, shown

    def ask(self, path: str, body: bytes = b"", method: str = "POST", **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body or None, headers)
        return connection.getresponse()

    def signed_in(self, path: str, body: bytes = b"", method: str = "POST", **headers: str) -> tuple[int, bytes]:
        """The status and the body of an answer to somebody who has the token."""
        answer = self.ask(path, body, method, Authorization=f"Bearer {self.token}", **headers)
        return answer.status, answer.read()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("all")
    for name in ("shown/a", "hidden/b"):
        with RunLog(folder / name, algorithm="grpo") as log:
            log.log(1, {"reward": 0.5})
            log.log(2, {"reward": float("nan")})
    with dashboard(folder, "shown", "--port", str(free_port())) as process:
        printed = printed_address(process)
        assert printed.port is not None
        yield Server(printed.port, printed.query.removeprefix("token="), folder / "shown")


def question(run: Path | str, series: str = "reward") -> bytes:
    return json.dumps({"curves": [{"run": str(run), "series": series}], "columns": 300, "smoothing": 0}).encode()


def test_the_points_of_a_run_come_with_the_token(server: Server) -> None:
    status, body = server.signed_in(POINTS, question(server.shown / "a"))
    size = int.from_bytes(body[:4], "little")
    assert (status, json.loads(body[4 : 4 + size])["curves"][0]["points"]) == (200, 2)
    assert len(body) == 4 + size + 3 * 2 * 8


def test_a_page_that_follows_a_run_gets_nothing_until_the_run_has_changed(server: Server) -> None:
    def asked(revision: str) -> tuple[int, bytes]:
        body = {**json.loads(question(server.shown / "a")), "revision": revision}
        return server.signed_in(POINTS, json.dumps(body).encode())

    status, body = asked("0")
    revision = json.loads(body[4 : 4 + int.from_bytes(body[:4], "little")])["revision"]
    assert (status, asked(revision)) == (200, (204, b""))


@pytest.mark.parametrize(
    ("path", "method"), [(POINTS, "POST"), (SCRIPT, "GET"), ("/charts/references?algorithm=grpo", "GET")]
)
def test_nothing_comes_without_the_token_or_for_a_page_of_another_host_or_origin(
    server: Server, path: str, method: str
) -> None:
    body = question(server.shown / "a")
    authorization = f"Bearer {server.token}"
    assert server.ask(path, body, method).status == 401
    for headers in ({"Host": f"evil.example:{server.port}"}, {"Origin": "http://evil.example"}):
        assert server.ask(path, body, method, Authorization=authorization, **headers).status == 403


def test_a_run_outside_the_folders_shown_is_refused_whether_it_exists_or_not(server: Server) -> None:
    hidden = server.shown.parent / "hidden"
    refusals = []
    for path in (hidden / "b", hidden / "none", server.shown / ".." / "hidden" / "b", "/etc/passwd"):
        status, body = server.signed_in(POINTS, question(path))
        refusals.append(status)
        assert b"is not below the folders that this page shows" in body
    assert refusals == [403] * 4


def test_the_sample_runs_are_open_to_the_learn_page_whatever_is_shown(server: Server) -> None:
    assert server.signed_in(POINTS, question(SAMPLE_RUNS / "healthy-grpo"))[0] == 200


def test_references_are_the_healthy_samples_and_the_runs_shown_without_those_on_the_page(server: Server) -> None:
    shown = server.shown / "a"
    status, body = server.signed_in(f"/charts/references?algorithm=grpo&run={SAMPLE_RUNS / 'x'}", method="GET")
    words = [item["words"] for item in json.loads(body)]
    assert (status, words[0]) == (200, "healthy-grpo (sample)")
    assert "a" in words
    assert not {"b", "cut-off (sample)", "healthy-ppo (sample)"} & set(words)
    _, body = server.signed_in(f"/charts/references?algorithm=grpo&run={shown}", method="GET")
    assert "a" not in [item["words"] for item in json.loads(body)]


def test_a_link_that_leads_outside_is_refused(server: Server) -> None:
    (server.shown / "link").symlink_to(server.shown.parent / "hidden" / "b")
    assert server.signed_in(POINTS, question(server.shown / "link"))[0] == 403


def test_what_is_no_run_or_no_question_gets_a_sentence(server: Server) -> None:
    assert server.signed_in(POINTS, question(server.shown / "none"))[0] == 404
    assert server.signed_in(POINTS, b"{")[0] == 400
    status, body = server.signed_in(POINTS, b" " * (1 << 21))
    assert (status, b"longer than 1048576 bytes" in body) == (400, True)
    assert server.signed_in(POINTS, question(server.shown / "a", "<script>"))[0] == 200


@pytest.mark.parametrize("path", ["../routes.py", "%2e%2e/routes.py", "..%2froutes.py", "/etc/passwd"])
def test_beside_the_scripts_nothing_is_served(server: Server, path: str) -> None:
    assert server.signed_in(SCRIPT, method="GET")[0] == 200
    status, body = server.signed_in(f"/charts/scripts/{path}", method="GET")
    assert status in {400, 404}
    assert b"import" not in body
