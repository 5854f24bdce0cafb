"""Every relative link of the documents resolves to a file of the repository, and to a heading in it."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.generate.markup import anchor

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README_LINES = 150
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The file and the anchor of every link that stays in the repository."""
    for target in _LINK.findall(_FENCE.sub("", page.read_text("utf-8"))):
        if not re.match(r"[a-z]+:", target):
            path, _, fragment = target.partition("#")
            yield (page.parent / path).resolve() if path else page, fragment


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, numbered where a heading comes again."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#+ (.+)$", _FENCE.sub("", page.read_text("utf-8")), re.MULTILINE):
        name = anchor(heading)
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = [
        f"{path.relative_to(ROOT)}#{fragment}"
        for path, fragment in links(page)
        if not path.exists() or (fragment and fragment not in anchors(path))
    ]
    assert broken == []


@pytest.mark.parametrize("page", [page for page in PAGES if (ROOT / "docs" / "reference") in page.parents])
def test_no_two_entries_of_a_reference_page_have_the_same_anchor(page: Path) -> None:
    headings = [anchor(heading) for heading in re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)]
    assert [name for name, times in Counter(headings).items() if times > 1] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, ahead = set[Path](), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            ahead += [path for path, _ in links(page) if path.is_file()]
    reports = ROOT / "docs" / "reports"
    assert [page for page in PAGES if page not in reached and reports not in page.parents] == []


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= README_LINES
