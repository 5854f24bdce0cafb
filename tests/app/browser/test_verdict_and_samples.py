"""The verdict card and the samples in a real browser: what leads where, what the keys do, what stays in place."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from diagnostics.runlog import RunLog

Fixture = Callable[..., Any]

ROOT = Path(__file__).parents[3]
SAMPLE_RUNS, TRL = ROOT / "sample_runs", ROOT / "tests" / "fixtures" / "trl"
LAPTOP = {"width": 1440, "height": 900}
THEMES = ("light", "dark")
MOST_HEIGHT, ROW_HEIGHT = 200, 28  # pixels of the verdict card, and of the row of another finding


@pytest.fixture
def open_run(start_dashboard: Fixture, open_screen: Fixture) -> Callable[..., Page]:
    """Opens a run's page on a laptop's screen, with these words in its address."""
    started: list[Any] = []

    def open_one(path: Path, theme: str = "light", **address: object) -> Page:
        if not started:
            started.append(start_dashboard(path.parent))
        page: Page = open_screen(started[0].page("run", run=path, **address), theme).page
        page.set_viewport_size(LAPTOP)
        expect(page.locator(".rlv-verdict > *").first).to_be_visible()
        return page

    return open_one


def height(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box is not None
    return box["height"]


def detail(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Sample")


@pytest.mark.parametrize("theme", THEMES)
def test_the_verdict_takes_at_most_200_pixels_and_other_findings_28_each(theme: str, open_run: Fixture) -> None:
    for name in ("cut-off", "healthy-grpo", "negative-kl", "ratio-far-from-one", "value-loss-nan"):
        page = open_run(SAMPLE_RUNS / name, theme)
        assert height(page.locator(".rlv-card").first) <= MOST_HEIGHT
        page.set_viewport_size({"width": 1000, "height": 900})
        assert height(page.locator(".rlv-card").first) <= MOST_HEIGHT
        assert {height(row) for row in page.locator(".rlv-row").all()} <= {ROW_HEIGHT}


def test_evidence_chooses_the_step_shows_the_chart_and_opens_the_sample(open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "value-loss-nan")
    chips = page.locator(".rlv-card").first.locator(".rlv-chip")
    chips.filter(has_text="first sign").click()
    page.wait_for_url(re.compile(r"[?&]step=\d+"))
    page.get_by_role("radio", name="Checks").click()
    expect(page.locator(".rlv-card")).to_have_count(0)
    page.locator(".rlv-row").first.get_by_role("button", name="Show").click()
    metric = chips.filter(has_text="NaN")
    metric.click()
    expect(page.get_by_role("radio", name="Charts")).to_be_checked()
    expect(page.locator('.rlvitals-chart[data-metric="score"]')).to_be_in_viewport()
    sample = chips.filter(has_text=re.compile(r"sample \d+"))
    words = sample.inner_text()
    sample.click()
    expect(page.get_by_role("radio", name="Samples")).to_be_checked()
    page.wait_for_url(re.compile(r"[?&]section=samples"))
    place = re.match(r"step (\d+), sample (\d+)", words)
    assert place is not None
    expect(detail(page).get_by_role("heading", level=3)).to_have_text(f"Step {place[1]}, sample {place[2]}")


@pytest.mark.parametrize(
    ("path", "line"),
    [(SAMPLE_RUNS / "cut-off", "--max_completion_length 9"), (TRL / "ppo112_min", "response_length=36,")],
)
def test_the_change_can_be_copied_as_it_is_typed(path: Path, line: str, open_run: Fixture) -> None:
    page = open_run(path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card = page.locator(".rlv-card").first
    expect(card.locator(".rlv-diff ins")).to_have_text(f"+ {line}")
    card.get_by_role("button", name="Copy").click()
    expect(card.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == line


def test_what_decides_between_causes_unfolds_in_view_and_folds(open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "ratio-far-from-one")
    card = page.locator(".rlv-card").first
    expect(card.get_by_text("What else it could be")).to_have_count(0)
    card.get_by_role("button", name="What decides").click()
    expect(card.get_by_text("What else it could be")).to_be_visible()
    page.wait_for_function("document.querySelector('.rlv-deciders').getBoundingClientRect().bottom < 0.9 * innerHeight")
    card.get_by_role("button", name="What decides").click()
    expect(card.get_by_text("What else it could be")).to_have_count(0)


def test_another_finding_is_shown_with_its_evidence_and_hidden_again(open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "value-loss-nan")
    row = page.locator(".rlv-rows > li").first
    row.get_by_role("button", name="Show").click()
    expect(row.locator(".rlv-card")).to_be_visible()
    row.get_by_role("button", name="Hide").click()
    expect(row.locator(".rlv-card")).to_have_count(0)


@pytest.mark.parametrize("theme", THEMES)
def test_samples_open_where_it_broke_and_the_keys_walk_through_them(theme: str, open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "value-loss-nan", theme, section="samples")
    step = page.locator(".rls-step")
    expect(step).to_have_text(re.compile(r"Step 4\d"))
    at_onset = step.inner_text()
    page.locator(".rls-row").first.wait_for()
    page.keyboard.press("ArrowLeft")
    expect(step).not_to_have_text(at_onset)
    page.keyboard.press("ArrowRight")
    expect(step).to_have_text(at_onset)
    heading = detail(page).get_by_role("heading", level=3)
    first = heading.inner_text()
    page.keyboard.press("j")
    expect(heading).not_to_have_text(first)
    page.keyboard.press("k")
    expect(heading).to_have_text(first)


def test_a_search_keeps_the_focus_and_leaves_the_rows_that_match(open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "cut-off", section="samples")
    rows = page.locator(".rls-row")
    rows.first.wait_for()
    every = rows.count()
    page.keyboard.press("/")
    page.keyboard.type("excellent", delay=60)
    find = page.get_by_role("textbox", name="Find in text")
    expect(page.locator(".rls-foot")).not_to_contain_text(f"{every} of {every}")
    expect(find).to_be_focused()
    expect(find).to_have_value("excellent")
    assert all("excellent" in words for words in rows.all_inner_texts())


def test_two_steps_are_compared_at_a_key_and_the_other_step_can_be_chosen(open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "cut-off", section="samples", step=60)
    page.locator(".rls-row").first.wait_for()
    page.keyboard.press("d")
    compared = page.get_by_role("region", name="Difference of two steps")
    expect(compared).to_contain_text("mean score")
    other = compared.get_by_role("spinbutton")
    expect(other).to_have_value("1")
    page.locator(".rls-step").click()
    page.keyboard.press("d")
    expect(compared).to_have_count(0)


def test_a_prompt_is_followed_over_the_steps(open_run: Fixture, tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        for step in range(1, 13):
            rows = [{"query": "a new one" + str(step), "response": "x", "score": 0.5, "group": 1}]
            rows += (
                [{"query": "asked again", "response": f"at {step}", "score": 1.0, "group": 0}] if step % 4 == 0 else []
            )
            log.log(step, {"reward": 0.5}, rows)
    page = open_run(tmp_path / "a", section="samples")
    expect(page.get_by_role("button", name="follow this prompt")).to_have_count(1)
    page.get_by_role("button", name="follow this prompt").click()
    expect(page.locator(".rls-row")).to_have_count(3)
    expect(page.locator(".rls-row .rls-number")).to_have_text(["4", "8", "12"])
    page.locator(".rls-row").first.click()
    expect(page.get_by_role("region", name="Model response")).to_contain_text("at 4")
    page.get_by_role("button", name="back to all prompts").click()
    expect(page.get_by_role("button", name="follow this prompt")).to_have_count(1)


def test_the_detail_and_the_sections_stay_in_view_while_the_table_scrolls(open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "healthy-grpo", section="samples")
    page.locator(".rls-row").first.wait_for()
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 10000)")
    bar = page.get_by_role("radio", name="Samples").bounding_box()
    seen = detail(page).bounding_box()
    assert bar is not None
    assert seen is not None
    assert 0 <= bar["y"] < 120
    assert 0 <= seen["y"] < LAPTOP["height"] / 2


def test_turns_thinking_tools_and_special_tokens_are_told_apart_and_newlines_kept(
    open_run: Fixture, tmp_path: Path
) -> None:
    query = "<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n"
    response = "<think>\n  two\n  twos\n</think>\nFour.<tool_call>{}</tool_call><|im_end|>"
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(
            1, {"reward": 1.0}, [{"query": query, "response": response, "score": 1.0, "terminated": False, "length": 9}]
        )
    page = open_run(tmp_path / "a", section="samples")
    answer = page.get_by_role("region", name="Model response")
    expect(page.get_by_role("region", name="Query").locator("h5")).to_have_text(["user", "assistant"])
    expect(answer.locator("h5")).to_have_text(["thinking", "tool call"])
    expect(answer.locator(".rls-token").last).to_have_text("<|im_end|>")
    expect(answer.locator(".rls-cut")).to_have_text("cut off here, 9 tokens")
    assert "\n  two\n  twos\n" in answer.locator("pre").first.evaluate("pre => pre.textContent")


def test_a_text_of_a_million_characters_is_shown_whole(open_run: Fixture, tmp_path: Path) -> None:
    long = "<b>word</b> **x** $y$ " * 50_000
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0}, [{"query": "q", "response": long, "score": 1.0}])
    page = open_run(tmp_path / "a", section="samples")
    pre = page.get_by_role("region", name="Model response").locator("pre")
    assert pre.evaluate("pre => pre.textContent.length") == len(long)
    assert page.locator(".rls-samples b, .rls-samples .katex").count() == 0


@pytest.mark.parametrize("theme", THEMES)
def test_checks_say_what_fired_first_and_fold_what_is_quiet(theme: str, open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "cut-off", theme, section="checks")
    groups = page.locator(".rlc-group")
    expect(groups.first.locator("summary")).to_contain_text("Fired")
    quiet = groups.filter(has=page.locator("summary", has_text="Quiet"))
    assert quiet.get_attribute("open") is None
    first = groups.first.locator(".rlc-row").first
    expect(first).to_contain_text("truncation high")
    assert first.locator(".rlc-name").get_attribute("title") == "RV601 truncation-high"
    quiet.locator("summary").click()
    quiet.locator(".rlc-row").first.click()
    expect(quiet.locator(".rlc-row").first).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("What it checks")).to_be_visible()


def test_the_config_tells_choices_from_defaults(open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "cut-off", section="config")
    expect(page.get_by_text(re.compile(r"settings? chosen"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"defaults? left as"))).to_be_visible()


@pytest.mark.parametrize("width", [1000, 1440])
def test_nothing_scrolls_sideways_at_any_width(width: int, open_run: Fixture) -> None:
    page = open_run(SAMPLE_RUNS / "negative-kl", section="samples")
    page.set_viewport_size({"width": width, "height": 900})
    page.locator(".rls-row").first.wait_for()
    for section in ("Samples", "Checks", "Config"):
        page.get_by_role("radio", name=section).click()
        expect(page.get_by_role("radio", name=section)).to_be_checked()
        assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") <= 0
