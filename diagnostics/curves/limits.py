"""Which limits a curve is drawn with: those that tell how it stands, none that it seems to break without a finding."""

from collections.abc import Sequence

import numpy as np

from diagnostics.diagnosis import Outcome, Verdict
from diagnostics.run import Series

CROSSED = 0.05  # of the points beyond the limit of a rule that is quiet: then its limit is not one of each point


def drawn_limits(series: Series, judging: Sequence[Outcome]) -> list[float]:
    """The limits of the outcomes that judge the series, in its unit and in their order.

    Left out is the limit of a quiet rule that the curve lies beyond for more than a few points. Such a rule judges the
    first step, a mean or several metrics together, and a line across the chart would look like a missed alarm.
    """
    told = [outcome for outcome in judging if outcome.limit is not None and outcome.unit == series.unit]
    return sorted({outcome.limit for outcome in told if outcome.limit is not None and _tells(series, outcome)})


def reached_limits(outcomes: Sequence[Outcome], limits: Sequence[float]) -> list[float]:
    """Those of the limits, in their order, that an outcome fired at."""
    reached = {outcome.limit for outcome in outcomes if outcome.verdict is Verdict.FIRED}
    return [limit for limit in limits if limit in reached]


def _tells(series: Series, outcome: Outcome) -> bool:
    if outcome.verdict is Verdict.FIRED or outcome.limit is None or outcome.measured is None:
        return True
    values = series.values[series.finite]
    beyond = values > outcome.limit if outcome.measured < outcome.limit else values < outcome.limit
    return float(np.count_nonzero(beyond)) <= CROSSED * len(values)
