"""Pre-flight as a user sees it: a finding beside its field, consent for what is critical, a trial of the settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

Fixture = Callable[..., Any]


def bottom_of(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def test_a_critical_setting_is_told_beneath_its_field_and_wants_a_yes(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    page = open_screen(start_dashboard(tmp_path).url).page
    page.get_by_role("link", name="Launch").click()
    expect(page.get_by_role("button", name="Start training")).to_be_enabled()  # all of the page is drawn
    page.get_by_role("radio", name="GRPO").click()
    expect(page.get_by_text("train grpo")).to_be_visible()
    start = page.get_by_role("button", name="Start training")
    expect(start).to_be_enabled()

    rate = page.get_by_role("textbox", name="learning_rate", exact=True)
    rate.fill("0.01")
    rate.press("Enter")
    finding = page.get_by_text("learning_rate is 0.01, above").first
    expect(finding).to_be_visible()
    expect(start).to_be_disabled()
    below = finding.bounding_box()
    field = rate.bounding_box()
    assert below is not None
    assert field is not None
    assert 0 <= below["y"] - bottom_of(rate) < field["height"]
    assert abs(below["x"] - field["x"]) < field["width"] / 2

    page.get_by_text("Start despite critical settings: learning_rate").click()
    expect(start).to_be_enabled()


def test_the_settings_are_tried_beside_the_page_and_count_until_they_change(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    page = open_screen(start_dashboard(tmp_path).url).page
    page.get_by_role("link", name="Launch").click()
    expect(page.get_by_role("button", name="Start training")).to_be_enabled()  # all of the page is drawn
    page.get_by_role("radio", name="GRPO").click()
    length = page.get_by_role("textbox", name="max_completion_length", exact=True)
    length.fill("6")
    length.press("Enter")
    expect(page.get_by_text("--max_completion_length 6")).to_be_visible()

    page.get_by_role("button", name="Try the settings").click()
    expect(page.get_by_text("Trying the settings: the untrained policy answers 32 prompts")).to_be_visible()
    expect(page.get_by_text("completions, 12,800 in all.")).to_be_visible()
    steps = page.get_by_role("textbox", name="max_steps", exact=True)
    steps.fill("50")  # the form answers meanwhile
    steps.press("Enter")
    expect(page.get_by_text("--max_steps 50")).to_be_visible()

    finding = page.get_by_text("of 32 answers of the untrained policy are longer").first
    expect(finding).to_be_visible()
    assert bottom_of(length) <= bottom_of(finding)
    expect(page.get_by_text("What the rewards give to answers to")).to_be_visible()

    length.fill("5")
    length.press("Enter")
    expect(page.get_by_text("max_completion_length is 5: ").first).to_be_visible()
    temperature = page.get_by_role("textbox", name="temperature", exact=True)
    page.get_by_text("Sampling", exact=True).click()
    temperature.fill("0.9")
    temperature.press("Enter")
    expect(page.get_by_text("Settings have changed since they were tried")).to_be_visible()
    expect(finding).to_have_count(0)

    page.get_by_role("button", name="Try the settings").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled before everything was tried.")).to_be_visible()
