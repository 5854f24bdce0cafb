"""The Compare page in a real browser, on runs of real trainers, on hostile ones and on one that grows."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from diagnostics.runlog import RunLog
from tests.app.browser.conftest import wait_until
from tests.hostile_text import DANGEROUS, EVERYTHING

Fixture = Callable[..., Any]

ROOT = Path(__file__).parents[3]
SAMPLES, TRL = ROOT / "sample_runs", ROOT / "tests" / "fixtures" / "trl"
DRAWN = (
    "a[href*='evil.example'], a[href^=mailto], a[href^=javascript], img[alt='Streamlit logo'], .katex, svg a, "
    ":text-is('home'), :text-is('😄'), .stMarkdownColoredText:text-is('x')"
)
READ = """() => [document.title, document.body.innerText,
    ...[...document.querySelectorAll('[aria-label], [title]')].map(e => (e.ariaLabel ?? '') + (e.title ?? '')),
    ...[...document.querySelectorAll('.js-plotly-plot text')].map(e => e.textContent),
    ...[...document.querySelectorAll('[role=gridcell]')].map(e => e.textContent)].join(' ')"""
# An overlay is Plotly's: the element with the metric's name as its revision.
FIND = "metric => [...document.querySelectorAll('.js-plotly-plot')].find(plot => plot.layout?.uirevision === metric)"
TRACES = f"metric => ({FIND})(metric)?.data.map(trace => trace.name)"
RANGE = f"metric => ({FIND})(metric)._fullLayout.xaxis.range"
BOX = f"""metric => {{
  const plot = ({FIND})(metric);
  plot.scrollIntoView({{block: 'center'}});
  return plot.querySelector('.nsewdrag').getBoundingClientRect().toJSON();
}}"""


def write(folder: Path, last: int = 40, best: float = 1.0, **more: Any) -> RunLog:
    """A GRPO run; not closed."""
    log = RunLog(folder, algorithm="grpo", total=100, **more)
    for step in range(1, last + 1):
        log_step(log, step, best)
    return log


def log_step(log: RunLog, step: int, best: float = 1.0) -> None:
    answer = {"query": EVERYTHING, "response": EVERYTHING, "score": best, "terminated": True}
    log.log(step, {"reward": best * step / 40, "reward_std": 0.3, EVERYTHING: 1.0}, [answer])


def overlay_box(screen: Any) -> dict[str, float]:
    """Where the overlay of the reward is on the screen, once it is drawn."""
    screen.page.wait_for_function(f"metric => ({FIND})(metric)?.querySelector('.nsewdrag')", arg="reward")
    box: dict[str, float] = screen.page.evaluate(BOX, "reward")
    return box


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_runs_of_trl_and_sample_runs_are_compared_without_an_error(
    theme: str, start_dashboard: Fixture, open_screen: Fixture
) -> None:
    dashboard = start_dashboard(SAMPLES, TRL)
    for pair in (
        (SAMPLES / "cut-off", SAMPLES / "healthy-grpo"),
        (TRL / "grpo116" / "out", TRL / "grpo116" / "out_conv"),
    ):
        screen = open_screen(compare_url(dashboard, *pair), theme)
        expect(screen.page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
        expect(screen.page.get_by_role("rowheader", name="Verdict")).to_be_visible()
        overlay_box(screen)
        assert traces(screen, "reward")[:2] == ["A", "B"]
        screen.open_details("All metrics")
        assert screen.problems() == []


def test_twenty_runs_do_not_make_the_page_scroll_sideways(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    paths = [tmp_path / "runs" / f"seed-{index:02}" for index in range(20)]
    for index, path in enumerate(paths):
        write(path, last=5, config={"seed": index}).close()
    screen = open_screen(compare_url(start_dashboard(tmp_path / "runs"), *paths))
    expect(screen.page.get_by_text("their mean and range are one band, n = 20.")).to_be_visible()
    overlay_box(screen)
    assert [name for name in traces(screen, "reward") if name.startswith("mean")] == ["mean ABCDEFGHIJKLMNOPQRST"]
    assert screen.problems() == []


def test_the_run_page_leads_to_a_comparison_and_the_choosers_write_the_address(
    start_dashboard: Fixture, open_screen: Fixture
) -> None:
    dashboard = start_dashboard(SAMPLES)
    page = open_screen(dashboard.url_of(SAMPLES / "cut-off")).page
    page.get_by_role("link", name="Compare with another run").click()
    expect(page.get_by_text("Only one run is chosen, cut-off")).to_be_visible()
    page.get_by_role("combobox", name="Runs, the baseline first").click()
    page.get_by_role("option", name=re.compile("healthy-grpo")).click()
    expect(page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
    assert [Path(path).name for path in address(page)["run"]] == ["cut-off", "healthy-grpo"]
    page.get_by_role("button", name="Healthy reference").click()
    page.get_by_role("combobox", name="Run", exact=True).click()
    page.get_by_role("option", name=re.compile("healthy-ppo")).click()
    expect(page.get_by_text("healthy-ppo is no reference here")).to_be_visible()
    assert Path(address(page)["ghost"][0]).name == "healthy-ppo"


def test_a_relaunched_run_leads_to_its_parent_beside_it(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    parent = write(tmp_path / "runs" / "a", best=0.5)
    parent.close()
    write(tmp_path / "runs" / "b", parent=parent.run_id).close()
    page = open_screen(start_dashboard(tmp_path / "runs").url_of(tmp_path / "runs" / "b")).page
    page.get_by_role("link", name="Compare the two").click()
    expect(page.get_by_text("B, relaunched from A with the same settings")).to_be_visible()
    expect(page.get_by_role("columnheader", name="relaunch of A")).to_be_visible()
    assert [Path(path).name for path in address(page)["run"]] == ["a", "b"]


def test_a_click_on_a_curve_chooses_the_step_of_the_figures(start_dashboard: Fixture, open_screen: Fixture) -> None:
    screen = open_screen(compare_url(start_dashboard(SAMPLES), SAMPLES / "cut-off", SAMPLES / "healthy-grpo"))
    box = overlay_box(screen)
    screen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    screen.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    screen.page.wait_for_url("**step=**")
    step = address(screen.page)["step"][0]
    expect(screen.page.get_by_role("rowheader", name=f"Reward at step {step}", exact=True)).to_be_visible()


def test_a_live_run_grows_on_the_page_and_the_zoom_of_a_chart_stays(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    write(tmp_path / "runs" / "a").close()
    live = write(tmp_path / "runs" / "b", last=20)
    screen = open_screen(compare_url(start_dashboard(tmp_path / "runs"), tmp_path / "runs" / "a", live.directory))
    expect(screen.page.get_by_role("rowheader", name="Reward at step 20")).to_be_visible()
    box = overlay_box(screen)
    whole = screen.page.evaluate(RANGE, "reward")
    middle = box["y"] + box["height"] / 2
    screen.page.mouse.move(box["x"] + box["width"] * 0.4, middle)
    screen.page.mouse.down()
    screen.page.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=5)
    screen.page.mouse.up()
    zoomed = wait_until(lambda: (now := screen.page.evaluate(RANGE, "reward")) != whole and now, "the overlay to zoom")
    for step in range(21, 31):
        log_step(live, step)
    expect(screen.page.get_by_role("rowheader", name="Reward at step 30")).to_be_visible()
    live.close()
    assert screen.page.evaluate(RANGE, "reward") == zoomed


def test_a_hostile_log_is_text_on_the_page(start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path) -> None:
    config = {EVERYTHING: EVERYTHING}
    write(tmp_path / "runs" / "a", name=f"{EVERYTHING}a", task=EVERYTHING, config=config).close("failed", EVERYTHING)
    write(tmp_path / "runs" / "b", name=f"{EVERYTHING}b", config={EVERYTHING: f"{EVERYTHING}b"}).close()
    paths = tmp_path / "runs" / "a", tmp_path / "runs" / "b"
    screen = open_screen(compare_url(start_dashboard(tmp_path / "runs"), *paths))
    expect(screen.page.get_by_role("rowheader", name="Verdict")).to_be_visible()
    for section in ("Samples of one prompt", "All metrics"):
        screen.open_details(section)
        assert screen.page.locator(DRAWN).count() == 0
        assert DANGEROUS & set(screen.page.evaluate(READ)) == set()
        assert screen.problems() == []


def compare_url(dashboard: Any, *paths: Path) -> str:
    return dashboard.page("compare", run=list(paths))


def traces(screen: Any, metric: str) -> list[str]:
    return screen.page.evaluate(TRACES, metric)


def address(page: Any) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)
