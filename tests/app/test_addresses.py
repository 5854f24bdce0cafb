"""The addresses: a document for every page, and the way home from what is none, relative to wherever it is served."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from app.addresses import PAGES, PageAddresses
from tests.event_loop import run_apart


async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers as Streamlit does: its document at every address but those of files."""
    is_file = "." in scope["path"] or "_stcore" in scope["path"]
    answer: Response = PlainTextResponse("a file") if is_file else HTMLResponse("the document of Streamlit")
    await answer(scope, receive, send)


def ask(path: str, query: str = "", base_path: str = "", method: str = "GET", cookie: str = "") -> Sequence[Any]:
    """The status, the headers and the body of an answer."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"host"), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": headers}
    run_apart(PageAddresses(streamlit, base_path)(scope, receive, send))
    answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answered, b"".join(message.get("body", b"") for message in sent[1:]).decode()


@pytest.mark.parametrize("base_path", ["", "/behind/proxy"])
@pytest.mark.parametrize("page", ["", *PAGES])
def test_every_page_has_a_document_of_ours_that_knows_its_server(page: str, base_path: str) -> None:
    status, headers, body = ask(f"{base_path}/{page}", "run=a", base_path)
    assert (status, headers["cache-control"]) == (200, "no-cache")
    assert "<title>rlvitals</title>" in body
    assert 'href="./icon.svg"' in body
    assert "favicon.png" not in body
    assert "BACKEND_BASE_URL" in body


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("/nonsense", "/?unknown=nonsense"),
        ("/a/b/c", "/?unknown=a%2Fb%2Fc"),
        ("/<b>", "/?unknown=%3Cb%3E"),
        ("/run/", "/?unknown=run%2F"),
        ("/" + "x" * 300, "/?unknown=" + "x" * 100),
    ],
)
def test_an_address_without_a_page_leads_home(path: str, home: str) -> None:
    status, headers, _ = ask(path)
    assert (status, urljoin(f"http://host{path}", headers["location"])) == (303, f"http://host{home}")


def test_the_way_home_keeps_the_language() -> None:
    _, headers, _ = ask("/nonsense", "run=a&lang=zh")
    assert headers["location"] == "./?unknown=nonsense&lang=zh"


def test_the_way_home_is_relative_so_that_it_holds_behind_a_proxy() -> None:
    _, headers, _ = ask("/base/no/page", base_path="/base")
    assert headers["location"] == "../?unknown=no%2Fpage"


def test_the_name_of_the_list_leads_to_it_with_its_filter() -> None:
    status, headers, _ = ask("/runs", "filter=verdict%3Acritical")
    assert (status, headers["location"]) == (303, "./?filter=verdict%3Acritical")


@pytest.mark.parametrize(("path", "method"), [("/static/js/a.js", "GET"), ("/_stcore/health", "GET"), ("/run", "POST")])
def test_all_that_is_no_document_goes_on_to_streamlit(path: str, method: str) -> None:
    status, _, body = ask(path, method=method)
    assert (status, body) == (200, "the document of Streamlit" if method == "POST" else "a file")


def test_a_chosen_language_is_kept_for_pages_whose_address_names_none() -> None:
    status, headers, _ = ask("/base/run", "run=a%20b&run=c&lang=en&choose_lang=zh", base_path="/base")
    assert (status, headers["location"]) == (303, "./run?run=a+b&run=c&lang=zh")
    kept, _, attributes = headers["set-cookie"].partition("; ")
    assert {"HttpOnly", "Path=/base", "SameSite=lax"} <= set(attributes.split("; "))

    assert '<html lang="zh-CN">' in ask("/run", cookie=kept)[2]
    assert '<html lang="en">' in ask("/run", "lang=en", cookie=kept)[2]


def test_a_choice_that_there_is_not_changes_nothing() -> None:
    status, headers, _ = ask("/run", "choose_lang=xx%0d%0aSet-Cookie:%20a=b")
    assert (status, "set-cookie" in headers) == (200, False)
