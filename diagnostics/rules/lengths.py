"""How long completions are and may be, as far as a run says: what turns a KL per sequence into one per token."""

import math
from dataclasses import dataclass

import numpy as np

from diagnostics.rules.alignment import last_known
from diagnostics.rules.growing import pointwise
from diagnostics.rules.windows import finite_median
from diagnostics.run import Run, Series, Values

LIMIT_PARAMETERS = ("max_completion_length", "response_length", "max_new_tokens")


@dataclass(frozen=True, slots=True)
class LengthLimit:
    """The longest completion that the configuration allows, and the argument that says so."""

    parameter: str
    tokens: int


def length_limit(run: Run) -> LengthLimit | None:
    """The configured length limit; None where the configuration does not state one."""
    for parameter in LIMIT_PARAMETERS:
        tokens = run.config.get(parameter)
        if isinstance(tokens, int) and tokens > 0:
            return LengthLimit(parameter, tokens)
    return None


def typical_length(run: Run) -> float | None:
    """The median over the run of the mean completion length, in tokens; None where it is not logged."""
    series = run.get("length_mean")
    if series is None or math.isnan(median := finite_median(series.values)):
        return None
    return median


def longest_length(run: Run) -> float | None:
    """The logged typical length, else the configured limit, which is an upper bound; None where neither is known."""
    stated = length_limit(run)
    return typical_length(run) or (float(stated.tokens) if stated else None)


def kl_lengths(run: Run) -> tuple[Series, Values] | None:
    """The logged KL, and (N,) the tokens over which each of its points is summed: what turns it into one per token.

    A KL per sequence is summed over the mean length logged last, else over the configured limit at most, and then comes
    out too small per token. None where no KL is logged, or one per sequence and no length is known. For the rules that
    judge nats per token, and tell their finding in the unit of what is logged, so that it can be drawn.
    """
    logged = run.get("kl_per_token", "kl_per_sequence")
    if logged is not None and logged.name == "kl_per_token":
        return logged, np.ones(len(logged))
    if logged is None:
        return None
    length = run.get("length_mean")
    tokens = last_known(length, logged.steps) if length is not None else np.full(len(logged), np.nan)
    is_known = np.isfinite(tokens)
    if not is_known.all():
        if (longest := longest_length(run)) is None:
            return None
        tokens = np.where(is_known, tokens, longest)
    return logged, pointwise(np.maximum, tokens, 1.0)
