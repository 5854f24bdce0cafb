"""What a log says is text in a real browser: on every section of the page, and in the HTML report."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from diagnostics.api import diagnose, open_run
from diagnostics.report.forms import rendered
from diagnostics.report.report import Report
from diagnostics.runlog import CONSOLE_FILE, RunLog
from diagnostics.visible_text import one_line
from tests.hostile_text import DANGEROUS, EVERYTHING

Fixture = Callable[..., Any]

DETAILS = ("Charts", "Samples", "All metrics", "Distributions", "Time", "Config", "Console", "Checks")
DRAWN = (
    "a[href*='evil.example'], a[href^=mailto], a[href^=javascript], img[alt='Streamlit logo'], .katex, svg a, "
    ":text-is('home'), :text-is('😄'), .stMarkdownColoredText:text-is('x')"
)
READ = """() => [document.title, document.body.innerText, document.querySelector('main')?.innerText,
    ...[...document.querySelectorAll('[aria-label], [title]')].map(e => (e.ariaLabel ?? '') + (e.title ?? '')),
    ...[...document.querySelectorAll('.js-plotly-plot text, .rlvitals-chart')].map(e => e.textContent),
    ...[...document.querySelectorAll('[role=gridcell]')].map(e => e.textContent)].join(' ')"""
INJECTED = "<script>window.pwned = true</script><img src=x onerror='window.pwned = true'>"


@pytest.fixture
def hostile_run(tmp_path: Path) -> Path:
    """A failed run, relaunched from a run that is not there, whose every text is hostile."""
    with RunLog(
        tmp_path / "hostile",
        name=EVERYTHING,
        algorithm="grpo",
        task=EVERYTHING,
        config={EVERYTHING: EVERYTHING},
        total=40,
    ) as log:
        for step in range(1, 41):
            texts = {"query": EVERYTHING, "response": EVERYTHING}
            sample = {**texts, "score": 1.0, "rewards": {EVERYTHING: 1.0, "b": 0.0}, "terminated": False, "group": 0}
            metrics = {
                "reward": 1.0,
                "completions/clipped_ratio": 0.95,
                f"rewards/{EVERYTHING}/mean": 1.0,
                EVERYTHING: 2.0,
            }
            log.log(step, metrics, [sample] * 4, {EVERYTHING: {"edges": [0.0, 1.0], "counts": [2]}})
        log.close("failed", EVERYTHING)
    (log.directory / CONSOLE_FILE).write_text(EVERYTHING)
    return log.directory


def test_a_hostile_log_is_text_on_every_section_of_the_page(
    hostile_run: Path, start_dashboard: Fixture, open_screen: Fixture
) -> None:
    dashboard = start_dashboard(hostile_run.parent)
    runs = open_screen(dashboard.url)
    expect(runs.page.get_by_role("table", name="Runs")).to_be_visible()
    check(runs.page)
    run = open_screen(dashboard.url_of(hostile_run))
    heading = run.page.get_by_role("heading", level=2)
    expect(heading).to_have_text(one_line(EVERYTHING))  # to the letter: no arrow, no emoji, no icon
    for name in DETAILS:
        run.open_details(name)
        check(run.page)
    run.open_details("Samples")
    expect(run.page.locator(".rls-turn pre").filter(has_text="␛]0;owned␇␛[2J⟨U+009B⟩31m␀")).to_have_count(2)
    run.page.locator(".rlv-row").get_by_role("button", name="Show").first.click()
    run.page.locator(".rlv-card").get_by_role("button", name="more").click()
    check(run.page)


def check(page: Page) -> None:
    """Nothing on the page was made of the text, and every character of it can be seen."""
    assert page.locator(DRAWN).count() == 0
    assert DANGEROUS & set(page.evaluate(READ)) == set()


def test_the_html_report_loads_nothing_runs_nothing_and_looks_as_before(
    hostile_run: Path, chromium: Browser, tmp_path: Path
) -> None:
    report = rendered(Report((diagnose(open_run(hostile_run)),)), "html")
    page, complaints = opened(chromium, tmp_path / "report.html", report)
    assert complaints == []
    assert "␛]0;owned␇" in page.inner_text("h1")
    assert DANGEROUS & set(page.evaluate(READ)) == set()
    assert page.locator("a[href*=evil], script, img").count() == 0
    with_policy = page.screenshot(full_page=True)
    start = report.index("<meta http-equiv")
    without, _ = opened(chromium, tmp_path / "before.html", report[:start] + report[report.index(">", start) + 1 :])
    assert without.screenshot(full_page=True) == with_policy


def test_a_script_that_got_into_the_html_report_would_not_run(
    hostile_run: Path, chromium: Browser, tmp_path: Path
) -> None:
    report = rendered(Report((diagnose(open_run(hostile_run)),)), "html")
    injected = report.replace("<main>", f"<main>{INJECTED}<p style='color: red' id=styled>a</p>")
    page, complaints = opened(chromium, tmp_path / "report.html", injected)
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("getComputedStyle(document.getElementById('styled')).color") != "rgb(255, 0, 0)"
    assert (
        len([complaint for complaint in complaints if "Content Security Policy" in complaint]) == 4
    )  # two scripts, a style, an image


def opened(chromium: Browser, file: Path, text: str) -> tuple[Page, list[str]]:
    """A file in the browser, and what the browser's console says about it."""
    file.write_text(text, encoding="utf-8")
    page = chromium.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    return page, complaints
