"""Every figure quoted in the benchmarks' overview appears on one of their pages."""

import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
OVERVIEW = BENCHMARKS / "README.md"
PAGES = {
    "Detection": ("detection.md",),
    "Reading": ("readers.md",),
    "The trainers' speed": ("trainer.md", "trainer-zen4.md", "trainer-first.md"),
}
_FIGURE = re.compile(r"\d+\.\d+|\d+/\d+")


@pytest.mark.parametrize("heading", PAGES)
def test_every_quoted_figure_stands_in_the_page_of_results(heading: str) -> None:
    section = OVERVIEW.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    results = "".join((BENCHMARKS / name).read_text("utf-8") for name in PAGES[heading])
    quoted = set(_FIGURE.findall(section.replace("TRL 1.12", "TRL")))
    assert quoted
    assert {figure for figure in quoted if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d])", results)} == set()
