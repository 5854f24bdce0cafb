"""Every figure that the README and the benchmarks' overview quote is the one on the page of results."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "docs" / "benchmarks"
OVERVIEW = BENCHMARKS / "README.md"
PAGES = {
    "Detection": ("detection.md",),
    "Between engine and trainer": ("detection-engine.md",),
    "What falls short, and why": ("detection-trl.md",),
    "Reading": ("readers.md",),
    "The trainers' speed": ("trainer.md", "trainer-zen4.md", "trainer-first.md"),
}
EARLIER = "detection-trl.md#The measured part, by an earlier version"
IN_README = (
    ("real-logs.md", "opened", "apart"),
    ("real-logs.md", "recall: a right rule at warning or above", "apart"),
    ("real-logs.md", "cause: the first one is right", "apart"),
    ("real-logs.md", "healthy runs with a false alarm", "apart"),
    ("real-logs.md", "recall: a right rule at warning or above", "known"),
    ("real-logs.md", "cause: the first one is right", "known"),
    ("real-logs.md", "healthy runs with a false alarm", "known"),
    ("detection-trl.md", "recall: a right rule at warning or above", "all sick runs"),
    ("detection-trl.md", "cause: the first one is right", "all sick runs"),
    ("detection-trl.md", "Healthy runs with an alarm at any time", ""),
    (EARLIER, "recall: a right rule at warning or above", "all sick runs"),
    (EARLIER, "cause: the first one is right", "all sick runs"),
    (EARLIER, "Healthy runs with an alarm at any time", ""),
    ("detection.md", "recall: a right rule at warning or above", "all faults"),
    ("detection-engine.md", "recall: a right rule at warning or above", "all faults"),
)
"""Page, row and column of each share in "How far to trust it", in the order of the text.

Without a column it stands in a sentence."""
_FIGURE = re.compile(r"\d+\.\d+|\d+/\d+")


@pytest.mark.parametrize("heading", PAGES)
def test_every_quoted_figure_stands_in_the_page_of_results(heading: str) -> None:
    section = section_of(OVERVIEW, heading)
    results = "".join((BENCHMARKS / name).read_text("utf-8") for name in PAGES[heading])
    quoted = set(_FIGURE.findall(section.replace("TRL 1.12", "TRL")))
    assert quoted
    assert {figure for figure in quoted if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d])", results)} == set()


def test_the_readme_quotes_the_shares_on_the_pages_of_results() -> None:
    section = section_of(ROOT / "README.md", "How far to trust it")
    shares = [re.findall(r"\((\d+)/(\d+)\)", cell(*place))[0] for place in IN_README]
    logs = cell("real-logs.md", "logs, of repositories", "both").partition(",")[0]

    assert re.findall(r"(\d+) of (\d+)", section) == shares
    assert re.findall(r"\d+", re.sub(r"\d+ of \d+", "", section)) == [logs]


def test_the_readme_says_in_how_many_healthy_runs_a_false_alarm_was_critical() -> None:
    section = section_of(ROOT / "README.md", "How far to trust it")
    today, earlier = (
        int(re.findall(r"\n\| rlvitals \|.*\| (\d+)/\d+ \|\n", results(page))[0])
        for page in ("detection-trl.md", EARLIER)
    )
    rate = float(cell("real-logs.md", "false criticals per healthy run", "apart").partition(" ")[0])
    _, healthy = re.findall(r"\((\d+)/(\d+)\)", cell("real-logs.md", "healthy runs with a false alarm", "apart"))[0]
    counts = round(rate * int(healthy)), today, earlier
    assert re.findall(r"(\w+) of them critical", section) == [
        ("none", "one", "two", "three")[count] for count in counts
    ]
    assert cell("real-logs.md", "false criticals per healthy run", "both").startswith("0.00 ")


def test_the_readme_says_no_healthy_engine_raised_an_alarm_because_none_did() -> None:
    assert "without a false alarm" in " ".join(section_of(ROOT / "README.md", "How far to trust it").split())
    lines = (BENCHMARKS / "detection-engine.md").read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith(("| healthy runs", "| steps before a later onset"))]
    assert {row.rpartition(" | ")[2] for row in rows} == {"none |"}


def test_the_overview_counts_the_planned_runs_of_trl_and_the_repositories_of_logs() -> None:
    planned = re.findall(r"of (\d+) planned runs", (BENCHMARKS / "detection-trl.md").read_text("utf-8"))
    repositories = cell("real-logs.md", "logs, of repositories", "both").partition(", ")[2]

    assert f" {sum(map(int, planned))} runs are planned" in section_of(OVERVIEW, "Detection in TRL's runs")
    assert f" {repositories} public repositories" in section_of(OVERVIEW, "Public logs")


def section_of(page: Path, heading: str) -> str:
    """The text below a heading of the second level."""
    return page.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]


def results(page: str) -> str:
    """A page of results, or what follows one of its headings: "page.md#The heading"."""
    name, _, heading = page.partition("#")
    text = (BENCHMARKS / name).read_text("utf-8")
    return text.partition(f"## {heading}")[2] if heading else text


def cell(page: str, row: str, column: str) -> str:
    """A cell of the first table on a page of results that has this row; without a column, what follows these words."""
    if not column:
        return results(page).partition(f"{row}: ")[2].partition("\n")[0]
    above, _, below = results(page).partition(f"\n| {row} | ")
    columns = above.rpartition("\n| | ")[2].partition(" |\n")[0].split(" | ")
    return below.partition(" |\n")[0].split(" | ")[columns.index(column)]
