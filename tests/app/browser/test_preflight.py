"""Pre-flight as a person meets it: a finding beside its field, a yes for what is critical, a trial of the rewards."""

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

    page.get_by_text("Start in spite of what is critical: learning_rate").click()
    expect(start).to_be_enabled()

    page.get_by_role("button", name="Try the rewards").click()
    expect(page.get_by_text("What they give to answers to")).to_be_visible()
