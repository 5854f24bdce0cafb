"""What one does with a run in a real browser: mute findings, set limits, take files away, bring logs along."""

import io
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from playwright.sync_api import Locator, Page, expect

from diagnostics.project.reading import read_project
from diagnostics.runlog import RunLog
from tests.hostile_text import EVERYTHING

Fixture = Callable[..., Any]

CAUSE, RULE = "completion-limit-too-short", "truncation-high"
REASON = f"short answers are meant {EVERYTHING}"


def write(directory: Path) -> Path:
    """A run all of whose answers are cut off, with a NaN among its rewards."""
    with RunLog(directory, algorithm="grpo", config={"max_completion_length": 8}, total=30) as log:
        for step in range(1, 31):
            reward = float("nan") if step == 9 else 0.1 + step / 100
            row = {"reward": reward, "completions/clipped_ratio": 0.95, "completions/mean_length": 8.0}
            log.log(step, row)
    return directory


def saved(page: Page, click: Locator) -> tuple[str, bytes]:
    """The name and the content of the file that a click saves."""
    with page.expect_download() as download:
        click.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_a_finding_is_muted_and_a_limit_set_in_the_file_of_the_command_line(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    run, other, file = write(tmp_path / "runs" / "a"), write(tmp_path / "runs" / "b"), tmp_path / "runs/rlvitals.toml"
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    dashboard = start_dashboard(tmp_path / "runs")
    page = open_screen(dashboard.url_of(run)).page

    page.locator(".rlv-card").get_by_role("button", name="Mute …").click()
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Mute", exact=True).click()
    expect(question.get_by_text("A mute needs its reason")).to_be_visible()
    assert not file.exists()
    question.get_by_role("textbox", name="Reason").fill(REASON)
    question.get_by_role("button", name="Mute", exact=True).click()
    expect(question).to_have_count(0)
    muted = page.locator(".rlv-row", has_text="Muted")
    expect(muted).to_contain_text("short answers are meant")
    (mute,) = read_project(file).mutes
    assert (mute.finding, mute.run, mute.until) == (CAUSE, "./a", None)
    assert "\x1b" not in mute.reason

    muted.get_by_role("button", name="Undo").click()
    expect(muted).to_have_count(0)
    assert read_project(file).mutes == ()

    page.get_by_role("radio", name="Checks").click()
    page.locator(f"[data-key='rule.{RULE}']").click()
    text = page.locator(".st-key-rule-text")
    text.get_by_label("info, fraction").fill("half")
    text.get_by_role("button", name="Save").click()
    expect(text.get_by_text("must be a number, but is 'half'. Nothing was written.")).to_be_visible()
    assert read_project(file).limits == {}
    for label, value in (("info", "0.96"), ("warning", "0.97"), ("critical", "0.98")):
        text.get_by_label(re.compile(f"^{label}, ")).fill(value)
    text.get_by_role("button", name="Save").click()
    expect(text.get_by_role("button", name="Reset to the defaults")).to_be_visible()
    assert read_project(file).limits == {RULE: {"info": 0.96, "warning": 0.97, "critical": 0.98}}
    text.get_by_role("button", name="Reset to the defaults").click()
    expect(text.get_by_role("button", name="Reset to the defaults")).to_have_count(0)
    assert read_project(file).limits == {}
    text.get_by_role("button", name="Mute …").click()
    question.get_by_role("textbox", name="Reason").fill("known")
    question.get_by_text("This project").click()
    question.get_by_role("button", name="Mute", exact=True).click()
    expect(text.get_by_role("button", name="Undo the mute")).to_be_visible()
    assert [(mute.finding, mute.run) for mute in read_project(file).mutes] == [(RULE, "")]
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    assert [path.name for path in other.iterdir() if path.suffix == ".toml"] == []


def test_files_are_taken_away_and_brought_along(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    run = write(tmp_path / "runs" / "a")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in write(tmp_path / "elsewhere" / "brought").iterdir():
            archive.write(path, f"brought/{path.name}")
    dashboard = start_dashboard(tmp_path / "runs")
    screen = open_screen(dashboard.url_of(run))
    page = screen.page

    chart = screen.chart("reward")
    chart.wait_for_points(30)
    place = page.locator(".rlvitals-chart[data-metric=reward]")
    place.hover()
    name, content = saved(page, place.get_by_role("button", name="Save this chart as SVG"))
    picture = ElementTree.fromstring(content)
    words = {str(element.text) for element in picture.iter() if element.text}
    assert name == "runs-a-reward.svg"
    assert "Reward" in words
    assert any(text.endswith("x: step") for text in words)
    assert len([element for element in picture.iter() if element.tag.endswith("path")]) > 4
    name, content = saved(page, place.get_by_role("button", name="Save this chart as PNG"))
    width, height = struct.unpack(">II", content[16:24])
    assert (name, content[:4], width > 400, height > 300) == ("runs-a-reward.png", b"\x89PNG", True, True)

    page.get_by_role("button", name="Export").click()
    name, content = saved(page, page.get_by_role("link", name="All points as CSV"))
    assert (name, content.count(b",NaN,")) == ("a-series.csv", 1)
    name, content = saved(page, page.get_by_role("link", name="Report as HTML"))
    assert (name, content[:2]) == ("a-report.html", b"<!")

    page.goto(dashboard.url)
    screen.wait_for_names("a")
    page.get_by_role("button", name="Open my logs").click()
    drop = page.locator("input[type=file]")
    drop.set_input_files({"name": "evil.zip", "mimeType": "application/zip", "buffer": b"PK"})
    page.get_by_role("button", name="Open the files").click()
    expect(page.get_by_text("evil.zip cannot be unpacked")).to_be_visible()
    expect(drop).to_have_count(1)  # an empty field takes the place of the one whose files were taken
    drop.set_input_files({"name": "brought.zip", "mimeType": "application/zip", "buffer": packed.getvalue()})
    page.get_by_role("button", name="Open the files").click()
    expect(page.get_by_text("1 run in")).to_be_visible()
    expect(page.locator(".rlv-name").filter(has_text="brought")).to_be_visible()
    (kept,) = (tmp_path / "data/rlvitals/uploads").iterdir()
    assert kept.name.endswith("-brought")


def test_a_read_only_dashboard_offers_no_change(start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path) -> None:
    run = write(tmp_path / "runs" / "a")
    (tmp_path / "runs/rlvitals.toml").write_text(f'[[muted]]\nfinding = "{CAUSE}"\nreason = "meant"\n')
    dashboard = start_dashboard(tmp_path / "runs", "--read-only")
    page = open_screen(dashboard.url_of(run)).page

    expect(page.locator(".rlv-row", has_text="Muted")).to_contain_text("meant")
    expect(page.get_by_role("button", name=re.compile("Mute|Undo"))).to_have_count(0)
    page.get_by_role("radio", name="Checks").click()
    page.locator(f"[data-key='rule.{RULE}']").click()
    expect(page.locator(".st-key-rule-text").get_by_text("Muted: meant")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Mute|Undo|Save"))).to_have_count(0)
    expect(page.get_by_role("button", name="Export")).to_be_visible()
