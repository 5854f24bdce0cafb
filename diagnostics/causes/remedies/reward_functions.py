"""Reward functions to leave out: the one that pays for marks, and those that return no number."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from diagnostics.causes.remedies.remedy import Keep, Suggestion
from diagnostics.causes.remedies.suggestions import is_number
from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.extremes import finite_range
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.model.series import NO_VALUES, Values

TABLES = 3  # sample tables at the start of a run, and at its end
FEWEST_SAMPLES = 16  # fewer rank nothing
NEARLY_FULL = 0.95  # of full marks, 1
PAYS = 0.5  # rank correlation of a function's rewards with the share of marks


def has_several_rewards(run: Run) -> bool:
    """Whether the run's reward is made of several functions, as its metrics or its settings show."""
    stated = [run.settings.value(name) for name in ("reward_funcs", "reward_weights")]
    counts = [len(given) for given in stated if isinstance(given, list | tuple)]
    return max(len(run.by_reward_function("reward_func_mean")), *counts, 0) > 1


def is_short_of_full_marks(run: Run) -> bool:
    """Whether there is something to raise: not where a reward between 0 and 1 has mostly been 1, or nearly."""
    reward = run.get("score", "reward")
    lowest, highest = finite_range(NO_VALUES if reward is None else reward.values)
    return reward is None or not (lowest >= 0 and highest <= 1 and finite_median(reward.values) >= NEARLY_FULL)


def weights_that_pay_no_marks(current: Any, run: Run) -> Any:
    """The weights of the reward functions, 0 for the one that pays for marks; as is where it is not one of several."""
    names = list(run.by_reward_function("reward_func_mean"))
    weights = list(current) if isinstance(current, list | tuple) and len(current) == len(names) else [1.0] * len(names)
    function = _function_that_pays_marks(run, names)
    if function is None or not all(map(is_number, weights)):
        return Keep.AS_IS
    better = [0.0 if name == function else weight for name, weight in zip(names, weights, strict=True)]
    return Suggestion(better, {"function": function}) if any(better) else Keep.AS_IS


def finite_functions(current: Any, run: Run) -> Any:
    """The reward functions without those that returned a non-finite reward; as is where none would be left."""
    logged = run.by_reward_function("reward_func_mean")
    broken = {name for name, series in logged.items() if not series.finite.all()}
    if not isinstance(current, list | tuple) or len(current) != len(logged) or not 0 < len(broken) < len(logged):
        return Keep.AS_IS
    better = [stated for stated, name in zip(current, logged, strict=True) if name not in broken]
    return Suggestion(better, {"function": ", ".join(sorted(broken))})


def _function_that_pays_marks(run: Run, names: Sequence[str]) -> str | None:
    """The one of several reward functions whose rewards rank with the share of marks in a completion."""
    if len(names) < 2:
        return None
    tables = run.samples.steps
    for steps in (tables[:TABLES], tables[-TABLES:]):  # first the start: later all completions may hold the same marks
        correlations = _correlations([row for step in steps for row in run.samples.of_training(step)], names)
        paying = [name for name in names if correlations.get(name, 0.0) > PAYS]
        if paying:
            return paying[0] if len(paying) == 1 else None
    return None


def _correlations(samples: Sequence[Sample], names: Sequence[str]) -> dict[str, float]:
    """The rank correlation of each function's rewards with the share of marks; empty where samples are too few."""
    rows = [row for row in samples if row.rewards.keys() >= set(names) and row.response]
    if len(rows) < FEWEST_SAMPLES:
        return {}
    marks = np.array([_share_of_marks(row) for row in rows])
    return {name: _rank_correlation(np.array([row.rewards[name] for row in rows]), marks) for name in names}


def _share_of_marks(sample: Sample) -> float:
    text = sample.response
    return sum(mark in "!¡‼❗" or unicodedata.category(mark) == "So" for mark in text) / len(text)


def _rank_correlation(first: Values, second: Values) -> float:
    if not np.isfinite(first).all() or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Values) -> Values:
    """(N,) The rank of each value; equal ones share the mean of theirs."""
    places, counts = np.unique(values, return_inverse=True, return_counts=True)[1:]
    last = np.cumsum(counts)
    return np.asarray(last - (counts - 1) / 2)[places]
