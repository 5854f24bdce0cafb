"""What the sample runs show of an entry of the catalogue: who has the cause, fires the rule or logs the metric."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from app.load.runs import snapshot_of
from diagnostics.api import UnreadableRun, find_runs
from diagnostics.boundary import Boundary
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome
from diagnostics.model.series import Series
from diagnostics.runlog.parent import SAMPLE_RUNS


@dataclass(frozen=True, slots=True)
class Example:
    """A sample run that shows an entry: the curve to look at, and what fired on it; None where all is well."""

    diagnosis: Diagnosis
    series: Series | None
    outcome: Outcome | None


def examples_of(name: str) -> tuple[Example, ...]:
    """The sample runs that show an entry, sick ones first; beside them a healthy one that logs the same metric."""
    diagnoses = sample_diagnoses()
    sick = [example for diagnosis in diagnoses if (example := next(_shown_by(name, diagnosis), None))]
    metrics = {name, *(example.series.name for example in sick if example.series)}
    healthy = (
        Example(diagnosis, series, None)
        for diagnosis in diagnoses
        if diagnosis.verdict == "healthy"
        for series in map(diagnosis.run.get, metrics)
        if series
    )
    return (*sick, *list(healthy)[:1])


def _shown_by(name: str, diagnosis: Diagnosis) -> Iterator[Example]:
    for finding in diagnosis.findings:
        for outcome in finding.outcomes:
            if name in (finding.name, outcome.rule, outcome.metric):
                yield Example(diagnosis, diagnosis.run.get(outcome.metric), outcome)


@cache
def sample_diagnoses() -> tuple[Diagnosis, ...]:
    """The diagnoses of the sample runs, which never change; empty where rlvitals was installed without them."""
    boundary = Boundary.around((SAMPLE_RUNS,))
    found: list[Diagnosis] = []
    for ref in find_runs(SAMPLE_RUNS) if SAMPLE_RUNS.is_dir() else ():
        try:
            found.append(snapshot_of(str(ref.path), boundary).diagnosis)
        except UnreadableRun:  # somebody has damaged it
            continue
    return tuple(found)
