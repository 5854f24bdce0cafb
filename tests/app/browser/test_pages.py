"""Every page on real runs: what it recognises, what it refuses to execute, and that nothing on it is broken."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from diagnostics.runlog import CONSOLE_FILE, RunLog
from tests.app.browser.conftest import Dashboard

Fixture = Callable[..., Any]

FIXTURES = Path(__file__).parents[2] / "fixtures" / "trl"
DETAILS = ("Charts", "Samples", "All metrics", "Distributions", "Time", "Config", "Console", "Checks")
HOSTILE = (
    "<script>window.pwned = true</script><img src='x' onerror='window.pwned = true'><b class='spy'>bold</b> **stars** "
    "[link](javascript:window.pwned=true) ![spy](http://127.0.0.1:9/spy.png) $x^2$ :material/lock:"
)
MADE_OF_IT = ".spy, img[alt=spy], img[src=x], a[href^=javascript]"


@pytest.fixture
def hostile_run(tmp_path: Path) -> Path:
    """A run whose every text comes from an attacker."""
    config = {"task": HOSTILE, HOSTILE: HOSTILE}
    with RunLog(tmp_path / "hostile", name=HOSTILE, algorithm="grpo", task=HOSTILE, config=config) as log:
        for step in (1, 2):
            texts = {"query": HOSTILE, "response": HOSTILE}
            sample = {**texts, "score": 1.0, "rewards": {HOSTILE: 1.0}, "terminated": True, "group": 0}
            metrics = {"reward": 1.0, f"rewards/{HOSTILE}/mean": 1.0, HOSTILE: 2.0}
            log.log(step, metrics, [sample], {HOSTILE: {"edges": [0.0, 1.0], "counts": [2]}})
    (log.directory / CONSOLE_FILE).write_text(HOSTILE)
    return log.directory


@pytest.fixture
def run_with_holes(runs: Path) -> Path:
    """A PPO run with every kind of non-finite value."""
    with RunLog(runs / "with-holes", algorithm="ppo", total=40) as log:
        for step in range(1, 31):
            value = (1.0, math.nan, math.inf, -math.inf)[step % 4]
            metrics = {"objective/kl": -float(step), "loss/value_avg": value, "val/ratio": 10.0**step}
            bins = {"edges": [0.0, 1.0], "counts": [9]} if step % 4 else {"edges": [], "counts": [], "nan": 9}
            histograms = {"objective/kl_dist": bins, "env/reward_dist": {"edges": [], "counts": [], "nan": 9}}
            log.log(step, metrics, [{"query": "a", "response": "b", "score": math.nan}], histograms)
    return log.directory


def test_the_text_of_a_model_is_shown_and_never_executed(
    hostile_run: Path, start_dashboard: Fixture, open_screen: Fixture
) -> None:
    dashboard = start_dashboard(hostile_run.parent)
    runs = open_screen(dashboard.url)
    expect(runs.page.get_by_role("table", name="Runs")).to_be_visible()
    run = open_screen(dashboard.url_of(hostile_run))
    for name in DETAILS:
        run.open_details(name)
        for page in (runs.page, run.page):
            assert page.locator(MADE_OF_IT).count() == 0
            assert page.evaluate("window.pwned") is None
    run.open_details("Samples")
    expect(run.page.locator(".rls-turn pre").filter(has_text=HOSTILE)).to_have_count(2)


def test_a_folder_written_by_trl_is_recognised_and_opens_with_a_click(
    start_dashboard: Fixture, open_screen: Fixture
) -> None:
    screen = open_screen(start_dashboard(FIXTURES / "grpo116").url)
    expect(screen.page.get_by_role("cell", name="GRPO · trl", exact=True)).to_have_count(2)
    screen.page.locator("td.rlv-cell-verdict").first.click()
    screen.page.wait_for_url("**run=**")
    expect(screen.page.get_by_text("GRPO · trl 1.16.0")).to_be_visible()
    screen.chart("reward").wait_for_points(3)


def test_no_section_of_a_run_with_holes_has_an_error_or_scrolls_sideways(
    run_with_holes: Path, dashboard: Dashboard, open_screen: Fixture
) -> None:
    run = open_screen(dashboard.url_of(run_with_holes))
    for name in DETAILS:
        run.open_details(name)
        assert run.problems() == []


def test_a_run_that_is_not_there_is_told_in_a_sentence(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    page = open_screen(start_dashboard(tmp_path).url_of(tmp_path / "nowhere")).page
    expect(page.get_by_text("nowhere")).to_be_visible()
