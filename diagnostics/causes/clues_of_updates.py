"""What tells one cause in the updates, in the sampling or in the leash from another: settings, leaps and breaks."""

import math

import numpy as np

from diagnostics import coldness
from diagnostics.breaks import find_break
from diagnostics.diagnosis import Outcome
from diagnostics.run import Run

TIGHT_CLIP_RANGE = 0.1  # PPO and GRPO use 0.2; below half of it clipping is the rule
START = 5  # logged points that show how a run began
CLIP_PARAMETERS = ("cliprange", "epsilon")
TOO_FAR = 0.1  # nats per token between one policy and the next: where update-too-large is critical
UPDATES_OF_A_LEAP = 3  # one alone may be an outlier token
LEAP = 3.0  # times; an adaptive controller raises the weight by a fifth at most


def clips_tightly(outcome: Outcome, run: Run) -> bool:
    stated = [run.config[name] for name in CLIP_PARAMETERS if isinstance(run.config.get(name), int | float)]
    return any(value < TIGHT_CLIP_RANGE for value in stated)


def clips_as_usual(outcome: Outcome, run: Run) -> bool:
    return not clips_tightly(outcome, run)


def leapt(outcome: Outcome, run: Run) -> bool:
    """Whether so few updates carried the policy so far that each of them was too large.

    KL grows with the square of the way: n updates of KL δ each, all in one direction, move √KL by n √δ at most. With
    one update per generation this is all that shows an update's size, for the probability ratio is then 1 by
    construction. A median over three points keeps a single outlier token from counting.
    """
    series = run.get("kl_per_token")
    if series is None or not series.finite.all() or len(series) < START + UPDATES_OF_A_LEAP:
        return False
    known = np.concatenate([np.zeros(UPDATES_OF_A_LEAP), np.sqrt(np.maximum(series.values, 0.0))])  # it began there
    way = np.median(np.lib.stride_tricks.sliding_window_view(known, 3), axis=1)
    return float(np.max(way[UPDATES_OF_A_LEAP:] - way[:-UPDATES_OF_A_LEAP])) > UPDATES_OF_A_LEAP * math.sqrt(TOO_FAR)


def kl_weight_leapt(outcome: Outcome, run: Run) -> bool:
    """Whether the weight of the KL penalty was raised at once, and by more than an adaptive controller may."""
    left = find_break(run.get("kl_coef"))
    return left is not None and left.after > LEAP * max(left.before, 0.0)


def no_update_before_the_first_point(outcome: Outcome, run: Run) -> bool:
    """Whether the first logged KL was measured before any update: GRPO may log one point for several of them."""
    reused = run.config.get("num_iterations", 1)
    return not isinstance(reused, int) or reused <= 1


def samples_coldly(outcome: Outcome, run: Run) -> bool:
    return coldness.samples_coldly(run)


def samples_turned_cold(outcome: Outcome, run: Run) -> bool:
    return coldness.samples_turned_cold(run)


def samples_as_usual(outcome: Outcome, run: Run) -> bool:
    return not samples_turned_cold(outcome, run)
