"""The learning rate that a run asks for: how far its updates went, against how far one should go."""

import math
from typing import Any

import numpy as np

from diagnostics.causes.discriminators.shapes import medians_of_windows, steps_between_points
from diagnostics.causes.remedies.remedy import Keep, Suggestion
from diagnostics.causes.remedies.suggestions import is_number, multiply_by
from diagnostics.model.run import Run

TARGET = 0.01  # nats per token: the classic target KL of one update
LEAST_FACTOR = 1e-3  # of the learning rate; the measured sizes tell nothing beyond it
UPDATES = 3  # over which a distance is measured, so that a single outlier token does not count
WINDOW = 5  # logged points of a running median
TINY = 1e-8  # at or below it no weight moves, as policy-hardly-moves has it
DEFAULT_LEARNING_RATE = {"ppo": 3e-6, "ppo-legacy": 1.41e-5}  # TRL's own; that of its other trainers is 1e-6


def fitted_learning_rate(current: Any, run: Run) -> Any:
    """The learning rate at which an update goes as far as the target; as is where sizes are unknown or usual.

    The KL of an update grows with the square of its length, and its length with the learning rate.
    """
    size = update_size(run)
    if not is_number(current) or current <= 0 or size is None or size <= TARGET:
        return Keep.AS_IS
    factor = max(math.sqrt(TARGET / size), LEAST_FACTOR)
    better = float(f"{current * factor:.1g}")
    return Suggestion(better, {"size": size, "times": size / TARGET, "factor": 1 / factor})


def default_learning_rate(current: Any, run: Run) -> Any:
    """The trainer's own learning rate where it is 0, or so small that it moves nothing."""
    is_enough = is_number(current) and current > TINY
    return Keep.AS_IS if is_enough else DEFAULT_LEARNING_RATE.get(run.algorithm, 1e-6)


def lower_value_learning_rate(current: Any, run: Run) -> Any:
    """A third of the value model's learning rate, which is the policy's where it has none of its own."""
    rate = run.settings.number("learning_rate") if current is None else current
    return multiply_by(1 / 3)(rate, run)


def has_one_learning_rate(run: Run) -> bool:
    """Whether nothing says that the value model has a learning rate of its own."""
    return not run.settings.argument("value_learning_rate") and run.get("value_learning_rate") is None


def logged_learning_rate(run: Run) -> Any:
    """The highest learning rate that was logged, as `_highest_logged` has it."""
    return _highest_logged(run, "learning_rate")


def logged_value_learning_rate(run: Run) -> Any:
    """The same of the value model."""
    return _highest_logged(run, "value_learning_rate")


def _highest_logged(run: Run, metric: str) -> Any:
    """The highest value that was logged; None where none was, or where it still rises: that is the warm-up."""
    rate = run.get(metric)
    known = rate.values[rate.finite] if rate is not None else np.zeros(0)
    still_rises = len(known) > 0 and known[-1] > known[len(known) // 2]
    return None if still_rises or not len(known) else float(f"{known.max():.3g}")


def update_size(run: Run) -> float | None:
    """The largest sustained size of an update, in nats per token; None where no log says it.

    It is the approximate KL between two policies where that is logged, else follows from the KL to the reference: n
    updates of KL δ in one direction move √KL by n √δ at most. An update is a step here.
    """
    size = run.get("approx_kl")
    if size is not None and len(finite := size.values[size.finite]) >= WINDOW:
        return float(medians_of_windows(finite, WINDOW).max())
    kl = run.get("kl_per_token")
    if kl is None or len(finite := kl.values[kl.finite]) < WINDOW + UPDATES:
        return None
    distance = np.concatenate([np.zeros(UPDATES), np.sqrt(np.maximum(finite, 0.0))])  # a run starts at the reference
    medians, updates = medians_of_windows(distance, UPDATES), UPDATES * steps_between_points(kl)
    return float(np.max(medians[UPDATES:] - medians[:-UPDATES]) / updates) ** 2
