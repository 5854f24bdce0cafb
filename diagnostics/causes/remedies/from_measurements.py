"""Better values that follow from what a run shows: how far its updates went, and which reward function misleads it."""

import math
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from diagnostics.causes.remedy import Keep, Reasoned, is_number
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.model.series import Values

TARGET = 0.01  # nats per token: the classic target KL of one update
LEAST_FACTOR = 1e-3  # of the learning rate; beyond it nothing is left to be measured
LEAP = 3  # updates over which a way is measured, so that a single outlier token does not count
WINDOW = 5
USUAL_KL_WEIGHT = {"ppo": 0.05, "ppo-legacy": 0.2, "grpo": 0.04, "rloo": 0.05}  # TRL's own; GRPO's up to 0.18
DEFAULT_LEARNING_RATE = {"ppo": 3e-6, "ppo-legacy": 1.41e-5}  # TRL's own; that of its other trainers is 1e-6
FAR_OFF = 10.0  # times the usual weight: then a third of it is as far off
TABLES = 3  # the newest ones of samples
FEWEST = 16  # samples; fewer rank nothing
PAYS = 0.5  # rank correlation


def fitted_learning_rate(current: Any, run: Run) -> Any:
    """The learning rate at which an update goes as far as the target; as is where no size is known, or a usual one.

    The KL of an update grows with the square of its length, and its length with the learning rate.
    """
    size = update_size(run)
    if not is_number(current) or current <= 0 or size is None or size <= TARGET:
        return Keep.AS_IS
    factor = max(math.sqrt(TARGET / size), LEAST_FACTOR)
    better = float(f"{current * factor:.1g}")
    return Reasoned(better, {"size": size, "times": size / TARGET, "factor": 1 / factor})


def default_learning_rate(current: Any, run: Run) -> Any:
    """The trainer's own learning rate where it is 0."""
    return Keep.AS_IS if current else DEFAULT_LEARNING_RATE.get(run.algorithm, 1e-6)


def update_size(run: Run) -> float | None:
    """The largest size of an update that lasted, in nats per token; None where no log says it.

    It is the approximate KL between two policies where that is logged, else what the way from the reference tells: n
    updates of KL δ in one direction move √KL by n √δ at most.
    """
    direct = run.get("approx_kl")
    if direct is not None and len(finite := direct.values[direct.finite]) >= WINDOW:
        return float(_medians(finite, WINDOW).max())
    far = run.get("kl_per_token")
    if far is None or len(finite := far.values[far.finite]) < WINDOW + LEAP:
        return None
    from_the_start = np.concatenate([np.zeros(LEAP), np.sqrt(np.maximum(finite, 0.0))])  # it began at the reference
    way = _medians(from_the_start, LEAP)
    return float(np.max(way[LEAP:] - way[:-LEAP]) / LEAP) ** 2


def usual_kl_weight(current: Any, run: Run) -> Any:
    """A third of the KL penalty; the trainer's own default where even that would be far beyond it."""
    if not is_number(current) or current <= 0:
        return Keep.AS_IS
    usual = USUAL_KL_WEIGHT.get(run.algorithm, math.inf)
    return usual if current > FAR_OFF * usual else float(f"{current / 3:.2g}")


def has_several_rewards(run: Run) -> bool:
    """Whether the run's reward is made of several functions, as its metrics or its settings show."""
    stated = [run.config.get(name) for name in ("reward_funcs", "reward_weights")]
    counts = [len(given) for given in stated if isinstance(given, list | tuple)]
    return max(len(run.functions("reward_func_mean")), *counts, 0) > 1


def weights_without_what_pays(current: Any, run: Run) -> Any:
    """The weights of the reward functions, 0 for the one that pays for marks; as is where it is not one of several."""
    names = list(run.functions("reward_func_mean"))
    weights = list(current) if isinstance(current, list | tuple) and len(current) == len(names) else [1.0] * len(names)
    function = _paying_for_marks(run, names)
    if function is None or not all(map(is_number, weights)):
        return Keep.AS_IS
    better = [0.0 if name == function else weight for name, weight in zip(names, weights, strict=True)]
    return Reasoned(better, {"function": function}) if any(better) else Keep.AS_IS


def functions_that_are_numbers(current: Any, run: Run) -> Any:
    """The reward functions without those that returned something that is no number; as is where none would be left."""
    logged = run.functions("reward_func_mean")
    broken = {name for name, series in logged.items() if not series.finite.all()}
    if not isinstance(current, list | tuple) or len(current) != len(logged) or not 0 < len(broken) < len(logged):
        return Keep.AS_IS
    better = [stated for stated, name in zip(current, logged, strict=True) if name not in broken]
    return Reasoned(better, {"function": ", ".join(sorted(broken))})


def _paying_for_marks(run: Run, names: Sequence[str]) -> str | None:
    """The one of several reward functions whose rewards rank with the share of marks in an answer."""
    if len(names) < 2:
        return None
    tables = run.samples.steps
    for steps in (tables[:TABLES], tables[-TABLES:]):  # first the start: later on all answers may hold the same marks
        ranked = _ranked_with_marks([row for step in steps for row in run.samples.of_training(step)], names)
        paying = [name for name in names if ranked.get(name, 0.0) > PAYS]
        if paying:
            return paying[0] if len(paying) == 1 else None
    return None


def _ranked_with_marks(samples: Sequence[Sample], names: Sequence[str]) -> dict[str, float]:
    """The rank correlation of each function's rewards with the share of marks; empty where too few samples tell."""
    rows = [row for row in samples if row.rewards.keys() >= set(names) and row.response]
    if len(rows) < FEWEST:
        return {}
    marks = np.array([_marks(row) for row in rows])
    return {name: _rank_correlation(np.array([row.rewards[name] for row in rows]), marks) for name in names}


def _marks(sample: Sample) -> float:
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


def _medians(values: Values, window: int) -> Values:
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(values, window), axis=1))
