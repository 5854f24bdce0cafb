"""The tables of samples that a check may read: a few at the start and a few at the end, however long the run is.

The budget, in tables read from disk for one diagnosis of a run: three at the start, eleven at the end (a finding stands
until it has been absent for nine tables), and three at each of at most six places where the onset of a finding is
searched for. Of a table the first 64 rows count, so whole groups come first. A run with ten thousand tables costs no
more than one with forty. Four checks judge ten or twelve tables together, because what they look for is rare in one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples

POOLED = 3  # tables judged together: a single one of 16 rows says little about a share
PROBES = 6  # places searched for the onset of a finding; with n tables it is found to within n / 64
MOST_ROWS = 64  # of one table
LEAST_ROWS = 16  # below it a share of the rows says nothing
LEAST_GROUPS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A sample and its place: `index`, from 0, among the samples of its step."""

    step: int
    index: int
    sample: Sample


Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class View:
    """The samples up to one step: those of the first tables and those of the newest; both the same in a short run."""

    first: Rows
    recent: Rows

    @property
    def can_compare(self) -> bool:
        """Whether the start and the end are different tables with enough rows each."""
        apart = bool(self.first and self.recent) and self.first[-1].step < self.recent[0].step
        return apart and min(len(self.first), len(self.recent)) >= LEAST_ROWS

    @property
    def first_step(self) -> int:
        """The first step of the newest tables."""
        return self.recent[0].step


def view(run: Run, last: int, pooled: int = POOLED) -> View:
    """The samples as they stood at table number `last`, from 0: up to `pooled` first tables and as many newest."""
    start = max(0, last - pooled + 1)
    return View(_rows(run, 0, min(pooled - 1, max(0, start - 1))), _rows(run, start, last))


def onset(last: int, is_sick: Callable[[int], bool]) -> int:
    """The index of the table at which a finding that holds at table `last` began, by bisection within the budget."""
    low, high = 0, last
    if is_sick(low):
        return low
    for _ in range(PROBES):
        if high - low <= 1:
            break
        middle = (low + high) // 2
        low, high = (low, middle) if is_sick(middle) else (middle, high)
    return high


def groups_of(rows: Rows) -> list[Rows]:
    """The rows that share a step and a prompt, where there are two or more."""
    found: dict[tuple[int, object], list[Row]] = {}
    for row in rows:
        key = row.sample.query if row.sample.group is None else row.sample.group
        found.setdefault((row.step, key), []).append(row)
    return [tuple(group) for group in found.values() if len(group) > 1]


def _rows(run: Run, first: int, last: int) -> Rows:
    return tuple(chain.from_iterable(_rows_at(run.samples, step) for step in run.samples.steps[first : last + 1]))


def _rows_at(samples: Samples, step: int) -> Rows:
    memo = {} if samples.memo is None else samples.memo
    if step not in memo:
        memo[step] = tuple(
            Row(step, index, sample)
            for index, sample in enumerate(samples.at(step)[:MOST_ROWS])
            if sample.split == "train"  # answers to held-out prompts may be greedy, and are the same prompts each time
        )
    rows: Rows = memo[step]
    return rows
