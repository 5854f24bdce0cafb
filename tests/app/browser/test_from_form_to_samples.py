"""The whole loop as a user sees it: launch from the form, watch, zoom, stop, read what the model wrote."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import psutil
from playwright.sync_api import Page, expect

from diagnostics.runlog import RUN_FILE, SAMPLES_FILE
from trainer.launch import stop

Fixture = Callable[..., Any]

LONG = "5000"  # steps: more than the test lets it run
SCROLL = 120  # pixels


def fill_form(page: Page) -> None:
    """GRPO on addition, for longer than anybody waits."""
    page.get_by_role("link", name="Launch").click()
    page.get_by_role("radio", name="GRPO").click()
    expect(page.get_by_text("train grpo")).to_be_visible()
    steps = page.get_by_role("textbox", name="max_steps")
    steps.fill(LONG)
    steps.press("Enter")
    expect(page.get_by_text(f"--max_steps {LONG}")).to_be_visible()


def test_a_training_is_launched_watched_stopped_and_its_samples_read(
    start_dashboard: Fixture,
    open_screen: Fixture,
    training_in: Fixture,
    tmp_path: Path,
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    dashboard = start_dashboard(runs)
    screen = open_screen(dashboard.url)
    page = screen.page
    fill_form(page)
    page.get_by_role("button", name="Start training").click()

    page.set_viewport_size({"width": 1280, "height": 500})  # so low that the page scrolls
    reward = screen.chart("reward")
    reward.wait_for_points(2)
    zoomed = reward.zoom()
    scrolled = screen.scroll_to(SCROLL)
    before = len(reward.values)
    reward.wait_for_points(before + 3)
    assert reward.x_range == zoomed
    assert screen.scroll == scrolled > 0

    training = training_in(runs / "grpo-addition-1")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("stopped").first).to_be_visible()
    training.wait_for_end()
    assert training.status["state"] == "stopped"

    rows = [orjson.loads(line) for line in (training.run_dir / SAMPLES_FILE).read_bytes().splitlines()]
    written = [row["response"] for row in rows if row["step"] == training.step]
    page.goto(dashboard.page("run", run=training.run_dir, section="samples", step="newest"))
    expect(page.get_by_role("heading", name=f"Step {training.step}", exact=True)).to_be_visible()
    response = page.get_by_role("region", name="Model response").locator("pre")
    assert response.evaluate("pre => pre.firstChild.textContent") in written


def test_a_double_click_starts_one_training(
    start_dashboard: Fixture,
    open_screen: Fixture,
    training_in: Fixture,
    tmp_path: Path,
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    page = open_screen(start_dashboard(runs).url).page
    fill_form(page)
    page.get_by_role("button", name="Start training").dblclick()
    page.wait_for_url("**run=**")
    training = training_in(runs / "grpo-addition-1")
    training.wait_for_step(1)
    assert "RLVITALS_TOKEN" not in psutil.Process(training.status["pid"]).environ()
    assert [path.parent.name for path in runs.glob(f"*/{RUN_FILE}")] == ["grpo-addition-1"]


def test_a_fix_is_tried_with_a_click_and_what_was_wrong_is_gone(
    start_dashboard: Fixture,
    open_screen: Fixture,
    start_training: Fixture,
    training_in: Fixture,
    tmp_path: Path,
) -> None:
    runs = tmp_path / "runs"
    words = ("grpo", "--recipe", "grpo-addition", "--learning_rate", "0.01", "--max_steps", LONG)
    sick = start_training(runs / "hot-1", *words)
    page = open_screen(start_dashboard(runs).url_of(sick.run_dir)).page
    expect(page.get_by_text("The policy has moved far away from the reference model.")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    sick.wait_for_end()

    relaunch = page.get_by_role("button", name="Relaunch with this")
    relaunch.focus()
    relaunch.press("Enter")
    page.wait_for_url("**hot-2")
    cured = training_in(runs / "hot-2")
    cured.wait_for_step(50)  # which the checks of the reward need
    stop(cured.run_dir)  # before it has learnt all there is to learn, which the page would say
    expect(page.get_by_text("No sign of trouble in")).to_be_visible()
    assert orjson.loads((cured.run_dir / RUN_FILE).read_bytes())["config"]["learning_rate"] < 0.01
    expect(page.get_by_text("Since hot-1, with learning_rate 0.01 →")).to_be_visible()
    expect(page.get_by_text("✓ gone")).to_be_visible()
