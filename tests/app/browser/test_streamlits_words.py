"""What Streamlit says by itself, on a Chinese page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.app.browser.conftest import Dashboard
from tests.app.browser.legibility import untranslated

Fixture = Callable[..., Any]

RECIPES = """
[recipe.mine]
title = "Search"
command = ["train", "{run_dir}", "{Upload}"]
[recipe.mine.parameters]
Upload = { type = "choice", choices = ["Open", "Remove all"] }
"""


def test_fields_choosers_and_tables_speak_chinese(dashboard: Dashboard, open_screen: Fixture) -> None:
    page = open_screen(dashboard.page("learn", lang="zh")).page
    page.get_by_role("textbox").first.fill("kl")
    expect(page.get_by_test_id("InputInstructions").first).to_have_text("按 Enter 应用")

    page.goto(dashboard.page("compare", lang="zh"))
    page.get_by_test_id("stMultiSelect").get_by_role("combobox").fill("no such run")
    expect(page.get_by_text("没有结果")).to_be_visible()
    assert untranslated(page) == []

    page.goto(dashboard.page("", lang="zh"))
    page.get_by_role("button", name="打开我的日志").click()
    expect(page.get_by_test_id("stFileUploader").get_by_role("button", name="上传")).to_be_visible()
    expect(page.get_by_text("每个文件至多")).to_be_visible()
    assert untranslated(page) == []

    page.goto(dashboard.page("run", run=SAMPLE_RUNS / "cut-off", section="config", lang="zh"))
    page.get_by_test_id("stDataFrame").first.hover()
    for name in ("下载为 CSV", "搜索", "全屏"):
        expect(page.get_by_role("button", name=name).first).to_be_visible()
    assert untranslated(page) == []


def test_what_a_user_named_like_a_word_of_streamlit_keeps_its_name(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    (tmp_path / "recipes.toml").write_text(RECIPES)
    page = open_screen(start_dashboard(tmp_path, "--recipes", "recipes.toml").page("launch", lang="zh")).page
    page.get_by_role("radio", name="自己的脚本").click()
    expect(page.get_by_role("combobox", name="配方")).to_have_value("Search")
    chooser = page.get_by_role("combobox", name="Upload")
    expect(chooser).to_have_attribute("placeholder", "请选择")
    chooser.click()
    expect(page.get_by_role("option")).to_have_text(["Open", "Remove all"])
    page.get_by_role("option", name="Remove all").click()
    expect(chooser).to_have_value("Remove all")


def test_a_page_whose_dashboard_has_ended_says_so_in_chinese(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    dashboard = start_dashboard(tmp_path)
    screen = open_screen(dashboard.page("", lang="zh"))
    expect(screen.page.locator(".rlj-field")).to_be_visible()
    dashboard.stop()
    expect(screen.page.get_by_role("dialog").get_by_text("连接出错")).to_be_visible()
    assert untranslated(screen.page) == []
    screen.complaints.clear()  # of a browser that finds no server
    screen.page.context.close()
