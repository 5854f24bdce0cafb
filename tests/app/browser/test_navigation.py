"""The frame around the pages: the jump, the keys, the addresses, the language, the way home."""

import re
import string
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from app.keys import EVERYWHERE, RUNS, SAMPLES, handled
from diagnostics.runlog import RunLog
from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.dashboard import dashboard, free_port, printed_address

Fixture = Callable[..., Any]

HOSTILE = "<img src=x onerror='window.pwned=1'> **a** $x$"
# Which of these keys a script takes for itself: what it acts on it keeps from the browser.
TAKEN = """keys => keys.filter((key) =>
  !document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })))"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A dashboard on two small runs, one of a hostile name, and its addresses."""
    folder = tmp_path_factory.mktemp("frame")
    for name, title in (("first-run", "first-run"), ("second-run", HOSTILE)):
        with RunLog(folder / "runs" / name, name=title, algorithm="grpo", total=3) as log:
            for step in (1, 2, 3):
                samples = [
                    {"query": "9+5=", "response": f"{number}", "score": float(number), "group": 0} for number in (0, 1)
                ]
                log.log(step, {"reward": 0.5, "kl": 0.01, "my/own": 1.0}, samples)
    with dashboard(folder, "ui", "runs", str(SAMPLE_RUNS), "--port", str(free_port())) as process:
        printed = printed_address(process)

        def url(page: str = "", **parameters: object) -> str:
            query = "&".join(filter(None, (urlencode(parameters, doseq=True), printed.query)))
            return f"http://{printed.netloc}/{page}?{query}"

        yield SimpleNamespace(url=url, root=f"http://{printed.netloc}/", run=folder / "runs" / "first-run")


def choose(page: Page, words: str, option: str) -> None:
    """Jump by the keyboard alone; the option that is chosen must be the first."""
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Run, metric or rule")
    expect(field).to_be_focused()
    field.fill(words)
    first = page.locator(".rlj-list [role=option]").first
    expect(first.locator(".rlj-name")).to_have_text(option)
    expect(first).to_have_attribute("aria-selected", "true")
    assert field.get_attribute("aria-activedescendant") == first.get_attribute("id")
    page.keyboard.press("Enter")


def test_the_keyboard_alone_jumps_to_a_run_its_chart_an_entry_and_a_page(
    shown: SimpleNamespace, open_screen: Fixture
) -> None:
    screen = open_screen(shown.url())
    page = screen.page
    expect(page.get_by_role("table", name="Runs")).to_be_visible()
    expect(page).to_have_title("Runs · rlvitals")
    choose(page, "first", "first-run")
    page.wait_for_url("**/run?run=*first-run*")
    expect(page.get_by_role("heading", name="first-run")).to_be_visible()
    assert page.title().endswith(" first-run · rlvitals")

    choose(page, "my own", "my/own")
    expect(page.get_by_role("radio", name="All metrics")).to_be_checked()
    expect(page.locator(".rlvitals-chart[data-metric='my/own']")).to_be_in_viewport()

    choose(page, "kl-negative", "kl-negative")
    page.wait_for_url("**/learn?entry=kl-negative")
    expect(page).to_have_title("kl-negative · rlvitals")

    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_contain_text("opened lately")  # without a letter typed
    page.get_by_role("combobox").fill("e")
    expect(page.get_by_role("option")).to_have_count(20)
    page.get_by_role("combobox").fill("second-run")
    expect(page.get_by_role("option")).to_have_count(1)
    assert page.locator(".rlj-dialog img").count() == 0
    assert page.evaluate("window.pwned") is None
    page.keyboard.press("Escape")
    choose(page, "launch", "Launch")
    page.wait_for_url("**/launch")


def test_an_unknown_address_leads_home_with_a_sentence(shown: SimpleNamespace, open_screen: Fixture) -> None:
    page = open_screen(shown.url("no/such<b>page")).page
    expect(page.get_by_text("There is no page at no/such<b>page; these are the runs.")).to_be_visible()
    expect(page.get_by_role("table", name="Runs")).to_be_visible()
    assert page.url.partition("?")[0] == shown.root
    icon = page.locator("link[rel=icon]").get_attribute("href")
    assert page.request.get(f"{shown.root}{icon}").headers["content-type"].startswith("image/svg+xml")


def test_every_key_that_is_listed_works_and_no_other_is_taken(shown: SimpleNamespace, open_screen: Fixture) -> None:
    page = open_screen(shown.url()).page
    links = page.locator(".rlv-name")
    expect(links).to_have_count(2)
    page.keyboard.press("?")
    rows = page.get_by_role("dialog", name="Keys").get_by_role("row")
    expect(rows).to_have_count(len(RUNS) + len(EVERYWHERE))
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("x")
    page.keyboard.press("k")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("x")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Filter")).to_be_focused()
    page.keyboard.press("Escape")
    assert taken(page) == set(handled(RUNS)) | {"?"}  # and "c" has led to the comparison
    page.wait_for_url(re.compile(r"/compare\?run=.*&run="))

    page.goto(shown.url("run", run=shown.run, section="samples", step=2))
    expect(page.get_by_role("heading", name="Step 2, sample 1")).to_be_visible()
    for key, heading in (("j", "Step 2, sample 2"), ("k", "Step 2, sample 1")):
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    for key, heading in (("ArrowRight", "Step 3"), ("ArrowLeft", "Step 2")):
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    page.keyboard.press("d")
    expect(page.get_by_role("region", name="Difference of two steps")).to_be_visible()
    page.wait_for_url("**against=1*")
    assert taken(page) == set(handled(SAMPLES)) | {"?"}


def taken(page: Page) -> set[str]:
    keys = [
        *string.ascii_letters,
        *string.digits,
        *string.punctuation,
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "ArrowDown",
    ]
    return set(page.evaluate(TAKEN, keys))


def test_the_address_holds_what_the_samples_and_the_metrics_show(shown: SimpleNamespace, open_screen: Fixture) -> None:
    chosen = {"section": "samples", "step": 2, "order": "highest score", "find": "1", "prompt": "1.0"}
    page = open_screen(shown.url("run", run=shown.run, **chosen)).page
    expect(page.get_by_label("Order")).to_have_value("highest score")
    expect(page.get_by_label("Find in text")).to_have_value("1")
    expect(page.get_by_text("back to all prompts of the step")).to_be_visible()
    page.get_by_label("only cut off").check()
    page.wait_for_url("**cut=1*")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url

    page.goto(shown.url("run", run=shown.run, section="metrics", metric="own"))
    expect(page.get_by_label("Filter")).to_have_value("own")
    expect(page.locator(".rlvitals-chart")).to_have_count(1)
    page.get_by_role("link", name="Runs").last.click()
    page.wait_for_url(shown.root)


def test_a_chosen_language_stays_in_new_tabs_and_copied_links(shown: SimpleNamespace, open_screen: Fixture) -> None:
    page = open_screen(shown.url()).page
    page.get_by_role("link", name="中文").click()
    expect(page.get_by_role("table", name="运行")).to_be_visible()
    assert page.url == f"{shown.root}?lang=zh"

    with page.context.expect_page() as opened:
        page.get_by_role("link", name="first-run").click(modifiers=["Control"])
    run = opened.value
    expect(run.get_by_role("button", name="复制链接")).to_be_visible()
    run.context.grant_permissions(["clipboard-read", "clipboard-write"])
    run.get_by_role("button", name="复制链接").click()
    expect(run.get_by_role("button", name="已复制")).to_be_visible()
    assert "lang=zh" in run.evaluate("navigator.clipboard.readText()")

    run.goto(f"{shown.root}learn")  # as a bookmark, or the bar's links in a new tab, which name no language
    expect(run.get_by_role("textbox", name="查找指标、规则或原因")).to_be_visible()
    run.get_by_role("link", name="English").click()
    expect(run.get_by_role("textbox", name="Find a metric, a rule or a cause")).to_be_visible()
    page.goto(shown.root)
    expect(page.get_by_role("table", name="Runs")).to_be_visible()
