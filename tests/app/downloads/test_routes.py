"""The downloads on a real dashboard: whole files, behind the token and the folders that are shown."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.downloads.routes import FILES, download_address
from diagnostics.language import language
from diagnostics.runlog import RunLog
from tests.app.charts.test_routes import Server
from tests.dashboard import dashboard, free_port, printed_address

pytestmark = pytest.mark.process

NAME = 'a b"\r\nX: y=é'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("all")
    for name in ("shown/a", "hidden/b"):
        with RunLog(folder / name, name=NAME, algorithm="grpo") as log:
            log.log(1, {"reward": 0.5})
            log.log(2, {"reward": float("nan")})
        (folder / name / "samples.jsonl").write_text('{"step": 1, "query": "q", "response": "<b>r</b>"}\n')
    (folder / "temporary").mkdir()
    words = ("shown", "--read-only", "--port", str(free_port()))
    with dashboard(folder, *words, TMPDIR=str(folder / "temporary")) as process:
        printed = printed_address(process)
        assert printed.port is not None
        yield Server(printed.port, printed.query.removeprefix("token="), folder / "shown")


def got(server: Server, file: str, run: Path) -> tuple[int, bytes]:
    return server.signed_in(f"/{download_address(file, run)}", method="GET")


def test_every_file_of_a_run_comes_whole_also_on_a_read_only_dashboard(server: Server) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found = {file: got(server, file, server.shown / "a") for file in FILES}

    assert {file: status for file, (status, _) in found.items()} == dict.fromkeys(FILES, 200)
    assert found["series.csv"][1].decode().splitlines()[-1].endswith(",NaN,false")
    assert json.loads(found["series.jsonl"][1].splitlines()[-1])["value"] == "NaN"
    assert parquet.read_table(io.BytesIO(found["series.parquet"][1])).num_rows == 2
    assert parquet.read_table(io.BytesIO(found["samples.parquet"][1])).to_pylist()[0]["response"] == "<b>r</b>"
    assert json.loads(found["samples.jsonl"][1])["query"] == "q"
    assert json.loads(found["report.json"][1])["runs"][0]["verdict"] == "critical"
    assert found["report.html"][1].startswith(b"<!")
    assert b"<script" not in found["report.html"][1]
    assert b"nonfinite-metric" in found["report.md"][1]
    assert [path.name for path in (server.shown.parent / "temporary").glob("rlvitals-*")] == []


def test_a_file_is_saved_under_a_harmless_name_and_never_shown_in_the_page(server: Server) -> None:
    address = f"/{download_address('report.html', server.shown / 'a')}"
    answer = server.ask(address, method="GET", Authorization=f"Bearer {server.token}")

    assert answer.getheader("Content-Disposition") == 'attachment; filename="a-b-X-y-report.html"'
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Cache-Control") == "no-store"
    assert answer.getheader("X") is None


def test_nothing_comes_without_the_token_from_outside_or_under_another_name(server: Server) -> None:
    shown, hidden = server.shown / "a", server.shown.parent / "hidden" / "b"
    address = f"/{download_address('series.csv', shown)}"
    (server.shown / "link").symlink_to(hidden)

    assert server.ask(address, method="GET").status == 401
    evil = {"Origin": "http://evil.example", "Authorization": f"Bearer {server.token}"}
    assert server.ask(address, method="GET", **evil).status == 403
    for path in (hidden, server.shown / ".." / "hidden" / "b", server.shown / "link", Path("/etc/passwd")):
        assert got(server, "series.csv", path)[0] == 403
    assert got(server, "series.csv", server.shown / "none")[0] == 404
    for file in ("events.jsonl", "..%2f..%2fetc%2fpasswd", "series.exe"):
        assert got(server, file, shown)[0] in {400, 404}
    assert server.signed_in("/downloads/series.csv", method="GET")[0] == 404
    assert server.signed_in(address, method="POST")[0] == 405


def test_a_report_speaks_the_language_of_the_page_and_json_stays_english(server: Server) -> None:
    with language("zh"):
        words, data = (got(server, file, server.shown / "a")[1].decode() for file in ("report.md", "report.json"))
    assert ("critical" in words, "严重" in words, "严重" in data) == (False, True, False)
