"""How far the rollout engine's probabilities are from the trainer's, in the units in which trainers log it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.importance import few_are_far, one_sided_share
from diagnostics.model.alignment import values_between
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values

EQUAL = 1e-3  # nats/token: float noise of equal engines
ONE_SIDED = 0.5  # of the mean difference: noise has both signs and cancels


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of distance: what turns it into a difference of log-probabilities, or one in proportion, and back."""

    as_difference: Callable[[Values], Values]
    from_difference: Callable[[float], float]


_DIFFERENCE = Unit(lambda values: values, lambda difference: difference)
UNITS: Mapping[str, Unit] = {
    "engine_logprob_difference": _DIFFERENCE,
    "engine_probability_ratio_error": Unit(lambda factor: factor - 1, lambda difference: difference + 1),
    "engine_kl": Unit(lambda kl: np.sqrt(2 * np.maximum(kl, 0.0)), lambda difference: difference**2 / 2),
    "engine_probability_difference": _DIFFERENCE,
    "engine_log_perplexity_difference": _DIFFERENCE,
}
"""By metric; a KL grows with the square of the difference, a factor less 1 as the difference itself."""
DISTANCES = tuple(UNITS)
"""The metrics that measure the distance; the first that a run logs is the one that is compared with its past."""


def differences(series: Series) -> Values:
    """(N,) The distance as a difference of log-probabilities, or in proportion to one."""
    return UNITS[series.name].as_difference(series.values)


def difference_of(series: Series, value: float) -> float:
    """One value of the series as such a difference."""
    return float(UNITS[series.name].as_difference(np.array([value]))[0])


def in_own_unit(series: Series, difference: float) -> float:
    """A difference in the unit of the series."""
    return UNITS[series.name].from_difference(difference)


def is_one_sided(run: Run, first: int, last: int) -> bool:
    """Whether the engine finds nearly all of its tokens likelier than the trainer does, as after a cut-off.

    Between two policies differences have both signs. It shows by the signed KL, else by an importance ratio that lies
    below what differences of both signs give.
    """
    shift, size = run.get("engine_kl_k1"), run.get("engine_logprob_difference")
    if size is None:
        return False
    difference = finite_median(values_between(size, first, last))
    if shift is not None:
        return finite_median(values_between(shift, first, last)) >= ONE_SIDED * difference
    ratio, tokens = run.get("importance_ratio_mean"), _tokens_of_ratio(run, first, last)
    if ratio is None or tokens is None:
        return False
    mean = finite_median(values_between(ratio, first, last))
    return one_sided_share(mean, difference, tokens) >= ONE_SIDED


def is_of_few_tokens(run: Run, first: int, last: int) -> bool:
    """Whether a few tokens that are worlds apart make the distance, as where they are not the engine's tokens."""
    size, farthest = run.get("engine_logprob_difference"), run.get("engine_logprob_difference_max")
    if size is None or farthest is None:
        return False
    return few_are_far(*(finite_median(values_between(series, first, last)) for series in (size, farthest)))


def _tokens_of_ratio(run: Run, first: int, last: int) -> float | None:
    """How many tokens one ratio is of; None where the log does not say."""
    is_of_sequence, length = run.settings.corrects_sequences, run.get("length_mean")
    if is_of_sequence is None or (is_of_sequence and length is None):
        return None
    return finite_median(values_between(length, first, last)) if is_of_sequence and length is not None else 1.0


def sample_age(run: Run, first: int, last: int) -> float:
    """The usual age of the samples between two steps, in updates; 0 where it is not logged."""
    logged = run.get("staleness_mean", "staleness_max")
    age = finite_median(values_between(logged, first, last)) if logged is not None else 0.0
    return age if np.isfinite(age) else 0.0
