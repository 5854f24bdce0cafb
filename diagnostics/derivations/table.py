"""Which metrics follow from which: the table by which series are derived, and that the reference prints."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from diagnostics.derivations.formulas import (
    cut_off_share,
    dropped_share,
    dropped_share_of_total,
    largest_deviation,
    penalty_weight,
    per_sequence,
    per_token,
    rate,
    share_of,
    without_signal,
    without_spread,
)
from diagnostics.model.derivation import Precision
from diagnostics.model.series import Values
from diagnostics.model.settings import Settings

SAMPLES = "samples"
"""What stands for logged completions among the inputs of a formula."""
Compute = Callable[[tuple[Values, ...], Settings], Values | None]


@dataclass(frozen=True, slots=True)
class Formula:
    """One way to a metric. `compute` gets the inputs at their common steps, and gives None where it cannot tell.

    A formula over samples has no `compute`: `from_samples` measures them table by table, where the log has its other
    inputs. `is_partial`: NaN stands for steps of which the formula says nothing, and they are left out.
    """

    target: str
    inputs: tuple[str, ...]
    text: str
    precision: Precision
    compute: Compute | None = None
    is_partial: bool = False
    holds_anyway: bool = False


def _spread(target: str, mean: str) -> Formula:
    text = "√((max − mean)·(mean − min)), the largest that these allow and exact where scores take two values"
    return Formula(target, (mean, "score_min", "score_max"), text, "upper bound", _of_values(largest_deviation))


def _converted(target: str, source: str, function: Callable[..., Values]) -> Formula:
    operation = "divided by" if function is per_token else "times"
    text = f"{source} {operation} length_mean"
    return Formula(target, (source, "length_mean"), text, "estimate", _of_values(function))


def _cut_off(*lengths: str, text: str) -> Formula:
    return Formula("truncated_fraction", lengths, text, "exact", _share_at_limit)


def _divided(target: str, part: str, whole: str, function: Callable[..., Values | None]) -> Formula:
    return Formula(target, (part, whole), f"{part} divided by {whole}", "exact", _of_values(function))


def _dropped(count: str, growth: str, function: Callable[..., Values]) -> Formula:
    text = f"{growth} ÷ ({growth} + trained_samples)"
    return Formula("dropped_fraction", (count, "trained_samples"), text, "exact", _of_values(function))


def _measured(target: str, *others: str, text: str) -> Formula:
    return Formula(target, (*others, SAMPLES), text, "estimate")


def _of_values(function: Callable[..., Values | None]) -> Compute:
    return lambda values, settings: function(*values)


def _share_at_limit(lengths: tuple[Values, ...], settings: Settings) -> Values | None:
    """The share of completions at the configured limit; `lengths`: the mean and, where logged, the longest."""
    limit = settings.number("max_tokens")
    if not limit or limit < 0:
        return None
    mean, longest = lengths if len(lengths) > 1 else (*lengths, np.full_like(lengths[0], limit))
    return cut_off_share(mean, longest, limit)


FORMULAS = (
    _spread("reward_std", "reward"),
    _measured("reward_std", "reward", text="standard deviation of the scores"),
    _spread("score_std", "score"),
    _measured("score_std", "score", text="standard deviation of the scores"),
    _measured("zero_std_fraction", text="share of the groups whose scores are equal"),
    Formula(
        "zero_std_fraction",
        ("advantages_min", "advantages_max"),
        "1 where all advantages are exactly 0",
        "exact",
        _of_values(without_signal),
        is_partial=True,
    ),
    Formula(
        "zero_std_fraction",
        ("reward_std",),
        "1 where reward_std is exactly 0, so that no group has a signal; else 0",
        "lower bound",
        _of_values(without_spread),
        holds_anyway=True,  # within groups or over the batch, a deviation of 0 leaves no difference
    ),
    _measured("length_mean", text="mean length"),
    _cut_off("length_mean", "length_max", text="1 where the mean is the length limit, 0 where the longest is shorter"),
    _cut_off("length_mean", text="1 where the mean is the length limit"),
    _measured("truncated_fraction", text="share that did not end, or is as long as the length limit"),
    _converted("kl_per_token", "kl_per_sequence", per_token),
    _converted("kl_per_sequence", "kl_per_token", per_sequence),
    _converted("entropy_per_token", "entropy_per_sequence", per_token),
    Formula(
        "kl_coef",
        ("non_score_reward", "kl_per_sequence"),
        "−non_score_reward divided by kl_per_sequence",
        "exact",
        _of_values(penalty_weight),
        is_partial=True,
    ),
    _dropped("dropped_samples", "dropped_samples", dropped_share),
    _dropped("dropped_samples_total", "growth of dropped_samples_total", dropped_share_of_total),
    _divided("idle_fraction", "rollout_wait_time", "step_time", share_of),
    _divided("tokens_per_second", "step_tokens", "step_time", rate),
)
"""All formulas, each metric's in the order in which they are tried."""

BY_TARGET = MappingProxyType(
    {
        target: tuple(formula for formula in FORMULAS if formula.target == target)
        for target in dict.fromkeys(formula.target for formula in FORMULAS)
    }
)
"""The formulas of each metric that can be derived."""
