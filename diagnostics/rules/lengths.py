"""How long completions are and may be, as far as a run says: what turns a KL per sequence into one per token."""

from dataclasses import dataclass

import numpy as np

from diagnostics.run import Run

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
    if series is None or not series.finite.any():
        return None
    return float(np.median(series.values[series.finite]))


def longest_length(run: Run) -> float | None:
    """The logged typical length, else the configured limit, which is an upper bound; None where neither is known."""
    stated = length_limit(run)
    return typical_length(run) or (float(stated.tokens) if stated else None)
