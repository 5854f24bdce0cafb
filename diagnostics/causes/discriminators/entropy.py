"""What tells noise from a mere rise of the entropy: where it began, and over which tokens it is taken."""

from collections.abc import Collection

import numpy as np

from diagnostics.causes.discriminators.length_changes import length_limit_was_lowered
from diagnostics.causes.discriminators.shapes import find_break, hard_maximum, medians_of_windows
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run

WINDOW = 5  # logged points of a median: the level at the start, and since
SAME_CHANGE = 1  # steps between two breaks that one change causes
HOT = 1.5  # sampling temperature, as pf-temp-high


def entropy_exceeds_its_start(outcome: Outcome, run: Run) -> bool:
    """Whether the entropy stayed above what it was at the start of the run, over answers that were not cut shorter.

    A policy that trained well has lost much of its entropy. Where some of that comes back, it is no noise.
    """
    entropy = run.get("entropy_per_token")
    if entropy is None or not _is_over_the_same_tokens(run):
        return False
    values, since = entropy.values[entropy.finite], entropy.steps[entropy.finite] >= (outcome.first_step or 0)
    if len(values) < WINDOW or since.sum() < WINDOW:
        return False
    levels = medians_of_windows(values[since], WINDOW)
    return float(levels.max()) > float(np.median(values[:WINDOW]))


def temperature_makes_noise(outcome: Outcome, run: Run) -> bool:
    """Whether it is the stated sampling temperature, from the first points on."""
    return outcome.message.template == "entropy-explosion.hot"


def temperature_is_high(run: Run, rules: Collection[str]) -> bool:
    """Whether the settings state a temperature at which answers soon turn to noise."""
    return (run.settings.number("temperature") or 0.0) > HOT


def temperature_is_usual(outcome: Outcome, run: Run) -> bool:
    """Whether no temperature is stated that makes answers noise, of which a policy learns little."""
    return not temperature_is_high(run, ())


def _is_over_the_same_tokens(run: Run) -> bool:
    """Whether no lowered limit comes with the entropy's break: the mean over first tokens alone differs by itself."""
    limit = hard_maximum(run.get("length_max")) if length_limit_was_lowered(run) else None
    jump = find_break(run.get("entropy_per_token"))
    return limit is None or jump is None or abs(jump.step - limit.step) > SAME_CHANGE
