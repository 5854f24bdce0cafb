"""Charts in a real browser: no logged point is lost at any zoom, and what is drawn stays where it is."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Response, expect

from diagnostics.runlog import RunLog
from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.app.browser.conftest import FIND, Chart, Dashboard, wait_until

Fixture = Callable[..., Any]

LONG = 100_000
NOTHING_NEW = 204
SPIKES = np.arange(537, LONG, 1000)  # a hundred, each of one step
NAN, INF, MINUS_INF = 40_003, 60_007, 60_507
# For each step whether the canvas has ink there: of the curve at a spike's height, or of a mark below or above it.
INK = """([metric, steps, place]) => {
  const chart = [...document.querySelectorAll('.rlvitals-chart')].find(({dataset}) => dataset.metric === metric).chart;
  const {plot, page} = chart;
  const {left, top, width, height} = plot.bbox;
  const ratio = window.devicePixelRatio;
  const colour = place === 'curve' || place === 'foot' ? page.palette.line : page.palette.critical_text;
  const wanted = [1, 3, 5].map(from => parseInt(colour.slice(from, from + 2), 16));
  const isNear = (data, at) => wanted.every((part, index) => Math.abs(data[at + index] - part) < 60);
  const isInk = (data, at) => isNear(data, at) && data[at + 3] > 60;
  const bottom = top + height;
  const [y, span] = {
    curve: [top + 0.3 * height, 4], below: [bottom + 7 * ratio, 4],
    above: [top + 5 * ratio, 4], foot: [bottom - 2 * ratio, 0],
  }[place];
  return steps.map(step => {
    const x = left + plot.valToPos(step, 'x') * ratio;
    const {data} = plot.ctx.getImageData(Math.round(x) - 3, Math.round(y) - span, 7, 2 * span + 1);
    for (let at = 0; at < data.length; at += 4) if (isInk(data, at)) return true;
    return false;
  });
}"""


@pytest.fixture(scope="session")
def long_run(lasting_runs: Path) -> Path:
    """A run of 100,000 steps with one-step spikes and one of each non-finite value."""
    values = np.full(LONG, 0.02)
    values[SPIKES - 1] = 9.0
    values[NAN - 1], values[INF - 1], values[MINUS_INF - 1] = math.nan, math.inf, -math.inf
    with RunLog(lasting_runs / "long", algorithm="grpo", total=LONG) as log:
        for step, value in enumerate(values.tolist(), 1):
            log.log(step, {"reward": value, "kl": step % 5 / 100})
    return log.directory


@pytest.fixture
def growing(runs: Path) -> RunLog:
    log = RunLog(runs / "growing", algorithm="grpo", total=1000)
    for step in range(1, 31):
        log.log(step, {"reward": step / 10, "kl": 0.01 * step, "grad_norm": 1.0})
    return log


def ink(chart: Chart, steps: list[int], place: str) -> list[int]:
    """Those of the steps at which something of the colour is drawn in this place."""
    has_ink = chart.page.evaluate(INK, [chart.metric, steps, place])
    return [step for step, drawn in zip(steps, has_ink, strict=True) if drawn]


def settled(chart: Chart) -> None:
    """Wait until the chart lacks no points and has drawn those that came."""
    has_all = "chart => !chart.lacks && !chart.page.isAsking && chart.plot"
    chart.page.wait_for_function(f"metric => ({has_all})(({FIND})(metric))", arg=chart.metric)
    chart.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def zoom_to(chart: Chart, first: float, last: float) -> None:
    """Zoom by the page's address, as a link does that somebody sent."""
    separator = "&" if "?" in chart.page.url else "?"
    base = chart.page.url.partition("&steps=")[0]
    chart.page.goto(f"{base}{separator}steps={first}~{last}")
    chart.page.wait_for_function(f"metric => ({FIND})(metric)?.plot", arg=chart.metric)
    settled(chart)


def test_at_every_zoom_each_spike_and_each_non_finite_value_is_drawn_at_its_place(
    long_run: Path, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(long_run))
    reward = screen.chart("reward")
    settled(reward)
    for first, last in ((1, LONG), (30_000, 70_000), (39_000, 44_000), (59_900, 61_600), (60_000, 60_600)):
        if (first, last) != (1, LONG):
            zoom_to(reward, first, last)
        spikes = [int(step) for step in SPIKES if first <= step <= last]
        assert ink(reward, spikes, "curve") == spikes
        between = [step + 400 for step in spikes if first <= step + 400 <= last] if last - first < 10_000 else []
        assert ink(reward, between, "curve") == []
        for step, place in ((NAN, "below"), (MINUS_INF, "below"), (INF, "above")):
            if first <= step <= last:
                assert ink(reward, [step], place) == [step]


def test_zoomed_in_far_enough_every_logged_point_is_there_and_hovering_shows_its_raw_value(
    long_run: Path, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(long_run))
    reward = screen.chart("reward")
    settled(reward)
    for _ in range(8):
        box, (first, last) = reward.box, reward.x_range
        if last - first < 60:
            break
        middle = (SPIKES[40] - first) / (last - first)
        reward.zoom(max(middle - 0.1, 0.0), min(middle + 0.1, 1.0))
        settled(reward)
    steps = reward.page.evaluate(
        "() => { const {main, page} = document.querySelector('[data-metric=reward]').chart; const [a, b] = page.shown;"
        " return [...main.steps].filter(step => step >= a && step <= b); }"
    )
    first, last = reward.x_range
    assert steps == list(range(math.ceil(first), math.floor(last) + 1))
    box = reward.box
    place = box["x"] + box["width"] * (SPIKES[40] - first) / (last - first)
    reward.page.mouse.move(place, box["y"] + box["height"] / 2)
    read = reward.page.locator("[data-metric=reward] .rlvitals-chart-read")
    expect(read).to_have_text(f"at {SPIKES[40]}: 9")


def test_a_drag_zooms_every_chart_and_a_double_click_shows_all_again(
    growing: RunLog, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    reward, kl = screen.chart("reward"), screen.chart("kl_per_token")
    whole = kl.x_range
    zoomed = reward.zoom()
    wait_until(lambda: kl.x_range == zoomed, "the other chart to zoom")
    screen.page.wait_for_url("**steps=**")
    box = reward.box
    screen.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    screen.page.wait_for_url(lambda address: "step=" in address and "steps=" in address)
    screen.page.reload()
    reward = screen.chart("reward")
    wait_until(lambda: np.allclose(reward.x_range, zoomed), "the zoom of the address")
    box = reward.box
    screen.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    wait_until(lambda: reward.x_range == whole, "the whole run")
    screen.page.wait_for_url(lambda address: "steps=" not in address)


def test_the_band_of_times_is_zoomed_to_the_steps_of_the_charts_and_they_to_its(
    dashboard: Dashboard, open_screen: Fixture
) -> None:
    run = SAMPLE_RUNS / "healthy-ppo"
    screen = open_screen(dashboard.page("run", run=run, section="time", steps="20~60"))
    band = screen.page.locator(".rlvitals-plot")
    drag = band.locator(".nsewdrag")
    drag.scroll_into_view_if_needed()
    assert band.evaluate("plot => plot.layout.xaxis.range") == [20, 60]
    box = drag.bounding_box()
    screen.page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 50)
    screen.page.mouse.down()
    screen.page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 50, steps=5)
    screen.page.mouse.up()
    screen.page.wait_for_url(lambda address: "steps=20" not in address)
    zoomed = band.evaluate("plot => plot.layout.xaxis.range")
    assert np.allclose(zoomed, [30, 50], atol=0.5)
    screen.open_details("Charts")
    chart = screen.chart("rlhf_reward")
    assert np.allclose(chart.x_range, zoomed)
    narrower = chart.zoom()
    screen.page.wait_for_url(lambda address: "steps=29" not in address)
    screen.open_details("Time")
    drag.wait_for()
    assert np.allclose(band.evaluate("plot => plot.layout.xaxis.range"), narrower)


def test_the_cursor_reads_every_chart_at_its_step(growing: RunLog, dashboard: Dashboard, open_screen: Fixture) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    box = screen.chart("reward").box
    screen.chart("kl_per_token")
    screen.page.mouse.move(box["x"] + box["width"] * 9 / 29, box["y"] + box["height"] / 2)
    expect(screen.page.locator("[data-metric=reward] .rlvitals-chart-read")).to_have_text("at 10: 1")
    expect(screen.page.locator("[data-metric=kl_per_token] .rlvitals-chart-read")).to_have_text("at 10: 0.1")


def test_a_click_chooses_the_step_for_the_whole_page(
    growing: RunLog, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    box = screen.chart("reward").box
    screen.page.mouse.click(box["x"] + box["width"] * 9 / 29, box["y"] + box["height"] / 2)
    screen.page.wait_for_url("**step=10**")
    screen.page.mouse.move(1, 1)
    expect(screen.page.locator("[data-metric=kl_per_token] .rlvitals-chart-read")).to_have_text("at 10: 0.1")
    screen.open_details("All metrics")
    values = screen.page.locator(".rlm-metrics tbody tr .rlm-value")
    expect(values).to_have_text(["1", "0.1", "1"])
    screen.page.get_by_role("button", name="Step after").click()
    expect(values).to_have_text(["1.1", "0.11", "1"])
    assert "step=11" in screen.page.url
    screen.page.get_by_role("button", name="First", exact=True).click()
    expect(screen.page.locator(".rlm-metrics tbody th")).to_have_text(
        ["KL to the reference", "Reward", "Gradient norm"]
    )
    screen.page.get_by_role("button", name="newest", exact=True).click()
    expect(screen.page.get_by_text("newest values")).to_be_visible()


def test_a_reference_is_drawn_grey_behind_every_curve_that_it_logs(
    growing: RunLog, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    screen.chart("reward")
    screen.page.get_by_label("ghost").hover()
    screen.page.get_by_label("ghost").select_option(label="healthy-grpo (sample)")
    for metric, styles in (("reward", ["line", "ghost"]), ("kl_per_token", ["line", "ghost"])):
        looks = f"metric => ({FIND})(metric).known.map(({{trace}}) => trace.style).join()"
        wait_until(lambda: screen.page.evaluate(looks, metric) == ",".join(styles), "the reference")  # noqa: B023
    assert screen.chart("reward").x_range == [1, 100]  # on to where the reference ends
    assert "ghost=" in screen.page.url
    assert screen.page.get_by_label("ghost").input_value().endswith("/healthy-grpo")


def test_a_new_step_travels_alone(growing: RunLog, dashboard: Dashboard, open_screen: Fixture) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    reward = screen.chart("reward")
    reward.wait_for_points(30)
    settled(reward)
    answers: list[Response] = []
    screen.page.on("response", lambda answer: answers.append(answer) if "points" in answer.url else None)
    growing.log(31, {"reward": 3.1, "kl": 0.3, "grad_norm": 1.0})
    reward.wait_for_points(31)
    settled(reward)
    bodies = [answer.body() for answer in answers if answer.status != NOTHING_NEW]
    carried = [[curve["points"] for curve in answered_curves(body)] for body in bodies]
    assert [points for points in carried if any(points)] == [[1, 1, 1]]  # a status that is written later has no point
    assert sum(map(len, bodies)) < 1000


def answered_curves(body: bytes) -> Any:
    """The curves that an answer tells of: its header follows four bytes that say how long it is."""
    return json.loads(body[4 : 4 + int.from_bytes(body[:4], "little")])["curves"]


def test_the_grid_has_as_many_columns_as_the_window_has_room_for(
    growing: RunLog, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    screen.chart("reward")
    grid = "document.querySelector('.rlvitals-grid')"
    for width, columns in ((760, 1), (800, 1), (850, 2), (1000, 3), (1440, 4), (2200, 5)):
        screen.page.set_viewport_size({"width": width, "height": 900})
        tracks = screen.page.evaluate(f"getComputedStyle({grid}).gridTemplateColumns.split(' ').length")
        right = screen.page.evaluate(f"{grid}.getBoundingClientRect().right")
        assert (width, tracks) == (width, columns)
        assert width - right < 90
        assert screen.problems() == []


def test_view_options_are_kept_in_the_address_and_change_nothing_that_was_logged(
    growing: RunLog, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    reward = screen.chart("reward")
    logged = reward.values
    screen.page.get_by_label("smooth").select_option("5 points")
    screen.page.get_by_label("y", exact=True).select_option("log")
    screen.page.get_by_label("x", exact=True).select_option("relative time")
    settled(reward)
    assert reward.values == logged
    for part in ("smoothing=5", "scale=log", "axis=relative"):
        screen.page.wait_for_url(f"**{part}**")
    screen.page.reload()
    reward = screen.chart("reward")
    settled(reward)
    assert screen.page.get_by_label("smooth").input_value() == "5"
    smoothed = screen.page.evaluate("[...document.querySelector('[data-metric=reward]').chart.main.smoothed]")
    assert np.allclose(smoothed[:6], [0.1, 0.15, 0.2, 0.25, 0.3, 0.4])


def test_a_chart_is_enlarged_over_the_whole_width_and_small_again(
    growing: RunLog, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    reward = screen.chart("reward")
    small = reward.box["width"]
    button = screen.page.locator("[data-metric=reward] .rlvitals-chart-enlarge")
    button.focus()
    screen.page.keyboard.press("Enter")
    wait_until(lambda: reward.box["width"] > 3 * small, "the chart to fill the width")
    screen.page.keyboard.press("Enter")
    wait_until(lambda: reward.box["width"] == small, "the chart to be small again")


def test_a_chart_at_the_foot_of_the_window_is_in_view_when_it_is_enlarged(
    dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(SAMPLE_RUNS / "healthy-grpo"))
    screen.page.set_viewport_size({"width": 1280, "height": 620})
    screen.chart("reward")
    chart = screen.page.locator("[data-metric=reward]")
    chart.locator(".rlvitals-chart-enlarge").click()

    def is_in_view() -> bool:
        box = chart.bounding_box()
        assert box
        return box["height"] > 400 and box["y"] + box["height"] <= 620

    wait_until(is_in_view, "it to be large and in view")


WATCH = """() => {
  const place = document.querySelector('[data-metric=reward]');
  const canvas = place.querySelector('canvas');
  window.seen = {faintest: 1, tops: new Set(), isSame: true};
  const look = () => {
    let opacity = 1;
    for (let at = place; at instanceof Element; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    window.seen.faintest = Math.min(window.seen.faintest, opacity);
    window.seen.tops.add(Math.round(place.getBoundingClientRect().top));
    window.seen.isSame &&= canvas.isConnected && place.querySelector('canvas') === canvas;
    requestAnimationFrame(look);
  };
  look();
}"""


def test_while_a_run_grows_nothing_fades_jumps_or_is_built_anew(
    growing: RunLog, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(growing.directory))
    reward = screen.chart("reward")
    reward.wait_for_points(30)
    settled(reward)
    scrolled = screen.scroll_to(120)
    screen.page.evaluate(WATCH)
    for step in range(31, 35):
        growing.log(step, {"reward": step / 10, "kl": 0.01 * step, "grad_norm": 1.0})
        reward.wait_for_points(step)
    settled(reward)
    seen = screen.page.evaluate("({...window.seen, tops: [...window.seen.tops]})")
    assert {"faintest": 1, "isSame": True, "tops": seen["tops"][:1]} == seen
    assert screen.scroll == scrolled


def test_a_logarithmic_scale_marks_at_its_foot_what_it_has_no_height_for(
    long_run: Path, dashboard: Dashboard, open_screen: Fixture
) -> None:
    screen = open_screen(dashboard.url_of(long_run))
    kl = screen.chart("kl_per_token")
    settled(kl)
    unit = screen.page.locator("[data-metric=kl_per_token] .rlvitals-chart-unit")
    expect(unit).not_to_contain_text("log scale")
    zoom_to(kl, 100, 120)
    zeros = [100, 105, 110, 115, 120]

    screen.page.get_by_label("y", exact=True).select_option("log")

    expect(unit).to_contain_text("log scale, values up to 0 at its foot")
    settled(kl)
    assert ink(kl, list(range(100, 121)), "foot") == zeros
