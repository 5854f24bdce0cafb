"""Which limits a curve is drawn with: those that tell how it stands, none that it seems to break without a finding."""

from collections.abc import Sequence

import numpy as np

from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.series import Series

CROSSED = 0.05  # of the points beyond the limit of a rule that is quiet: then its limit is not one of each point


def drawn_limits(series: Series, judging: Sequence[Outcome]) -> list[float]:
    """The limits of the outcomes that judge the series, in its unit, in ascending order.

    Of the quiet rules there is at most one above the curve and one below it, which the curve keeps to best, and none
    that it lies beyond for more than a few points. Such a rule judges a mean or several metrics together, and a line
    across the chart would look like a missed alarm; that of a quiet rule which judges the start says nothing later on.
    """
    told = [
        outcome
        for outcome in judging
        if outcome.limit is not None and outcome.unit == series.unit and not _was_of_start(outcome)
    ]
    limits = [outcome.limit for outcome in told if _is_certain(outcome) and outcome.limit is not None]
    for is_above in (True, False):
        kept = [found for outcome in told if (found := _kept(series, outcome, is_above)) is not None]
        limits += [limit for _, _, limit in sorted(kept)[:1]]
    return sorted(set(limits))


def reached_limits(outcomes: Sequence[Outcome], limits: Sequence[float]) -> list[float]:
    """Those of the limits, in their order, that an outcome fired at."""
    reached = {outcome.limit for outcome in outcomes if outcome.verdict is Verdict.FIRED}
    return [limit for limit in limits if limit in reached]


def _was_of_start(outcome: Outcome) -> bool:
    return outcome.is_of_start and outcome.verdict is Verdict.QUIET


def _is_certain(outcome: Outcome) -> bool:
    return outcome.verdict is Verdict.FIRED or outcome.measured is None


def _kept(series: Series, outcome: Outcome, is_above: bool) -> tuple[int, float, float] | None:
    """How many points lie beyond a quiet rule's limit on this side, how far off it is, and the limit; None: no such."""
    if _is_certain(outcome) or outcome.limit is None or ((outcome.measured or 0.0) < outcome.limit) is not is_above:
        return None
    values = series.values[series.finite]
    beyond = int(np.count_nonzero(values > outcome.limit if is_above else values < outcome.limit))
    if beyond > CROSSED * len(values):
        return None
    return beyond, abs(outcome.limit - (outcome.measured or 0.0)), outcome.limit
