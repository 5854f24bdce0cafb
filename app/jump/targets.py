"""The targets of a jump: pages, runs, the charts of the run in view, and every entry of the catalogue."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from app import state
from app.load.known_runs import known_runs
from app.load.runs import snapshot_of
from diagnostics.addresses import shown
from diagnostics.api import UnreadableRun
from diagnostics.boundary import Boundary
from diagnostics.catalogue import pages_about
from diagnostics.catalogue.index import chapters
from diagnostics.curves.selection import crucial_series
from diagnostics.language import N_, _, current_language, language
from diagnostics.visible_text import one_line
from diagnostics.wording.run_names import distinct_names
from diagnostics.wording.series import series_title

_KINDS = {"Metrics": N_("metric"), "Rules": N_("rule"), "Settings checks": N_("settings check"), "Causes": N_("cause")}
CHART, RUN, ENTRY, PAGE = "chart", "run", "entry", "page"


@dataclass(frozen=True, slots=True)
class Target:
    """Somewhere to go: `name` is matched first, `about` tells more, `way` and `where` are what the page acts on."""

    kind: str
    name: str
    about: str
    way: str
    where: str


def pages() -> tuple[Target, ...]:
    """The pages that belong to no run, in the current language as every target."""
    return (
        Target(_("page"), _("Runs"), _("every run, the worst first"), PAGE, ""),
        Target(_("page"), _("Launch"), _("start a training"), PAGE, "launch"),
        Target(_("page"), _("Learn"), _("what the curves mean"), PAGE, "learn"),
    )


def targets(boundary: Boundary, run: str | None) -> Iterator[Target]:
    """All of them; `run` is the path of the run in view."""
    yield from pages()
    if run is not None:
        yield from _charts(run, boundary)
    yield from _runs(boundary)
    yield from _entries(current_language())


def named_exactly(name: str) -> Iterator[Target]:
    """The entries of the catalogue that go by another name too: a producer's tag, a rule's code."""
    for page in pages_about(name):
        yield _entry(_(page.kind), page.name, page.sentence)


def _charts(run: str, boundary: Boundary) -> Iterator[Target]:
    try:
        found = snapshot_of(run, boundary).run
    except UnreadableRun:
        return
    crucial = {series.name for series in crucial_series(found)}
    for series in found.series.values():
        section = "charts" if series.name in crucial else "metrics"
        yield Target(
            _("chart"),
            one_line(series_title(series)),
            one_line(series.tag or series.name),
            CHART,
            f"{section} {series.name}",
        )


def _runs(boundary: Boundary) -> Iterator[Target]:
    refs = known_runs(boundary)
    names = distinct_names([(ref.name, ref.path) for ref in refs])
    for name, ref in zip(names, refs, strict=True):
        yield Target(_("run"), one_line(name), one_line(shown(ref.path)), RUN, state.run_query(ref.path))


@cache
def _entries(code: str) -> Sequence[Target]:
    """In the language of that code."""
    with language(code):
        return tuple(
            _entry(_(_KINDS[chapter]), line.name, " · ".join(filter(None, (line.title, line.sentence))))
            for chapter, lines in chapters().items()
            for line in lines
        )


def _entry(kind: str, name: str, about: str) -> Target:
    return Target(kind, name, about, ENTRY, name)
