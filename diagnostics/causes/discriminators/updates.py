"""What tells apart causes in the updates, the sampling and the KL penalty: settings, jumps and breaks."""

import math

import numpy as np

from diagnostics.detectors.changepoint import find_break
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.traits import greedy_sampling as coldness
from diagnostics.traits.hyperparameters import kl_weight_of, number_of, updates_of_a_generation

TIGHT_CLIP_RANGE = 0.1  # PPO and GRPO use 0.2; below half of it clipping is the rule
START = 5  # logged points that show how a run began
TOO_FAR = 0.1  # nats per token between one policy and the next: where update-too-large is critical
AT_ONCE = 3  # logged points on one side of a change that show how things stood
UPDATES_OF_A_LEAP = 3  # one alone may be an outlier token
LEAP = 3.0  # times; an adaptive controller raises the weight by a fifth at most


def clips_tightly(outcome: Outcome, run: Run) -> bool:
    """Whether the settings state a tight clip range, or what is clipped cannot lie outside of the range they state."""
    stated = _clip_range(run)
    return stated is not None and (stated < TIGHT_CLIP_RANGE or _clips_within(stated, outcome, run))


def clips_as_usual(outcome: Outcome, run: Run) -> bool:
    return not clips_tightly(outcome, run)


def _clips_within(stated: float, outcome: Outcome, run: Run) -> bool:
    """Whether the policy moved too little for its updates to reach out of the stated clip range.

    A share c of tokens whose ratio is beyond 1 + ε makes the KL of an update c ln²(1 + ε) / 2 nats per token at least.
    Updates at right angles to each other add up to the sum of theirs. Noise in the probabilities would be as large, and
    show in the KL to the reference with the first of them.
    """
    clipped, moved = run.get(outcome.metric), run.get("kl_per_token")
    step = outcome.first_step or 0
    if clipped is None or moved is None or not moved.finite.all():
        return False
    before, since = moved.values[moved.steps < step][-START:], moved.values[moved.steps >= step]
    shares = clipped.values[clipped.finite & (clipped.steps >= step)]
    if len(since) < 2 * START or not len(shares):
        return False
    level = float(np.median(before)) if len(before) else 0.0
    least = float(np.median(shares)) * math.log1p(stated) ** 2 / 2
    at_once, in_all = (float(np.median(part)) - level for part in (since[:AT_ONCE], since[-START:]))
    return at_once < least and in_all < least * len(since)


def _clip_range(run: Run) -> float | None:
    return number_of(run, "epsilon")


def has_kl_penalty(run: Run, step: int) -> bool:
    """Whether nothing says that there is no KL penalty: then what pulls a policy away is to be asked for first."""
    logged = run.get("kl_coef")
    known = [] if logged is None else logged.values[logged.finite & (logged.steps <= step)].tolist()
    stated = kl_weight_of(run)
    return all(weight > 0 for weight in known[-1:] or ([] if stated is None else [stated]))


def leapt(outcome: Outcome, run: Run) -> bool:
    """Whether so few updates carried the policy so far that each of them was too large, though it may not have lasted.

    KL grows with the square of the way: n updates of KL δ each, all in one direction, move √KL by n √δ at most. With
    one update per generation this is all that shows an update's size, for the probability ratio is then 1 by
    construction. Where the size itself is logged, it tells. Medians keep outlier tokens from counting: a policy that
    was carried away does not return at once.
    """
    direct = run.get("approx_kl")
    if direct is not None and direct.finite.sum() >= UPDATES_OF_A_LEAP:
        sizes = _medians(direct.values[direct.finite], UPDATES_OF_A_LEAP)
        return float(np.max(sizes)) > TOO_FAR and samples_as_usual(outcome, run)
    series = run.get("kl_per_token")
    if series is None or not series.finite.all() or len(series) < START + UPDATES_OF_A_LEAP:
        return False
    known = np.concatenate([np.zeros(UPDATES_OF_A_LEAP), np.sqrt(np.maximum(series.values, 0.0))])  # it began there
    way = _medians(known, START)
    return float(np.max(way[UPDATES_OF_A_LEAP:] - way[:-UPDATES_OF_A_LEAP])) > UPDATES_OF_A_LEAP * math.sqrt(TOO_FAR)


def _medians(values: Values, window: int) -> Values:
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(values, window), axis=1))


def kl_weight_leapt(outcome: Outcome, run: Run) -> bool:
    """Whether the weight of the KL penalty was raised at once, and by more than an adaptive controller may."""
    left = find_break(run.get("kl_coef"))
    return left is not None and left.after > LEAP * max(left.before, 0.0)


def no_update_before_the_first_point(outcome: Outcome, run: Run) -> bool:
    """Whether the first logged KL was measured before any update: GRPO may log one point for several of them."""
    return updates_of_a_generation(run) == 1


def samples_coldly(outcome: Outcome, run: Run) -> bool:
    return coldness.samples_coldly(run)


def samples_turned_cold(outcome: Outcome, run: Run) -> bool:
    """Whether sampling is as good as greedy, and the entropy did not fall behind updates that were too large already.

    What an update does shows in the next batch: an entropy that fell behind large ones is what they left of it.
    """
    fell, size = find_break(run.get("entropy_per_token")), run.get("approx_kl")
    if fell is None or size is None or coldness.samples_coldly(run):
        return coldness.samples_turned_cold(run)
    before = size.values[size.finite & (size.steps < fell.step)][-AT_ONCE:]
    were_large = len(before) > 0 and float(np.median(before)) > TOO_FAR
    return not were_large and coldness.samples_turned_cold(run)


def samples_as_usual(outcome: Outcome, run: Run) -> bool:
    return not samples_turned_cold(outcome, run)
