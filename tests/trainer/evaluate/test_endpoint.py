"""The judge behind an endpoint, against a real HTTP server on this machine."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from trainer.config.options import ConfigError
from trainer.evaluate.contest import Pair, Tally, judge_pairs
from trainer.evaluate.endpoint import Endpoint, EndpointJudge, text_of, verdict_in

Reply = tuple[int, Any]


def reply_with(text: str) -> Reply:
    return 200, {"choices": [{"message": {"role": "assistant", "content": text}}]}


@contextmanager
def serving(answer: Callable[[dict[str, Any], int], Reply]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server whose n-th request (from 0) gets `answer(request, n)`; gives its base URL and the requests."""
    seen: list[dict[str, Any]] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(seen)
                seen.append({"path": self.path, "key": self.headers.get("Authorization"), **request})
            status, body = answer(request, number)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(BrokenPipeError):  # the judge has given up waiting
                self.wfile.write(content)

        def log_message(self, *words: object) -> None:
            """Keep the tests' output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def judge_at(url: str, **settings: Any) -> EndpointJudge:
    return EndpointJudge("some-model", Endpoint(url, **{"pause": 0.01, "attempts": 3, "timeout": 5.0, **settings}))


def judge_preferring(good: str) -> Callable[[dict[str, Any], int], Reply]:
    """A judge that prefers the response with this text, in either position."""

    def answer(request: dict[str, Any], number: int) -> Reply:
        first = request["messages"][0]["content"].partition("<response B>")[0]
        return reply_with("A" if good in first else "B")

    return answer


PAIR = Pair({"prompt": "What is it?"}, "a good answer", "another answer")


def test_a_consistent_judge_is_asked_in_both_orders() -> None:
    with serving(judge_preferring("a good")) as (url, seen):
        tally = judge_pairs(judge_at(url, key="secret"), [PAIR, PAIR.swapped])
    assert Tally(wins=1, ties=0, losses=1) == tally
    assert len(seen) == 4
    assert {("/v1/chat/completions", "Bearer secret", "some-model")} == {
        (request["path"], request["key"], request["model"]) for request in seen
    }
    assert all("What is it?" in request["messages"][0]["content"] for request in seen)


def test_a_judge_swayed_by_the_order_gives_a_tie_that_is_told() -> None:
    with serving(lambda request, number: reply_with("A")) as (url, _):
        assert Tally(wins=0, ties=1, losses=0, inconsistent=1) == judge_pairs(judge_at(url), [PAIR])


def test_a_reply_without_a_verdict_is_counted_and_not_guessed() -> None:
    with serving(lambda request, number: reply_with("Both have their merits.")) as (url, _):
        assert Tally(wins=0, ties=0, losses=0, unjudged=1) == judge_pairs(judge_at(url), [PAIR])


def test_replies_of_another_shape_are_counted() -> None:
    with serving(lambda request, number: (200, {"choices": []})) as (url, _):
        assert judge_at(url).verdicts([PAIR]) == [None]


def test_a_passing_failure_is_tried_again() -> None:
    with serving(lambda request, number: (503, {}) if number < 2 else reply_with("TIE")) as (url, seen):
        assert judge_at(url).verdicts([PAIR]) == ["tie"]
    assert len(seen) == 3


def test_a_reply_that_is_no_json_is_tried_again() -> None:
    with serving(lambda request, number: (200, b"<html>") if number == 0 else reply_with("B")) as (url, _):
        assert judge_at(url).verdicts([PAIR]) == ["b"]


def test_a_pair_that_fails_for_good_is_unjudged_where_others_were_answered() -> None:
    with serving(lambda request, number: reply_with("A") if number == 0 else (500, {})) as (url, _):
        judge = judge_at(url, at_once=1)
        assert judge.verdicts([PAIR, PAIR]) == ["a", None]


def test_an_endpoint_that_never_answers_is_an_error() -> None:
    with (
        serving(lambda request, number: (500, {})) as (url, seen),
        pytest.raises(ConfigError, match=r"failed 3 times \(500"),
    ):
        judge_at(url).verdicts([PAIR])
    assert len(seen) == 3


def test_a_wrong_key_ends_at_once() -> None:
    with serving(lambda request, number: (401, {})) as (url, seen), pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        judge_at(url).verdicts([PAIR])
    assert len(seen) == 1


def test_a_silent_endpoint_runs_into_the_timeout() -> None:
    def sleepy(request: dict[str, Any], number: int) -> Reply:
        time.sleep(0.5)
        return reply_with("A")

    with serving(sleepy) as (url, _), pytest.raises(ConfigError, match="timed out"):
        judge_at(url, timeout=0.05, attempts=2).verdicts([PAIR])


def test_no_endpoint_at_all_is_said_with_its_address() -> None:
    with serving(judge_preferring("x")) as (url, _):
        pass
    with pytest.raises(ConfigError, match=url):
        judge_at(url).verdicts([PAIR])


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("A", "a"),
        (" b. ", "b"),
        ("**TIE**", "tie"),
        ("Response A is shorter.\n\nB", "b"),
        ("", None),
        ("A or B", None),
        ("I prefer A", None),
        ("AB", None),
    ],
)
def test_only_one_of_the_three_words_is_a_verdict(answer: str, verdict: str | None) -> None:
    assert verdict == verdict_in(answer)


@pytest.mark.parametrize("reply", [None, [], {}, {"choices": [{"message": {"content": None}}]}, {"choices": [{}]}])
def test_a_reply_without_text_has_none(reply: Any) -> None:
    assert text_of(reply) is None
