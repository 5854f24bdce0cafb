"""The tail of a generation: what a batch waits for its longest answers, and what a shorter limit would save.

A batch that is decoded together ends with its longest answer. A token takes at most as long when few answers are left
as when all are, so the time that goes to the last of them is at most their share of the tokens of the longest one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.time_budget.budget import TimeBudget
from diagnostics.time_budget.stages import GENERATE

LONGEST = 0.05  # of the answers: the last twentieth
LEAST_ANSWERS = 20  # of a step: below, a twentieth is less than one
LATEST = 10  # steps whose samples are read
NEAR = 0.02  # of a logged length: a choice of samples seldom has the mean and the maximum of all
ROUND = 64  # tokens: a limit that a person would set


@dataclass(frozen=True, slots=True)
class Tail:
    """What the longest answers cost.

    share: of a step, at most, in which no more than a twentieth of the answers is still being written · limit: tokens
    that the other answers keep to · with_limit: a step at this limit, as a part of the present one.
    """

    share: float
    limit: int
    with_limit: float


def tail(run: Run, budget: TimeBudget) -> Tail | None:
    """The tail of the latest sampled steps; None where generation overlaps, or samples do not show whole batches."""
    generation = budget.shares.get(GENERATE)
    found = [(np.quantile(lengths, 1 - LONGEST), lengths.max()) for lengths in _batches(run)]
    if generation is None or not found:
        return None
    usual, longest = np.mean(found, axis=0)
    limit = int(np.ceil(usual / ROUND) * ROUND)
    saved = generation * max(0.0, 1.0 - limit / longest)
    return Tail(share=float(generation * (1.0 - usual / longest)), limit=limit, with_limit=float(1.0 - saved))


def _batches(run: Run) -> Iterator[Values]:
    """The lengths of whole batches, of the latest steps first."""
    for step in run.samples.steps[: -LATEST - 1 : -1]:
        lengths = np.array([float(sample.length or 0) for sample in run.samples.of_training(step)])
        if len(lengths) >= LEAST_ANSWERS and lengths.all() and _is_whole(lengths, step, run):
            yield lengths


def _is_whole(lengths: Values, step: int, run: Run) -> bool:
    """Whether the sampled lengths have the mean and the maximum that are logged for the whole batch.

    Without these they are taken to be whole, unless the producer logs a choice of its samples.
    """
    logged = [
        (own, float(series.values[index]))
        for name, own in (("length_mean", lengths.mean()), ("length_max", lengths.max()))
        if (series := run.get(name)) is not None
        and (index := int(np.searchsorted(series.steps, step))) < len(series)
        and series.steps[index] == step
    ]
    if len(logged) < 2 and Quirk.SELECTS_SAMPLES in run.quirks:
        return False
    return all(abs(own - value) <= NEAR * value for own, value in logged)
