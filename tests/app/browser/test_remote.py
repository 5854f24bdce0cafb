"""The dashboard over a bucket of a real S3 server: its runs, one that grows, and what it says when nothing answers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from diagnostics.runlog import RunLog
from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.app.browser.conftest import Dashboard, Screen
from tests.s3_store import Store, reading_from, s3_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with s3_store() as store, reading_from(store, tmp_path / "cache"):
        yield store


def test_a_run_in_a_bucket_grows_on_its_page_and_stays_when_the_bucket_does_not_answer(
    store: Store, tmp_path: Path, start_dashboard: Callable[..., Dashboard], open_screen: Callable[..., Screen]
) -> None:
    store.put_folder(SAMPLE_RUNS / "cut-off", "runs/sick")
    with RunLog(tmp_path / "live", algorithm="grpo", total=90) as log:

        def grow(first: int, last: int) -> None:
            for step in range(first, last + 1):
                log.log(step, {"reward": step / 90})
            store.put_folder(tmp_path / "live", "runs/live")

        grow(1, 20)
        dashboard = start_dashboard(f"{store.address}/runs", "--no-token")
        screen = open_screen(dashboard.url)
        screen.wait_for_names("cut-off", "live")
        expect(screen.page.get_by_text("Runs below s3://bucket/runs")).to_be_visible()
        screen.page.goto(dashboard.url_of(f"{store.address}/runs/live"))
        chart = screen.chart("reward")
        chart.wait_for_points(20)
        grow(21, 30)
        chart.wait_for_points(30)
        expect(screen.page.get_by_text("running").first).to_be_visible()
        expect(screen.page.get_by_role("button", name="Stop")).to_have_count(0)
        store.is_down = True
        silence = screen.page.get_by_text("s3://bucket/runs/live has not answered since")
        expect(silence).to_be_visible()
        assert len(chart.values) == 30
        store.is_down = False
        grow(31, 40)
        chart.wait_for_points(40)
        expect(silence).to_have_count(0)
    assert store.writes() == []
