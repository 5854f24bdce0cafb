"""Tests of how alerts get to people: real servers for HTTP and mail, dead and slow ones, and hostile text."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from diagnostics.alerts.alert import LONGEST_LINE, MOST_CONSOLE_LINES, Alert, alert_of
from diagnostics.alerts.alerts_file import Route
from diagnostics.alerts.channels import chat
from diagnostics.alerts.episodes import Event, Kind
from diagnostics.alerts.sender import MOST_WAITING, Sender
from diagnostics.model.outcome import Severity
from tests.dashboard import free_port
from tests.diagnostics.alerts.diagnoses import diagnosis

PATIENCE = 20.0
HOSTILE = "@everyone <!channel> <b>bold</b> [win](http://evil.example) `x` \x1b[2J"


@dataclass
class Receiver:
    """An HTTP server that keeps what is posted to it."""

    url: str
    posts: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)  # the next ones; 200 without
    holds_one: threading.Event = field(default_factory=threading.Event)  # at /slow, until it is released
    released: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.path == "/slow":
                found.holds_one.set()
                found.released.wait(PATIENCE)
            found.posts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            found.headers.append(dict(self.headers.items()))
            self.send_response(found.answers.pop(0) if found.answers else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found = Receiver(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield found
    found.released.set()
    server.shutdown()
    server.server_close()


def alert(text: str = "0.9 nats", **run: Any) -> Alert:
    opened = Event(Kind.OPENED, "kl-runaway", Severity.CRITICAL)
    return alert_of(opened, diagnosis(text=text, kl_runaway="critical", **run), 1000, "http://gpu-box:8501")


def test_a_webhook_gets_verdict_step_evidence_console_and_the_pages_address(receiver: Receiver) -> None:
    complaints = list[str]()
    sender = Sender([Route("webhook", receiver.url, headers={"X-Key": "secret"})], complaints.append)
    sender.send(alert(console_tail="\n".join(f"line {n}" for n in range(40))))
    sender.finish(PATIENCE)
    (post,) = receiver.posts
    assert complaints == []
    assert receiver.headers[0]["X-Key"] == "secret"
    assert (post["kind"], post["severity"], post["finding"]) == ("opened", "critical", "kl-runaway")
    assert (post["run"]["verdict"], post["run"]["step"]) == ("critical", 40)
    assert post["evidence"] == ["The check itself failed with kl-runaway: 0.9 nats [kl-runaway]"]
    assert post["console"] == [f"line {n}" for n in range(40 - MOST_CONSOLE_LINES, 40)]
    assert post["page"] == f"http://gpu-box:8501/?run={Path.cwd() / 'runs' / 'grpo-a'}"
    assert post["time"] == "1970-01-01T00:16:40+00:00"


def test_a_busy_receiver_is_asked_again_and_one_that_refuses_is_named_without_its_address(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diagnostics.alerts.sender.PAUSE", 0.01)
    receiver.answers[:] = [503, 200, 403, 302]
    complaints = list[str]()
    sender = Sender([Route("webhook", receiver.url)], complaints.append)
    for _ in range(3):
        sender.send(alert())
    sender.finish(PATIENCE)
    assert len(receiver.posts) == 4
    assert complaints == [f"an alert was not sent by webhook: it answered {code}" for code in (403, 302)]


def test_a_slow_receiver_holds_up_nobody_and_its_queue_is_bounded(receiver: Receiver) -> None:
    complaints = list[str]()
    sender = Sender([Route("webhook", f"{receiver.url}/slow"), Route("webhook", receiver.url)], complaints.append)
    for sent in range(1, MOST_WAITING + 3):
        sender.send(alert())
        assert receiver.holds_one.wait(PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while len(receiver.posts) < sent and time.monotonic() < deadline:
            time.sleep(0.001)
    assert len(receiver.posts) == MOST_WAITING + 2  # all of the quick one's
    assert complaints == [f"an alert was not sent by webhook: {MOST_WAITING} others wait there"]
    sender.finish(0.01)
    assert complaints[1:] == [f"{MOST_WAITING + 1} alerts were not sent by webhook in time"]


def test_a_dead_receiver_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnostics.alerts.sender.PAUSE", 0.01)
    complaints = list[str]()
    sender = Sender([Route("webhook", f"http://127.0.0.1:{free_port()}/secret")], complaints.append)
    sender.send(alert())
    sender.finish(PATIENCE)
    assert complaints == ["an alert was not sent by webhook: no answer (ConnectionRefusedError)"]


@pytest.mark.process
def test_a_command_reads_the_alert_and_gets_no_word_of_a_run_as_argument(tmp_path: Path) -> None:
    keep = "import json, sys; json.dump([sys.argv[2:], json.load(sys.stdin)], open(sys.argv[1], 'w'))"
    complaints, file = list[str](), tmp_path / "kept.json"
    routes = [
        Route("command", (sys.executable, "-c", keep, str(file))),
        Route("command", (sys.executable, "-c", "raise SystemExit(3)")),
        Route("command", (str(tmp_path / "missing"),)),
    ]
    sender = Sender(routes, complaints.append)
    sender.send(alert(name="$(touch x); `id`"))
    sender.finish(PATIENCE)
    arguments, document = json.loads(file.read_text())
    assert arguments == []
    assert document["run"]["name"] == "$(touch x); `id`"
    assert sorted(complaints) == [
        "an alert was not sent by command: it could not be started: No such file or directory",
        "an alert was not sent by command: it ended with 3",
    ]


def test_a_mail_arrives_through_apprise_and_hostile_text_does_nothing_in_it() -> None:
    mails = list[Any]()

    class Keep:
        async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
            mails.append(message_from_bytes(envelope.content, policy=policy.default))
            return "250 kept"

    port = free_port()
    controller = Controller(Keep(), hostname="127.0.0.1", port=port)
    controller.start()
    complaints = list[str]()
    address = f"mailto://127.0.0.1:{port}?mode=insecure&from=rlvitals@example.org&to=team@example.org"
    sender = Sender([Route("apprise", address), Route("apprise", "nosuch://x")], complaints.append)
    sender.send(alert(HOSTILE, name=HOSTILE))
    sender.finish(PATIENCE)
    controller.stop()
    (mail,) = mails
    assert complaints == ["an alert was not sent by apprise: apprise does not know such an address"]
    assert "CRITICAL (at)everyone ‹!channel›" in mail["Subject"]
    text = "".join(part.get_content() for part in mail.walk() if part.get_content_maintype() == "text")
    assert "‹b›bold‹/b› (win)(http:∕∕evil.example)" in text
    assert "<b>bold" not in text
    assert "http://gpu-box:8501/?run=" in text


def test_text_of_a_run_is_bounded_and_shown_harmless_in_every_form() -> None:
    told = alert(HOSTILE * 1000, name=HOSTILE * 1000, console_tail=(HOSTILE * 1000 + "\n") * 100)
    assert max(map(len, (told.run, told.headline, *told.evidence, *told.console))) <= LONGEST_LINE
    assert "\x1b" not in json.dumps(told.document()) + told.title + "".join(told.lines())
    assert len(chat.body(told)) <= chat.LONGEST
    assert not set("@<>`*[]") & set(chat.body(told)) - set(told.page)
