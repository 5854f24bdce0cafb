"""The limits drawn on a chart: no curve may seem to break one without a finding."""

from collections.abc import Sequence

import numpy as np

from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.series import Series

CROSSED = 0.05  # of the points beyond a quiet rule's limit: more mean that the limit is not one for single points


def drawn_limits(series: Series, judging: Sequence[Outcome]) -> list[float]:
    """The limits of the outcomes that judge the series, in its unit, in ascending order.

    Of quiet rules only the nearest limit on either side is drawn, and none that more than a few points exceed: such a
    rule judges a mean or several metrics together, and its line would look like a missed alarm. The limit of a quiet
    rule that judges the first step alone says nothing about later ones.
    """
    candidates = [
        outcome
        for outcome in judging
        if outcome.limit is not None and outcome.unit == series.unit and not _was_of_start(outcome)
    ]
    limits = [outcome.limit for outcome in candidates if _is_certain(outcome) and outcome.limit is not None]
    for is_above in (True, False):
        respected = [found for outcome in candidates if (found := _respected(series, outcome, is_above)) is not None]
        limits += [limit for _, _, limit in sorted(respected)[:1]]
    return sorted(set(limits))


def reached_limits(outcomes: Sequence[Outcome], limits: Sequence[float]) -> list[float]:
    """Those of the limits, in their order, that an outcome fired at."""
    reached = {outcome.limit for outcome in outcomes if outcome.verdict is Verdict.FIRED}
    return [limit for limit in limits if limit in reached]


def _was_of_start(outcome: Outcome) -> bool:
    return outcome.is_of_start and outcome.verdict is Verdict.QUIET


def _is_certain(outcome: Outcome) -> bool:
    return outcome.verdict is Verdict.FIRED or outcome.measured is None


def _respected(series: Series, outcome: Outcome, is_above: bool) -> tuple[int, float, float] | None:
    """A quiet rule's limit on this side: how many points exceed it, how far away it is, and the limit itself."""
    if _is_certain(outcome) or outcome.limit is None or ((outcome.measured or 0.0) < outcome.limit) is not is_above:
        return None
    values = series.values[series.finite]
    beyond = int(np.count_nonzero(values > outcome.limit if is_above else values < outcome.limit))
    if beyond > CROSSED * len(values):
        return None
    return beyond, abs(outcome.limit - (outcome.measured or 0.0)), outcome.limit
