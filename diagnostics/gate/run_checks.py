"""The checks of each candidate by itself: that it went through, what was found in it, and how it began."""

from collections.abc import Iterator

from diagnostics.gate.gate_file import Gate
from diagnostics.gate.readings import unreached
from diagnostics.gate.verdict import Check, State
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import format_value
from diagnostics.model.run import Run
from diagnostics.punctuation import labelled


def check_run(run: Run, gate: Gate) -> Check:
    """Whether the training itself went through, up to the window's end."""
    if run.status.has_failed:
        ended = _("it failed") if run.status.state == "failed" else _("it died")
        message = labelled(ended, run.status.short_error) if run.status.error else ended
        return Check("run", "ended", State.FAILED, message, run.path)
    if problem := unreached(run, gate.steps):
        return Check("run", "ended", State.FAILED, problem, run.path)
    message = _("{state} at step {step}").format(state=_(run.status.state), step=run.last_step)
    return Check("run", "ended", State.PASSED, message, run.path)


def check_findings(diagnosis: Diagnosis, gate: Gate) -> Iterator[Check]:
    """A failed check for each finding that is not allowed; where there is none, one that passed."""
    path, found = diagnosis.run.path, False
    for finding in diagnosis.findings:
        names = {finding.name, finding.leading.rule}  # what is allowed excuses no cause of which it is a consequence
        if finding.severity.rank >= gate.fail_on.rank and not names & gate.allowed_findings:
            found = True
            message = _("{severity} from step {first} to {last}").format(
                severity=_(finding.severity), first=finding.first_step, last=finding.last_step
            )
            yield Check("finding", finding.name, State.FAILED, message, path)
    if not found:
        message = _("no {severity} or worse that is not allowed").format(severity=_(gate.fail_on))
        yield Check("finding", "none", State.PASSED, message, path)


def check_first_step(run: Run, gate: Gate) -> Iterator[Check]:
    """What must hold before anything was learned: a policy that is its own reference, a ratio of 1."""
    for name, expected in gate.first_step.items():
        series = run.get(name)
        if series is None:
            yield Check("first step", name, State.UNSURE, _("it is not logged"), run.path)
            continue
        value, step = float(series.values[0]), int(series.steps[0])
        near = abs(value - expected.value) <= expected.tolerance  # a NaN is near nothing
        message = _("{value} at step {step}; {expected} ± {tolerance} is due").format(
            value=format_value(value),
            step=step,
            expected=format_value(expected.value),
            tolerance=f"{expected.tolerance:g}",
        )
        yield Check("first step", name, State.PASSED if near else State.FAILED, message, run.path, candidate=value)
