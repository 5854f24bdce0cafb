"""The checks of each candidate by itself: that it went through, what was found in it, and how it began."""

from collections.abc import Iterator

from diagnostics.gate.gate_file import Gate
from diagnostics.gate.readings import unreached
from diagnostics.gate.verdict import Check, State
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import format_value
from diagnostics.model.run import Run


def check_run(run: Run, gate: Gate) -> Check:
    """Whether the training itself went through, up to the window's end."""
    if run.status.state in ("failed", "died"):
        error = f": {run.status.short_error}" if run.status.error else ""
        return Check("run", "ended", State.FAILED, f"it {run.status.state}{error}", run.path)
    if problem := unreached(run, gate.steps):
        return Check("run", "ended", State.FAILED, problem, run.path)
    return Check("run", "ended", State.PASSED, f"{run.status.state} at step {run.last_step}", run.path)


def check_findings(diagnosis: Diagnosis, gate: Gate) -> Iterator[Check]:
    """A failed check for each finding that is not allowed; where there is none, one that passed."""
    path, found = diagnosis.run.path, False
    for finding in diagnosis.findings:
        names = {finding.name, finding.leading.rule}  # what is allowed excuses no cause of which it is a consequence
        if finding.severity.rank >= gate.fail_on.rank and not names & gate.allowed_findings:
            found = True
            message = f"{finding.severity} from step {finding.first_step} to {finding.last_step}"
            yield Check("finding", finding.name, State.FAILED, message, path)
    if not found:
        yield Check("finding", "none", State.PASSED, f"no {gate.fail_on} or worse that is not allowed", path)


def check_first_step(run: Run, gate: Gate) -> Iterator[Check]:
    """What must hold before anything was learned: a policy that is its own reference, a ratio of 1."""
    for name, expected in gate.first_step.items():
        series = run.get(name)
        if series is None:
            yield Check("first step", name, State.UNSURE, "it is not logged", run.path)
            continue
        value, step = float(series.values[0]), int(series.steps[0])
        near = abs(value - expected.value) <= expected.tolerance  # a NaN is near nothing
        message = (
            f"{format_value(value)} at step {step}; {format_value(expected.value)} ± {expected.tolerance:g} is due"
        )
        yield Check("first step", name, State.PASSED if near else State.FAILED, message, run.path, candidate=value)
