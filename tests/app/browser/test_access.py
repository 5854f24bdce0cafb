"""The door as browsers meet it: rebound names, other sites, a token pasted, and several dashboards at once."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

Fixture = Callable[..., Any]

KNOCK = """address => new Promise(resolve => {
  const socket = new WebSocket(address);
  socket.onopen = () => resolve('open');
  socket.onerror = () => resolve('refused');
})"""


@pytest.fixture
def profile(chromium: Browser) -> Iterator[BrowserContext]:
    """A fresh browser profile whose refused requests are no trouble."""
    context = chromium.new_context()
    yield context
    context.close()


def split(dashboard: Any) -> SplitResult:
    return urlsplit(dashboard.url)


def is_the_dashboard(page: Page) -> None:
    expect(page.get_by_role("link", name="Launch")).to_be_visible()
    assert "token=" not in page.url


def test_a_name_that_was_rebound_to_this_machine_gets_nothing_but_the_refusal(
    start_dashboard: Fixture, profile: BrowserContext, tmp_path: Path
) -> None:
    printed = split(start_dashboard(tmp_path))
    page = profile.new_page()

    answer = page.goto(f"http://evil.example:{printed.port}/launch?{printed.query}")

    assert answer is not None
    assert answer.status == 403
    assert page.locator("body").inner_text().strip() == (
        "This dashboard does not answer to evil.example. To allow it: --allow-host evil.example"
    )
    for host in ("evil.example", "127.0.0.1", "localhost"):
        address = f"ws://{host}:{printed.port}/_stcore/stream?{printed.query}"
        assert page.evaluate(KNOCK, address) == "refused"


def test_a_page_of_another_port_cannot_use_the_cookie(
    start_dashboard: Fixture, profile: BrowserContext, tmp_path: Path
) -> None:
    first, second = split(start_dashboard(tmp_path)), split(start_dashboard(tmp_path))
    page = profile.new_page()
    page.goto(first.geturl())
    is_the_dashboard(page)

    assert page.evaluate(KNOCK, f"ws://127.0.0.1:{first.port}/_stcore/stream") == "open"
    page.goto(second.geturl())
    is_the_dashboard(page)
    assert page.evaluate(KNOCK, f"ws://127.0.0.1:{first.port}/_stcore/stream") == "refused"


def test_a_pasted_token_opens_the_page_that_was_asked_for(
    start_dashboard: Fixture, profile: BrowserContext, tmp_path: Path
) -> None:
    printed = split(start_dashboard(tmp_path))
    page = profile.new_page()
    page.goto(f"http://127.0.0.1:{printed.port}/run?run=nowhere%26else")

    expect(page.get_by_role("heading")).to_have_text("This dashboard opens with a token")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("heading")).to_have_text("This is not the dashboard’s token")
    page.get_by_label("Token").fill(printed.query.removeprefix("token="))
    page.get_by_role("button", name="Open").click()

    is_the_dashboard(page)
    expect(page.get_by_text("nowhere&else").first).to_be_visible()
    page.reload()
    is_the_dashboard(page)


def test_two_dashboards_on_one_host_do_not_sign_each_other_out(
    start_dashboard: Fixture, profile: BrowserContext, tmp_path: Path
) -> None:
    addresses = [split(start_dashboard(tmp_path)) for _ in range(2)]
    page = profile.new_page()
    for address in addresses:
        page.goto(address.geturl())
        is_the_dashboard(page)

    for address in addresses:
        page.goto(f"http://{address.netloc}/launch")
        is_the_dashboard(page)
    cookies = [cookie for cookie in profile.cookies() if cookie["name"].startswith("rlvitals")]
    assert sorted(cookie["name"] for cookie in cookies) == sorted(f"rlvitals-{each.port}" for each in addresses)
    assert {(cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies} == {(True, "Strict")}


def test_a_link_of_another_site_leads_to_the_page_in_two_clicks(
    start_dashboard: Fixture, profile: BrowserContext, tmp_path: Path
) -> None:
    printed = split(start_dashboard(tmp_path))
    page = profile.new_page()
    page.goto(printed.geturl())
    is_the_dashboard(page)
    link = f'<a href="http://{printed.netloc}/run?run=nowhere">the run</a>'
    page.route("http://chat.example/", lambda route: route.fulfill(body=link, content_type="text/html"))

    page.goto("http://chat.example/")
    page.get_by_role("link", name="the run").click()
    page.get_by_role("link", name="Go on to the page").click()

    is_the_dashboard(page)
    expect(page.get_by_text("nowhere").first).to_be_visible()
