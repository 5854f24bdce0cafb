"""Every section of the Run page, of runs that TRL wrote and of one that grows: opened by its name, in Chinese."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from diagnostics.runlog import RunLog
from tests.app.browser.conftest import TRL_RUNS, Dashboard, Screen
from tests.app.browser.legibility import untranslated

Fixture = Callable[..., Any]

SECTIONS = ("图表", "样本", "所有指标", "检查", "配置", "分布", "时间", "控制台")


@pytest.mark.parametrize("run", ["grpo116/out", "ppo112_nmb1/out"])
def test_every_section_of_a_run_of_trl_speaks_chinese(run: str, dashboard: Dashboard, open_screen: Fixture) -> None:
    screen = open_screen(dashboard.page("run", run=TRL_RUNS / run, lang="zh"))
    _walk(screen)


def test_every_section_of_a_growing_run_speaks_chinese(runs: Path, dashboard: Dashboard, open_screen: Fixture) -> None:
    with RunLog(runs / "growing", algorithm="grpo", task="addition", total=100) as log:
        log.log(1, {"reward": 0.1, "kl": 0.01})
        screen = open_screen(dashboard.page("run", run=log.directory, lang="zh"))

        def grow(count: int) -> None:
            log.log(2 + count, {"reward": 0.2, "kl": 0.01})

        _walk(screen, grow)
        screen.open_details(SECTIONS[0])
        screen.chart("reward").wait_for_points(1 + len(SECTIONS))


def _walk(screen: Screen, before: Callable[[int], None] = lambda count: None) -> None:
    page = screen.page
    expect(page.locator(".rlv-verdict").first).to_be_visible()
    sections = page.get_by_test_id("stButtonGroup").get_by_role("radio")
    expect(sections).to_have_count(len(SECTIONS))
    found = {}
    for place, title in enumerate(SECTIONS):
        before(place)
        expect(sections.nth(place)).to_contain_text(title)
        name = sections.nth(place).inner_text()
        screen.open_details(name)
        expect(page.locator(".rlv-verdict").first).to_be_visible()
        found[name] = [*untranslated(page), *screen.problems()]
    assert {name: each for name, each in found.items() if each} == {}
