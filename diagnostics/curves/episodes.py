"""The episodes shaded on a chart: where the findings are to which its metric belongs, each with a short name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.model.outcome import Outcome, Severity, fired_worst_first
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules import CATALOG
from diagnostics.rules.rule import alternatives
from diagnostics.rules.run.nonfinite_metric import JUDGED, NonfiniteMetric

_TOGETHER = 0.01  # of a series' points: non-finite values no farther apart are one episode
_INPUTS = {rule.name: rule.inputs for rule in CATALOG}


@dataclass(frozen=True, slots=True)
class Shade:
    """The steps of an episode of a finding, both included, and what it is of: a rule, or values that are no numbers."""

    first: int
    last: int
    severity: Severity
    what: str

    @property
    def steps(self) -> str:
        """ "23–60"."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


def shades(series: Series, outcomes: Sequence[Outcome], run: Run) -> list[Shade]:
    """What to shade on the chart of a series, the gravest first.

    A finding belongs to the metric that it judges and to those that the rule compares with it. NaN and ±Inf are shaded
    where they are, not from the first of them to the last.
    """
    found = [shade for outcome in fired_worst_first(outcomes) for shade in _of_finding(outcome, series, run)]
    return sorted(found, key=lambda shade: -shade.severity.rank)


def _of_finding(outcome: Outcome, series: Series, run: Run) -> Iterable[Shade]:
    if outcome.rule == NonfiniteMetric.name:
        return _where_not_finite(series, outcome)
    return _episodes(outcome) if series.name in _metrics_of(outcome, run) else ()


def _metrics_of(outcome: Outcome, run: Run) -> set[str]:
    """The metric that a finding judges, and what the rule compares it with."""
    items = [alternatives(item) for item in _INPUTS.get(outcome.rule, ())]
    compared = [found.name for item in items if outcome.metric not in item and (found := run.get(*item)) is not None]
    return {outcome.metric, *compared} if outcome.metric else set()


def _episodes(outcome: Outcome) -> Iterator[Shade]:
    for episode in outcome.episodes:
        yield Shade(episode.first_step, episode.last_step, episode.severity, outcome.rule)


def _where_not_finite(series: Series, outcome: Outcome) -> Iterator[Shade]:
    where = np.flatnonzero(~series.finite)
    if series.name not in (*JUDGED, outcome.metric) or not len(where):
        return
    apart = np.diff(where) > max(1, _TOGETHER * len(series))
    for part in np.split(where, np.flatnonzero(apart) + 1):
        first, last = int(series.steps[part[0]]), int(series.steps[part[-1]])
        values = not_finite_in_words(series, int(part[0]), int(part[-1]) + 1)
        yield Shade(first, last, outcome.severity or Severity.INFO, values)


def not_finite_in_words(series: Series, start: int = 0, stop: int | None = None) -> str:
    """How many points are not finite, by kind: "NaN ×3, ∞ ×1"; empty if all are."""
    values = series.values[start:stop]
    kinds = {"NaN": np.isnan(values), "∞": np.isposinf(values), "−∞": np.isneginf(values)}
    return ", ".join(f"{kind} ×{int(mask.sum())}" for kind, mask in kinds.items() if mask.any())
