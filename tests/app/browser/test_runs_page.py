"""The list of runs in a real browser: it sorts, filters, selects and remembers, and a click opens what was clicked."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import WebSocketRoute, expect

from diagnostics.runlog import RunLog
from tests.app.browser.conftest import Screen
from tests.app.browser.legibility import faded, untranslated
from tests.hostile_text import DANGEROUS, EVERYTHING

Fixture = Callable[..., Any]

TRL = Path(__file__).parents[2] / "fixtures" / "trl"
LONG_AGO = 1_700_000_000.0
SEVERAL_POLLS = 4_000  # milliseconds in which the list asks for news more than once


def write(directory: Path, cut: float = 0.05, name: str | None = None, **config: object) -> None:
    with RunLog(directory, name=name, algorithm="grpo", config=config, total=60) as log:
        for step in range(1, 61):
            log.log(step, {"reward": step / 60, "completions/clipped_ratio": cut, "loss": 0.01})
        log.close("finished")


@pytest.fixture
def screen(tmp_path: Path, start_dashboard: Fixture, open_screen: Fixture, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """The list of three runs: `sick` is critical, the others are not."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write(tmp_path / "runs" / "a-first", learning_rate=1e-6)
    write(tmp_path / "runs" / "sick", cut=0.94, learning_rate=1e-3)
    write(tmp_path / "runs" / "z-last", learning_rate=1e-5)
    screen = open_screen(start_dashboard(tmp_path / "runs").url)
    screen.wait_for_names("sick", "z-last", "a-first")
    return screen


def test_a_click_on_a_head_sorts_and_only_sorts(screen: Screen) -> None:
    page = screen.page
    page.get_by_role("button", name="Run", exact=True).click()
    screen.wait_for_names("a-first", "sick", "z-last")
    page.get_by_role("button", name="Run ↓", exact=True).click()
    screen.wait_for_names("z-last", "sick", "a-first")
    expect(page.get_by_role("columnheader", name=re.compile("^Run"))).to_have_attribute("aria-sort", "ascending")
    assert "sort=-run" in page.url
    assert "run=" not in page.url.replace("sort=-run", "")
    page.reload()
    screen.wait_for_names("z-last", "sick", "a-first")


def test_chips_count_and_filter_and_stand_in_the_address(screen: Screen) -> None:
    page = screen.page
    chip = page.get_by_role("button", name="Critical 1")
    expect(page.get_by_role("button", name="Finished 3")).to_be_visible()
    chip.click()
    screen.wait_for_names("sick")
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Filter", exact=True)).to_have_value("verdict:critical")
    expect(page.get_by_role("button", name="Finished 1")).to_be_visible()
    page.wait_for_url("**filter=verdict*")
    page.get_by_role("button", name="All 3").click()
    screen.wait_for_names("sick", "z-last", "a-first")


def test_the_filter_acts_while_one_types_and_says_what_would_match(screen: Screen) -> None:
    page = screen.page
    page.keyboard.press("/")
    page.keyboard.type("learning_rate>1e-4")
    screen.wait_for_names("sick")
    page.keyboard.press("Control+A")
    page.keyboard.type("learning_rat>1e-4")
    expect(page.get_by_role("status").filter(has_text="did you mean learning_rate?")).to_be_visible()
    page.keyboard.press("Control+A")
    page.keyboard.type("verdict:")
    expect(page.get_by_role("status").filter(has_text="“verdict:” lacks a value")).to_be_visible()
    screen.wait_for_names("sick", "z-last", "a-first")
    page.keyboard.press("Control+A")
    page.keyboard.type("-verdict:critical sick")
    expect(page.get_by_text("without sick 2 runs match")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Filter", exact=True)).to_have_value("-verdict:critical sick")


def test_a_click_opens_the_run_that_was_clicked(screen: Screen) -> None:
    screen.row("a-first").locator(".rlv-cell-verdict").click()
    screen.page.wait_for_url("**/run?**a-first**")
    expect(screen.page.get_by_role("heading", name="a-first")).to_be_visible()


def test_a_click_opens_the_run_though_its_row_changes_while_the_button_is_down(screen: Screen, tmp_path: Path) -> None:
    screen.row("a-first").get_by_role("link").hover()
    screen.page.mouse.down()
    shutil.rmtree(tmp_path / "runs" / "a-first")
    write(tmp_path / "runs" / "a-first", cut=0.94)
    other = screen.page.context.new_page()
    other.goto(screen.page.url)
    expect(other.get_by_role("row").filter(has_text="a-first")).to_contain_text("critical", ignore_case=True)
    screen.page.wait_for_timeout(SEVERAL_POLLS)
    screen.page.mouse.up()
    screen.page.wait_for_url("**/run?**a-first**")


def test_two_selected_runs_lead_to_their_comparison(screen: Screen) -> None:
    page = screen.page
    screen.row("sick").get_by_role("checkbox").check()
    compare = page.get_by_role("link", name="Compare", exact=True)
    assert page.get_by_text("Compare", exact=True).get_attribute("aria-disabled") == "true"
    screen.row("z-last").get_by_role("checkbox").check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    assert re.fullmatch(r"compare\?run=[^&]*sick&run=[^&]*z-last", compare.get_attribute("href") or "")
    page.get_by_role("button", name="Run", exact=True).click()  # what is selected stays so
    screen.wait_for_names("a-first", "sick", "z-last")
    expect(screen.row("sick").get_by_role("checkbox")).to_be_checked()
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(compare).to_have_count(0)
    expect(screen.row("sick").get_by_role("checkbox")).not_to_be_checked()


def test_tags_and_notes_are_kept_and_found_and_archived_runs_leave_the_list(screen: Screen, tmp_path: Path) -> None:
    page = screen.page
    before = {path: path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file()}
    screen.row("sick").get_by_role("checkbox").check()
    page.get_by_role("button", name="Tag", exact=True).click()
    page.keyboard.type("for the paper")
    page.keyboard.press("Enter")
    expect(screen.row("sick").get_by_text("for the paper")).to_be_visible()
    page.get_by_role("button", name="Note", exact=True).click()
    page.keyboard.type("cut off: raise the limit")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(screen.row("sick").get_by_text("✎")).to_be_visible()
    page.get_by_role("button", name="Archive", exact=True).click()
    screen.wait_for_names("z-last", "a-first")
    page.get_by_role("button", name="Archived 1").click()
    screen.wait_for_names("sick")
    expect(screen.row("sick").get_by_text("for the paper")).to_be_visible()
    screen.row("sick").get_by_role("checkbox").check()
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(page.get_by_text("What matches")).to_have_count(0)
    page.get_by_label("Filter", exact=True).fill('tag:"for the paper" note:limit')
    screen.wait_for_names("sick")
    assert before == {path: path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file()}


def test_the_keyboard_moves_selects_compares_opens_and_goes_to_the_filter(screen: Screen) -> None:
    page, address = screen.page, screen.page.url
    for key in ("j", "j", "x", "k", "x"):
        page.keyboard.press(key)
    expect(page.get_by_text("2 selected")).to_be_visible()
    expect(screen.row("sick").get_by_role("checkbox")).to_be_checked()
    expect(screen.row("z-last").get_by_role("checkbox")).to_be_checked()
    page.keyboard.press("/")
    page.keyboard.type("jxk")  # letters of a filter are no commands
    expect(page.get_by_label("Filter", exact=True)).to_have_value("jxk")
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    screen.wait_for_names("sick", "z-last", "a-first")
    page.get_by_role("link", name="z-last").focus()
    page.keyboard.press("c")
    page.wait_for_url(re.compile(r"/compare\?run=[^&]*&run=[^&]*$"))
    page.goto(address)
    screen.wait_for_names("sick", "z-last", "a-first")
    page.get_by_role("link", name="z-last").focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/run?**a-first**")


def test_runs_of_trl_that_are_called_alike_are_told_apart(
    tmp_path: Path, start_dashboard: Fixture, open_screen: Fixture
) -> None:
    for seed, fixture in enumerate(("ppo112_min", "ppo112_nmb1", "ppo112_nmb2"), 1):
        shutil.copytree(TRL / fixture, tmp_path / "runs" / f"seed-{seed}" / "out")
    screen = open_screen(start_dashboard(tmp_path / "runs").url)
    expect(screen.page.locator(".rlv-name")).to_have_count(3)
    expect(screen.page.get_by_text("reading …")).to_have_count(0)
    assert {*screen.run_names} == {"seed-1/out/out", "out/out (seed-2/out)", "seed-3/out/out"}


def test_a_new_run_appears_and_focus_selection_and_typing_stay(
    screen: Screen, tmp_path: Path, open_screen: Fixture
) -> None:
    page = screen.page
    screen.row("z-last").get_by_role("checkbox").check()
    page.get_by_role("button", name="Tag", exact=True).click()
    page.keyboard.type("half a ta")
    write(tmp_path / "runs" / "new", cut=0.94)
    expect(screen.row("new")).to_be_visible()
    page.keyboard.type("g")
    expect(page.get_by_label("New tag")).to_have_value("half a tag")
    expect(screen.row("z-last").get_by_role("checkbox")).to_be_checked()


def test_a_read_only_dashboard_shows_what_is_kept_and_changes_nothing(
    tmp_path: Path, start_dashboard: Fixture, open_screen: Fixture
) -> None:
    write(tmp_path / "runs" / "a")
    screen = open_screen(start_dashboard(tmp_path / "runs", "--read-only").url)
    screen.row("a").get_by_role("checkbox").check()
    expect(screen.page.get_by_text("1 selected")).to_be_visible()
    for name in ("Tag", "Note", "Archive", "Open my logs", "Train one"):
        expect(screen.page.get_by_role("button", name=name, exact=True)).to_have_count(0)


def test_a_hostile_name_tag_note_and_filter_are_text(
    tmp_path: Path, start_dashboard: Fixture, open_screen: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write(tmp_path / "runs" / "a", name=EVERYTHING, **{EVERYTHING: EVERYTHING})
    write(tmp_path / "runs" / "b", name="<img src=x onerror='window.pwned = true'>" + "x" * 1_000_000)
    dashboard = start_dashboard(tmp_path / "runs")
    screen = open_screen(dashboard.page("", filter="<img src=x onerror='window.pwned=true'>"))
    page = screen.page
    expect(page.get_by_role("status").filter(has_text="No run has")).to_be_visible()
    page.get_by_label("Filter", exact=True).fill("")
    expect(page.locator(".rlv-name")).to_have_count(2)
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Tag", exact=True).click()
    page.keyboard.type("<b class='made'>$x^2$ :smile: **b**")
    page.keyboard.press("Enter")
    expect(
        page.locator("td .rlv-tag, th .rlv-tag").filter(has_text="<b class='made'>$x^2$ :smile: **b**")
    ).to_be_visible()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".made, .rlv-list img, .rlv-list script, .rlv-list a[href*=evil]").count() == 0
    assert not DANGEROUS & set(page.locator(".rlv-list").inner_text())


def test_the_first_visit_shows_the_samples_and_two_ways_on(
    tmp_path: Path, start_dashboard: Fixture, open_screen: Fixture
) -> None:
    dashboard = start_dashboard()
    chinese = open_screen(dashboard.page("", lang="zh"), "dark")
    expect(chinese.page.get_by_role("link", name="healthy-grpo")).to_be_visible()
    assert [*faded(chinese.page), *untranslated(chinese.page)] == []
    page = open_screen(dashboard.url).page
    expect(page.get_by_role("heading", name="No runs in ./runs yet.")).to_be_visible()
    expect(page.get_by_role("link", name="healthy-grpo")).to_be_visible()
    expect(page.get_by_role("button", name="Open my logs")).to_be_visible()
    page.get_by_role("button", name="Train one now").click()
    expect(page.get_by_role("button", name="Start training")).to_be_visible()


def test_a_page_stays_though_the_one_before_asks_for_its_news_once_more(
    start_dashboard: Fixture, open_screen: Fixture
) -> None:
    page = open_screen(start_dashboard().url).page
    asked: list[str | bytes] = []

    def with_a_late_question(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def ask(message: str | bytes) -> None:
            asked.append(message)
            server.send(message)

        def answer(message: str | bytes) -> None:
            if b"Launch \xc2\xb7 rlvitals" in bytes(message):  # the title, with which the page begins
                server.send(news)
            browser.send(message)

        browser.on_message(ask)
        server.on_message(answer)

    page.route_web_socket(re.compile("_stcore/stream"), with_a_late_question)
    page.reload()
    expect(page.get_by_role("button", name="Train one now")).to_be_visible()
    page.wait_for_timeout(SEVERAL_POLLS)
    news = asked[-1]
    page.get_by_role("button", name="Train one now").click()
    expect(page.get_by_role("button", name="Start training")).to_be_visible()
    page.wait_for_timeout(SEVERAL_POLLS)
    expect(page.get_by_role("button", name="Start training")).to_be_visible()
