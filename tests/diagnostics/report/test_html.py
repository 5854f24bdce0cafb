"""Tests of the HTML report: one file that needs nothing else, in which a model's text is text."""

import math
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Stretch, Verdict
from diagnostics.model.series import Series, Values
from diagnostics.report.forms import rendered
from diagnostics.report.html.curve import curve_svg
from diagnostics.report.html.elements import Markup, element
from diagnostics.report.report import Problem, Report
from diagnostics.runlog import RunLog

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\nsecond line & </pre>"
WITHOUT_AN_END = {"meta", "br", "hr"}


class Page(HTMLParser):
    """A parsed page: what it holds of each element, all attributes, all text, and whether every element ends."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.is_balanced = True
        self._open: list[str] = []
        self.feed(text)
        self.is_balanced &= not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in WITHOUT_AN_END:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.is_balanced &= bool(self._open) and self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


@pytest.fixture
def hostile(tmp_path: Path) -> Diagnosis:
    """A run whose name, tags, configuration, prompts and answers are all markup, and whose answers are cut off."""
    with RunLog(tmp_path / "hostile", name=HOSTILE, algorithm="grpo", config={"<b>": HOSTILE}, total=40) as log:
        for step in range(1, 41):
            rows = [{"query": HOSTILE, "response": HOSTILE, "score": 0.5, "terminated": False}] * 4
            metrics = {"reward": math.nan if step == 30 else step / 40, "completions/clipped_ratio": 0.95, "<i>": 1.0}
            log.log(step, metrics, rows)
    return diagnose(open_run(tmp_path / "hostile"))


def test_the_page_needs_nothing_from_elsewhere(hostile: Diagnosis) -> None:
    text = rendered(Report((hostile,)), "html")
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(page.elements)
    assert not [name for name, _ in page.attributes if name in ("src", "srcset", "style") or name.startswith("on")]
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")
    assert not re.search(r"url\(|@import|https?://", text)


def test_every_element_ends(hostile: Diagnosis) -> None:
    assert Page(rendered(Report((hostile,)), "html")).is_balanced


def test_an_answer_to_a_held_out_prompt_is_told_from_what_was_trained_on(tmp_path: Path) -> None:
    rows = [{"query": "q", "response": "r", "score": 0.5, "split": split} for split in ("train", "eval")]
    with RunLog(tmp_path / "evaluated", algorithm="grpo") as log:
        log.log(1, {"reward": 0.5}, rows)
    page = Page(rendered(Report((diagnose(open_run(tmp_path / "evaluated")),)), "html"))
    assert [text for text in page.texts if text.startswith("score ")] == ["score 0.5", "score 0.5 · held out"]


def test_a_script_in_an_answer_is_text(hostile: Diagnosis) -> None:
    page = Page(rendered(Report((hostile,)), "html"))
    assert HOSTILE in page.text
    assert page.elements["script"] == page.elements["img"] == page.elements["i"] == page.elements["svg:script"] == 0


def test_the_first_words_are_the_verdict_and_its_steps(hostile: Diagnosis) -> None:
    text = Page(rendered(Report((hostile,)), "html")).text
    assert (
        text.index("◆ critical") < text.index("completions are cut off before they end") < text.index("Crucial values")
    )


def test_every_picture_has_a_name_and_a_description_of_its_own(hostile: Diagnosis) -> None:
    page = Page(rendered(Report((hostile, hostile)), "html"))
    ids = [value for name, value in page.attributes if name == "id"]
    labelled = [value.split() for name, value in page.attributes if name == "aria-labelledby"]
    assert len(labelled) == page.elements["svg"] == page.elements["desc"] > 4
    assert len(set(ids)) == len(ids)
    assert {identity for both in labelled for identity in both} <= set(ids)


def test_several_runs_are_listed_with_a_link_to_each(hostile: Diagnosis, broken_critic: Diagnosis) -> None:
    page = Page(rendered(Report((hostile, broken_critic), (Problem("runs/b", "runs/b does not exist"),)), "html"))
    links = [value for name, value in page.attributes if name == "href"]
    assert links == ["#run-1", "#run-2"]
    assert {link.removeprefix("#") for link in links} <= {value for name, value in page.attributes if name == "id"}
    assert "runs/b does not exist" in page.text


def test_a_finding_comes_with_its_points_as_a_table(hostile: Diagnosis) -> None:
    assert "Points of truncation-high" in Page(rendered(Report((hostile,)), "html")).texts


def test_colours_follow_the_readers_choice_and_paper_is_white(hostile: Diagnosis) -> None:
    text = rendered(Report((hostile,)), "html")
    assert "@media screen and (prefers-color-scheme: dark)" in text
    assert "@media print" in text


def test_text_becomes_markup_only_on_purpose() -> None:
    assert element("p", "a < b & c", element("b", '"')) == '<p>a &lt; b &amp; c<b>"</b></p>'
    assert element("a", Markup("<i></i>"), title='"<&') == '<a title="&quot;&lt;&amp;"><i></i></a>'


def series(values: Values) -> Series:
    return Series("reward", "reward", np.arange(1, len(values) + 1, dtype=np.int64), values)


def outcome_at(measured: float, limit: float) -> Outcome:
    outcome = Outcome("RV401", "reward-stuck", Verdict.FIRED, Message("engine.quiet"), severity=Severity.CRITICAL)
    place = {"first_step": 3, "last_step": 6, "unit": "reward", "metric": "reward"}
    return replace(outcome, measured=measured, limit=limit, episodes=(Stretch(3, 6, Severity.CRITICAL),), **place)


def numbers(picture: str, element_name: str, attribute: str) -> list[float]:
    return [float(number) for number in re.findall(rf'<{element_name}[^>]* {attribute}="([-\d.]+)"', picture)]


def test_a_line_is_broken_where_a_value_is_no_number() -> None:
    picture = curve_svg(series(np.array([1.0, 2.0, np.nan, 2.0, 1.0, np.nan, 3.0, np.inf, 1.0, 1.0])), (), 1)
    assert picture.count("<polyline") == 3
    assert picture.count("<circle") == 1
    assert "NaN ×2" in picture
    assert "∞ ×1" in picture


def test_the_steps_of_a_finding_are_shaded_and_its_limit_is_drawn() -> None:
    picture = curve_svg(series(np.linspace(0, 1, 10)), (outcome_at(0.9, 0.5),), 1)
    assert 'class="shade critical"' in picture
    assert "limit 0.5" in picture
    assert len(numbers(picture, "rect", "width")) == 1


def test_a_spike_of_one_point_is_drawn_in_a_series_of_a_hundred_thousand() -> None:
    values = np.zeros(100_000)
    values[54_321] = 1.0
    picture = curve_svg(series(values), (), 1)
    points = [float(pair.split(",")[1]) for pair in re.findall(r'points="([^"]+)"', picture)[0].split()]
    assert min(points) < max(points) - 50
    assert len(picture) < 30_000


@pytest.mark.parametrize("values", [[1.0], [np.nan], [np.nan] * 3, [np.inf, -np.inf], [5.0, 5.0], [1e-300, 1e300]])
def test_any_series_can_be_drawn(values: list[float]) -> None:
    picture = curve_svg(series(np.array(values)), (outcome_at(2.0, 1.0),), 1)
    assert "nan" not in re.sub(r"NaN|nance", "", picture)
    assert Page(picture).is_balanced
