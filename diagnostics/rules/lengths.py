"""How long completions are and may be, as far as a run says: needed to turn a KL per sequence into one per token."""

import math
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.detectors.averages import finite_median, finite_points, start_level
from diagnostics.detectors.hard_limit import find_hard_limit
from diagnostics.model.alignment import at_common_steps, last_known, values_between
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values

NEARLY_ALL = 0.95  # of the completions
SCATTERED = 2.0  # times the shortest: the longest, where no limit cuts both


@dataclass(frozen=True, slots=True)
class LengthLimit:
    """The longest completion that the configuration allows, and the argument that says so."""

    parameter: str
    tokens: int


def length_limit(run: Run) -> LengthLimit | None:
    """The configured length limit; None where the configuration does not state one."""
    stated = run.settings.get("max_tokens")
    is_limit = stated is not None and isinstance(stated.value, int) and stated.value > 0
    return LengthLimit(stated.parameter, stated.value) if stated is not None and is_limit else None


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


def ended_unseen(run: Run, first: int, last: int) -> bool:
    """Whether answers that count as cut off between two steps were shorter than the length limit.

    They ended on a token that the trainer does not recognise as an end, as TRL before 1.15 does for models with
    several: the share of cut-off completions then means nothing. Lengths that stop dead at one number are cut off
    there, whatever limit is stated. Where none is, lengths that scatter while all count as cut off show the same.
    """
    stated, longest = length_limit(run), run.get("length_max")
    if longest is None or find_hard_limit(longest.steps, longest.values) is not None:
        return False
    if stated is None:
        scattered = cut_at_any_length(run)
        return scattered is not None and finite_median(values_between(scattered, first, last)) > 0
    return finite_median(values_between(longest, first, last)) < stated.tokens


def cut_at_any_length(run: Run) -> Series | None:
    """The share of completions that count as cut off where nearly all do and the longest is twice the shortest, else 0.

    A limit cuts at one length. None where any of the three is not known.
    """
    cut, shortest, longest = (run.get(name) for name in ("truncated_fraction", "length_min", "length_max"))
    if cut is None or shortest is None or longest is None:
        return None
    cut, shortest, longest = at_common_steps(cut, shortest, longest)
    is_known = np.isfinite(longest.values) & np.isfinite(shortest.values)
    is_scattered = (cut.values >= NEARLY_ALL) & (longest.values >= SCATTERED * shortest.values)
    return replace(cut, values=np.where(is_scattered & is_known, cut.values, 0.0))


def kl_lengths(run: Run) -> tuple[Series, Values] | None:
    """The logged KL, and (N,) the tokens that each of its points is summed over: their quotient is the KL per token.

    A KL per sequence is summed over the mean length logged last; before there is one, over the first lengths; without
    any, over the configured limit, which makes the KL per token too small. None where no KL is logged, or one per
    sequence and no length is known. Rules that judge nats per token report in the unit that is logged, so that the
    finding can be drawn.
    """
    logged = run.get("kl_per_token", "kl_per_sequence")
    if logged is not None and logged.name == "kl_per_token":
        return logged, np.ones_like(logged.values)
    if logged is None:
        return None
    length = run.get("length_mean")
    tokens = last_known(length, logged.steps) if length is not None else np.full(len(logged), np.nan)
    if finite_points(tokens) < len(tokens):
        stated = length_limit(run)
        first = math.nan if length is None else start_level(length.values)
        if math.isnan(first) and stated is None:
            return None
        typical = float(stated.tokens) if stated and math.isnan(first) else first
        tokens = np.where(np.isfinite(tokens), tokens, typical)
    return logged, np.maximum(tokens, 1.0)
