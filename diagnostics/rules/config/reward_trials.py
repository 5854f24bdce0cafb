"""Scores of the answers that the reward functions were tried on, before the training."""

import math
from collections.abc import Sequence

from diagnostics.model.setup import Setup, Trial


def score_of(trial: Trial) -> float:
    """The score; NaN where the function could not score the answer."""
    return math.nan if trial.score is None else trial.score


def weighted_sums(setup: Setup, trials: Sequence[Trial]) -> list[Trial]:
    """For each answer one trial that holds the weighted sum of all functions."""
    names = list(dict.fromkeys(trial.function for trial in trials))
    given = setup.get("reward_weights")
    values = given.value if given is not None and isinstance(given.value, list | tuple) else ()
    weights = dict(zip(names, values, strict=False)) if len(values) == len(names) else {}
    sums: dict[tuple[str, str, str], float] = {}
    for trial in trials:
        key = (trial.kind, trial.prompt, trial.answer)
        sums[key] = sums.get(key, 0.0) + float(weights.get(trial.function, 1.0)) * score_of(trial)
    return [Trial("", kind, prompt, answer, total) for (kind, prompt, answer), total in sums.items()]
