"""The targets of a jump: pages, runs, the charts of the run in view, and every entry of the catalogue."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from app import state
from app.load.known_runs import known_runs
from app.load.runs import snapshot_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import Boundary
from diagnostics.catalogue import pages_about
from diagnostics.catalogue.index import chapters
from diagnostics.curves.selection import crucial_series
from diagnostics.visible_text import one_line
from diagnostics.wording.run_names import distinct_names
from diagnostics.wording.series import series_title

_KINDS = {"Metrics": "metric", "Rules": "rule", "Settings checks": "settings check", "Causes": "cause"}
CHART, RUN, ENTRY, PAGE = "chart", "run", "entry", "page"


@dataclass(frozen=True, slots=True)
class Target:
    """Somewhere to go: `name` is matched first, `about` tells more, `way` and `where` are what the page acts on."""

    kind: str
    name: str
    about: str
    way: str
    where: str
    address: str = ""
    """Relative to any page of the dashboard; empty for a chart of the page in view."""


PAGES = (
    Target("page", "Runs", "every run, the worst first", PAGE, "", "./"),
    Target("page", "Launch", "start a training", PAGE, "launch", "launch"),
    Target("page", "Learn", "what the curves mean", PAGE, "learn", "learn"),
)


def targets(boundary: Boundary, run: str | None) -> Iterator[Target]:
    """All of them; `run` is the path of the run in view."""
    yield from PAGES
    if run is not None:
        yield from _charts(run, boundary)
    yield from _runs(boundary)
    yield from _entries()


def named_exactly(name: str) -> Iterator[Target]:
    """The entries of the catalogue that go by another name too: a producer's tag, a rule's code."""
    for page in pages_about(name):
        yield _entry(page.kind, page.name, page.sentence)


def _charts(run: str, boundary: Boundary) -> Iterator[Target]:
    try:
        found = snapshot_of(run, boundary).run
    except UnreadableRun:
        return
    crucial = {series.name for series in crucial_series(found)}
    for series in found.series.values():
        section = "charts" if series.name in crucial else "metrics"
        yield Target(
            "chart",
            one_line(series_title(series)),
            one_line(series.tag or series.name),
            CHART,
            f"{section} {series.name}",
        )


def _runs(boundary: Boundary) -> Iterator[Target]:
    refs = known_runs(boundary)
    names = distinct_names([(ref.name, ref.path) for ref in refs])
    for name, ref in zip(names, refs, strict=True):
        yield run_target(name, ref.path)


def run_target(name: str, path: Path) -> Target:
    """The page of a run."""
    query = state.run_query(path)
    return Target("run", one_line(name), one_line(str(path)), RUN, query, f"run?{query}")


@cache
def _entries() -> Sequence[Target]:
    return tuple(
        _entry(_KINDS[chapter], line.name, " · ".join(filter(None, (line.title, line.sentence))))
        for chapter, lines in chapters().items()
        for line in lines
    )


def _entry(kind: str, name: str, about: str) -> Target:
    return Target(kind, name, about, ENTRY, name, f"learn?{urlencode({state.ENTRY: name})}")
