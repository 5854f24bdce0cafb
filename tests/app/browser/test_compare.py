"""The Compare page in a real browser, on runs of real trainers, on hostile ones and on one that grows."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from diagnostics.runlog import RunLog
from tests.app.browser.conftest import FIND, Chart, Dashboard, wait_until
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
    ...[...document.querySelectorAll('.rlvitals-chart, .rlvitals-legend, [aria-label=ghost]')].map(e => e.textContent),
    ...[...document.querySelectorAll('[role=gridcell]')].map(e => e.textContent)].join(' ')"""
# Every word that a chart writes beside its plot, with its box in CSS pixels.
WORDS = f"""async metric => {{
  const chart = ({FIND})(metric);
  const {{plot}} = chart;
  const found = [];
  const write = plot.ctx.fillText;
  plot.ctx.fillText = function (words, x, y) {{
    found.push({{words, x, y, width: this.measureText(words).width}});
    return write.call(this, words, x, y);
  }};
  plot.redraw(false, false);
  await new Promise(requestAnimationFrame);
  delete plot.ctx.fillText;
  const right = (plot.bbox.left + plot.bbox.width) / devicePixelRatio;
  return found.filter(({{x}}) => x > right && x < plot.width);
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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_runs_of_trl_and_sample_runs_are_compared_without_an_error(
    theme: str, dashboard: Dashboard, open_screen: Fixture
) -> None:
    for pair in (
        (SAMPLES / "cut-off", SAMPLES / "healthy-grpo"),
        (TRL / "grpo116" / "out", TRL / "grpo116" / "out_conv"),
    ):
        screen = open_screen(compare_url(dashboard, *pair), theme)
        expect(screen.page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
        expect(screen.page.get_by_role("rowheader", name="Verdict")).to_be_visible()
        assert [word["words"] for word in words_beside(screen.chart("reward"))] in (["A", "B"], ["B", "A"])
        screen.open_details("All metrics")
        assert screen.problems() == []


def test_what_is_said_of_each_run_stands_right_under_its_name(dashboard: Dashboard, open_screen: Fixture) -> None:
    page = open_screen(compare_url(dashboard, SAMPLES / "healthy-grpo", SAMPLES / "cut-off")).page
    expect(page.get_by_role("rowheader", name="Verdict")).to_be_visible()
    padding = "cells => cells.map(cell => getComputedStyle(cell).paddingLeft)"
    assert len(set(page.locator("[data-testid=stTable] :is(th.col_heading, td)").evaluate_all(padding))) == 1


def test_twenty_runs_do_not_make_the_page_scroll_sideways_nor_their_letters_lie_on_each_other(
    runs: Path, dashboard: Dashboard, open_screen: Fixture
) -> None:
    paths = [runs / f"seed-{index:02}" for index in range(20)]
    for index, path in enumerate(paths):
        write(path, last=5, config={"beta": index / 100} if index % 2 else {"seed": index}).close()
    screen = open_screen(compare_url(dashboard, *paths))
    expect(screen.page.get_by_text("their mean and range are one band, n = 10.")).to_be_visible()
    reward = screen.chart("reward")
    found = words_beside(reward)
    assert sorted(word["words"] for word in found) == ["A…S", *"BDFHJLNPRT"]
    for one, other in itertools.combinations(found, 2):
        beside = min(one["x"] + one["width"], other["x"] + other["width"]) <= max(one["x"], other["x"])
        assert beside or abs(one["y"] - other["y"]) >= 12
    expect(screen.page.locator(".rlvitals-legend span")).to_have_count(20)
    assert screen.problems() == []


def test_the_run_page_leads_to_a_comparison_and_the_choosers_write_the_address(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    with RunLog(tmp_path / "runs" / "theirs", algorithm="ppo") as log:
        log.log(1, {"objective/scores": 1.0})
    dashboard = start_dashboard(SAMPLES, tmp_path / "runs")
    page = open_screen(dashboard.url_of(SAMPLES / "cut-off")).page
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_text("Only one run is chosen, cut-off")).to_be_visible()
    page.get_by_role("combobox", name="Runs, the baseline first").click()
    page.get_by_role("option", name=re.compile("healthy-grpo")).click()
    expect(page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
    assert [Path(path).name for path in address(page)["run"]] == ["cut-off", "healthy-grpo"]
    page.get_by_label("ghost").hover()
    expect(page.locator("[aria-label=ghost] option")).to_have_text(["off", "theirs"])
    page.get_by_label("ghost").select_option(label="theirs")
    expect(page.get_by_text("theirs is no reference here: its algorithm is ppo")).to_be_visible()
    assert Path(address(page)["ghost"][0]).name == "theirs"


def test_a_relaunched_run_leads_to_its_parent_beside_it(runs: Path, dashboard: Dashboard, open_screen: Fixture) -> None:
    parent = write(runs / "a", best=0.5)
    parent.close()
    write(runs / "b", parent=parent.run_id).close()
    page = open_screen(dashboard.url_of(runs / "b")).page
    page.get_by_role("link", name="Compare the two").click()
    expect(page.get_by_text("B, relaunched from A with the same settings")).to_be_visible()
    expect(page.get_by_role("columnheader", name="relaunch of A")).to_be_visible()
    assert [Path(path).name for path in address(page)["run"]] == ["a", "b"]


def test_zoom_cursor_and_step_are_those_of_every_overlay_and_of_the_address(
    dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(compare_url(dashboard, SAMPLES / "cut-off", SAMPLES / "healthy-grpo"))
    reward, other = screen.chart("reward"), screen.chart("truncated_fraction")
    whole = other.x_range
    zoomed = reward.zoom(0.2, 0.5)
    wait_until(lambda: other.x_range == zoomed, "the other overlay to zoom")
    screen.page.wait_for_url("**steps=**")
    box = reward.box
    screen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    read = screen.page.locator("[data-metric=truncated_fraction] .rlvitals-chart-readings")
    expect(read).to_have_text(re.compile(r"A 0\.\d+B 0"))
    screen.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    screen.page.wait_for_url("**step=**")
    step = address(screen.page)["step"][0]
    assert zoomed[0] < int(step) < zoomed[1]
    expect(screen.page.get_by_role("rowheader", name=f"Reward at step {step}", exact=True)).to_be_visible()
    assert reward.x_range == zoomed
    screen.page.get_by_role("button", name="show all").click()
    wait_until(lambda: other.x_range == whole, "all of the runs")


def test_a_live_run_grows_on_the_page_by_its_new_points_alone_and_the_zoom_of_a_chart_stays(
    runs: Path, dashboard: Dashboard, open_screen: Fixture
) -> None:
    write(runs / "a").close()
    live = write(runs / "b", last=20)
    screen = open_screen(compare_url(dashboard, runs / "a", live.directory))
    expect(screen.page.get_by_role("rowheader", name="Reward at step 20")).to_be_visible()
    reward = screen.chart("reward")
    wait_until(lambda: points_of(reward) == [40, 20], "the points of both")
    log_step(live, 21)
    wait_until(lambda: points_of(reward) == [40, 21], "the new point")
    assert screen.page.evaluate(f"metric => ({FIND})(metric).points.map(({{adds}}) => adds)", "reward") == [True, True]
    zoomed = reward.zoom()
    for step in range(22, 31):
        log_step(live, step)
    expect(screen.page.get_by_role("rowheader", name="Reward at step 30")).to_be_visible()
    live.close()
    assert reward.x_range == zoomed


def test_a_hostile_log_is_text_on_the_page(runs: Path, dashboard: Dashboard, open_screen: Fixture) -> None:
    config = {EVERYTHING: EVERYTHING}
    write(runs / "a", name=f"{EVERYTHING}a", task=EVERYTHING, config=config).close("failed", EVERYTHING)
    write(runs / "b", name=f"{EVERYTHING}b", config={EVERYTHING: f"{EVERYTHING}b"}).close()
    paths = runs / "a", runs / "b"
    screen = open_screen(compare_url(dashboard, *paths))
    expect(screen.page.get_by_role("rowheader", name="Verdict")).to_be_visible()
    for section in ("Samples of one prompt", "All metrics"):
        screen.open_details(section)
        assert screen.page.locator(DRAWN).count() == 0
        assert DANGEROUS & set(screen.page.evaluate(READ)) == set()
        assert screen.problems() == []


def compare_url(dashboard: Any, *paths: Path) -> str:
    return dashboard.page("compare", run=list(paths))


def words_beside(chart: Chart) -> list[dict[str, Any]]:
    """The words at the right of a chart, once all of its curves are there."""
    every = f"metric => ({FIND})(metric).known.length === ({FIND})(metric).spec.traces.length"
    chart.page.wait_for_function(every, arg=chart.metric)
    found: list[dict[str, Any]] = chart.page.evaluate(WORDS, chart.metric)
    return found


def points_of(chart: Chart) -> list[int]:
    """How many points the chart knows of each of its curves."""
    found: list[int] = chart.page.evaluate(
        f"metric => ({FIND})(metric).points.map(({{places}}) => places.length)", chart.metric
    )
    return found


def address(page: Any) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)
