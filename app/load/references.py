"""The runs that may stand behind others as a reference: quiet sample runs of the same algorithm, then one's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.load.examples import sample_diagnoses
from app.load.known_runs import known_runs
from app.load.runs import is_open, snapshot_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import Boundary
from diagnostics.language import _
from diagnostics.runlog.parent import SAMPLE_RUNS
from diagnostics.visible_text import one_line
from diagnostics.wording.run_names import distinct_names

_MOST = 200  # to choose from


@dataclass(frozen=True, slots=True)
class Reference:
    """A run by its path, and what to call it."""

    path: str
    words: str


def references(algorithm: str, boundary: Boundary, shown: Sequence[str]) -> tuple[Reference, ...]:
    """What may stand behind runs of an algorithm, at most 200; never one of `shown`.

    Of the user's runs those that are open are known to be of the algorithm; of the others it is seen once one is
    chosen.
    """
    samples = [
        str(diagnosis.run.path)
        for diagnosis in sample_diagnoses()
        if diagnosis.run.algorithm == algorithm and not diagnosis.fired
    ]
    own = [str(ref.path) for ref in known_runs(boundary) if ref.path.parent != SAMPLE_RUNS]
    possible = [path for path in own if not is_open(path) or _is_of(path, algorithm, boundary)]
    paths = [path for path in (*samples, *possible) if path not in shown][:_MOST]
    names = distinct_names([(reference_name(path), Path(path)) for path in paths])
    return tuple(Reference(path, one_line(name)) for path, name in zip(paths, names, strict=True))


def reference_name(path: str) -> str:
    """What to call the run at a path."""
    found = Path(path)
    name = one_line(found.name or path)
    return _("{name} (sample)").format(name=name) if found.parent == SAMPLE_RUNS else name


def _is_of(path: str, algorithm: str, boundary: Boundary) -> bool:
    try:
        return snapshot_of(path, boundary).run.algorithm == algorithm
    except UnreadableRun:
        return False
