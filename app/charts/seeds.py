"""The answer for runs that differ in their seed: the mean of one metric over them, and its range."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from app.charts.answer import Points, in_window, nothing
from app.charts.question import Question
from diagnostics.comparison.seeds import band
from diagnostics.curves.axes import places_on
from diagnostics.curves.smoothing import trailing_mean
from diagnostics.model.run import Run
from diagnostics.model.series import NO_VALUES, Series


def band_of(members: Sequence[Run], name: str, question: Question) -> Points:
    """The points of a metric's mean with the range around it, at the steps that all members logged; all anew each time.

    Of each pixel column the extremes of the mean and of either edge are kept.
    """
    found = [series for run in members if (series := run.get(name)) is not None]
    drawn = band(found) if len(found) > 1 else None
    if drawn is None:
        return nothing()
    mean = Series(name, found[0].tag, drawn.steps, drawn.mean)
    places = places_on(question.axis, mean, members[0])
    every = (drawn.mean, drawn.low, drawn.high)
    chosen = reduce(np.union1d, (in_window(places, values, question) for values in every))
    smoothed = trailing_mean(drawn.mean, question.smoothing)[chosen] if question.smoothing > 1 else NO_VALUES
    return Points(
        places[chosen],
        drawn.steps[chosen],
        drawn.mean[chosen],
        smoothed,
        adds=False,
        mark=None,
        count=len(drawn.steps),
        low=drawn.low[chosen],
        high=drawn.high[chosen],
    )
