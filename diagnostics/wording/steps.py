"""Step numbers in words: when something was so, and how far a run is."""

from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run


def step_range(first: int, last: int, *, still: bool) -> str:
    """When something was so: "step 7", "steps 12 to 61" or "since step 12, still so"."""
    if still:
        return f"since step {first}, still so"
    if first == last:
        return f"step {first}"
    return f"steps {first} to {last}"


def steps_of(subject: Finding | Outcome) -> str:
    """When a finding or a fired outcome was so; empty for an outcome without steps."""
    first, last = subject.first_step, subject.last_step
    return "" if first is None or last is None else step_range(first, last, still=subject.still)


def progress(run: Run, *, short: bool = False) -> str:
    """How far a run is: "step 143 of 200" ("step 143/200" if `short`), "step 143" where no total is known.

    Before the first step: "no step logged", or nothing if `short`.
    """
    step = run.last_step
    if step is None:
        return "" if short else "no step logged"
    return f"step {step}{'/' if short else ' of '}{run.status.total}" if run.status.total else f"step {step}"
