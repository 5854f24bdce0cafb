"""A run replayed step by step: the outcomes of the rules after each step, and the episodes that they form."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from diagnostics.rules.lasting import until

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Episode:
    """A rule that fires without a break: the first and the last step after which it did, and its worst severity."""

    rule: str
    first_step: int
    last_step: int
    severity: Severity

    def extended_to(self, step: int, severity: Severity) -> "Episode":
        """The same episode, at one more step."""
        return replace(self, last_step=step, severity=max(self.severity, severity, key=lambda level: level.rank))


def up_to(run: Run, step: int) -> Run:
    """The run as it was when `step` was its last logged one and it was still running."""
    cut = until(run, step)
    return replace(
        cut,
        status=replace(run.status, state="running", step=step, error=None),
        observed_at=max(
            (float(each.times[-1]) for each in cut.series.values() if len(each.times)), default=run.observed_at
        ),
        console_tail="",
    )


def outcomes_by_step(run: Run, most: int | None = None) -> Iterator[tuple[int, tuple[Outcome, ...]]]:
    """The outcomes of the rules after each logged step, as a live view shows them, and when the run has ended.

    With `most`, after so many logged steps at most, evenly spaced, the last one included.
    """
    run = replace(run, samples=run.samples.cached())
    chosen = run.steps if most is None or len(run.steps) <= most else run.steps[_spread(len(run.steps), most)]
    for step in map(int, chosen[:-1]):
        yield step, evaluate(up_to(run, step))
    if len(chosen):
        last = int(chosen[-1])
        yield last, evaluate(replace(up_to(run, last), status=run.status))


def episodes(seen: Iterable[tuple[int, Mapping[str, Severity]]]) -> list[Episode]:
    """Episodes from what fired after each step (rule → severity); a rule that pauses and fires again makes two."""
    closed: list[Episode] = []
    open_now: dict[str, Episode] = {}
    for step, fired in seen:
        closed += [open_now.pop(rule) for rule in list(open_now) if rule not in fired]
        for rule, severity in fired.items():
            known = open_now.get(rule, Episode(rule, step, step, severity))
            open_now[rule] = known.extended_to(step, severity)
    return sorted([*closed, *open_now.values()], key=lambda episode: (episode.first_step, episode.rule))


def _spread(length: int, most: int) -> Indices:
    """`most` indices of a sequence, evenly spaced, the last one included."""
    return np.unique(np.linspace(0, length - 1, most).round().astype(np.int64))
