"""Whether the hub can be reached, simulated by servers and closed ports on loopback."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from trainer import console
from trainer.config.algorithms import make_config
from trainer.data.hub import go_offline_if_hub_unreachable, why_unreachable

ON_THE_HUB = {"model_name_or_path": "someone/model"}


@contextmanager
def server(status: int) -> Iterator[str]:
    """A web server that gives the same answer to every request."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()


@pytest.fixture
def unused_address() -> Iterator[str]:
    """An address at which nothing listens, or will while the test runs."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture(autouse=True)
def fresh_hub_environment(monkeypatch) -> None:
    """An environment that says nothing of the hub, and a console that has said nothing yet."""
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(variable, "")  # so that it is restored, whatever a test's code sets
        monkeypatch.delenv(variable)
    monkeypatch.setattr(console, "_already_said", set())


@pytest.mark.parametrize("status", [200, 404, 503])
def test_a_server_that_answers_is_reached_whatever_it_answers(status):
    with server(status) as address:
        assert why_unreachable(address) == ""


def test_a_server_that_is_not_there_is_not_reached(unused_address):
    assert "refused" in why_unreachable(unused_address)
    assert why_unreachable("no address")


@pytest.mark.parametrize(
    ("named", "options"),
    [
        ("someone/model", ON_THE_HUB),
        ("someone/judge", {"reward_funcs": ("length", "reward_model:someone/judge")}),
        ("someone/rows", {"dataset": "someone/rows"}),
        ("someone/others", {"eval_dataset": "someone/others"}),
    ],
)
def test_a_training_that_needs_a_hub_which_is_not_there_keeps_to_the_cache_and_says_so(
    named, options, unused_address, monkeypatch, capsys, tmp_path
):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("")
    monkeypatch.setenv("HF_ENDPOINT", unused_address)
    go_offline_if_hub_unreachable(make_config("grpo", {"dataset": str(rows), **options}))
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    printed = capsys.readouterr().err
    assert printed.startswith(f"rlvitals: {unused_address} cannot be reached (")
    assert printed.endswith(f"): {named} is looked for in its local cache only\n")


def test_the_judge_of_an_evaluation_may_be_on_the_hub_too(unused_address, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", unused_address)
    go_offline_if_hub_unreachable(make_config("grpo", {}), "reward_model:someone/judge")
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def test_a_hub_that_answers_is_asked_by_its_own_libraries(monkeypatch, capsys):
    with server(200) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        go_offline_if_hub_unreachable(make_config("grpo", ON_THE_HUB))
    assert "HF_HUB_OFFLINE" not in os.environ
    assert capsys.readouterr().err == ""


def test_nothing_is_asked_where_nothing_is_on_the_hub_or_the_user_has_settled_it(
    unused_address, monkeypatch, capsys, tmp_path
):
    monkeypatch.setenv("HF_ENDPOINT", unused_address)
    go_offline_if_hub_unreachable(make_config("grpo", {"reward_funcs": ("regex:a/b",)}))
    assert "HF_HUB_OFFLINE" not in os.environ
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    go_offline_if_hub_unreachable(make_config("grpo", ON_THE_HUB))
    assert os.environ["HF_HUB_OFFLINE"] == "0"
    assert capsys.readouterr().err == ""
