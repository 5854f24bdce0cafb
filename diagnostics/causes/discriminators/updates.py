"""What tells apart causes in the updates: the clip range, and how far a few updates moved the policy."""

import math

import numpy as np

from diagnostics.causes.discriminators.sampling import sampling_is_not_greedy
from diagnostics.causes.discriminators.shapes import find_break
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Values

TIGHT_CLIP_RANGE = 0.1  # half of the usual 0.2 of PPO and GRPO; below it clipping is the rule
START = 5  # logged points that show the start of a run
SOON = 3  # logged points just after a change
LARGE_UPDATE = 0.1  # nats per token between one policy and the next, where update-too-large is critical
UPDATES_OF_A_JUMP = 3  # one alone may be an outlier token
WEIGHT_JUMP = 3.0  # times; an adaptive controller raises the weight by a fifth at most


def clip_range_is_tight(outcome: Outcome, run: Run) -> bool:
    """Whether the settings state a tight clip range, or the clipped tokens cannot lie outside the stated one."""
    stated = run.settings.number("epsilon")
    return stated is not None and (stated < TIGHT_CLIP_RANGE or _moves_within(stated, outcome, run))


def clip_range_is_usual(outcome: Outcome, run: Run) -> bool:
    return not clip_range_is_tight(outcome, run)


def _moves_within(clip_range: float, outcome: Outcome, run: Run) -> bool:
    """Whether the policy moved too little for its updates to leave the clip range.

    A share c of tokens whose ratio is beyond 1 + ε makes the KL of an update at least c ln²(1 + ε) / 2 nats per token.
    The KL of orthogonal updates adds up. Noise in the probabilities would be as large, and show in the KL to the
    reference with the first of them.
    """
    clipped, kl = run.get(outcome.metric), run.get("kl_per_token")
    step = outcome.first_step or 0
    if clipped is None or kl is None or not kl.finite.all():
        return False
    before, since = kl.values[kl.steps < step][-START:], kl.values[kl.steps >= step]
    shares = clipped.values[clipped.finite & (clipped.steps >= step)]
    if len(since) < 2 * START or not len(shares):
        return False
    level = float(np.median(before)) if len(before) else 0.0
    least = float(np.median(shares)) * math.log1p(clip_range) ** 2 / 2
    soon, in_all = (float(np.median(part)) - level for part in (since[:SOON], since[-START:]))
    return soon < least and in_all < least * len(since)


def policy_jumped(outcome: Outcome, run: Run) -> bool:
    """Whether three updates moved the policy so far that each of them was too large, even if it came back later.

    Where the size of updates is logged, that decides. Else the KL to the reference does: it grows with the square of
    the distance, so n updates of KL δ each move √KL by n √δ at most. With one update per generation nothing else shows
    their size, because the probability ratio is then 1 by construction. Medians keep outlier tokens from counting: a
    policy that was carried away does not return at once.
    """
    size = run.get("approx_kl")
    if size is not None and size.finite.sum() >= UPDATES_OF_A_JUMP:
        largest = float(np.max(_rolling_medians(size.values[size.finite], UPDATES_OF_A_JUMP)))
        return largest > LARGE_UPDATE and sampling_is_not_greedy(outcome, run)
    kl = run.get("kl_per_token")
    if kl is None or not kl.finite.all() or len(kl) < START + UPDATES_OF_A_JUMP:
        return False
    from_reference = np.zeros(UPDATES_OF_A_JUMP)  # every run starts there
    distance = _rolling_medians(np.concatenate([from_reference, np.sqrt(np.maximum(kl.values, 0.0))]), START)
    moved = distance[UPDATES_OF_A_JUMP:] - distance[:-UPDATES_OF_A_JUMP]
    return float(np.max(moved)) > UPDATES_OF_A_JUMP * math.sqrt(LARGE_UPDATE)


def _rolling_medians(values: Values, window: int) -> Values:
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(values, window), axis=1))


def first_point_precedes_updates(outcome: Outcome, run: Run) -> bool:
    """Whether the first logged KL was measured before any update: GRPO may log one point for several of them."""
    return run.settings.updates_per_generation == 1


def has_kl_penalty(run: Run, step: int) -> bool:
    """Whether nothing says that there is no KL penalty: then something else pulls the policy away."""
    logged = run.get("kl_coef")
    known = [] if logged is None else logged.values[logged.finite & (logged.steps <= step)].tolist()
    stated = run.settings.kl_weight
    return all(weight > 0 for weight in known[-1:] or ([] if stated is None else [stated]))


def kl_weight_jumped(outcome: Outcome, run: Run) -> bool:
    """Whether the weight of the KL penalty was raised at once, and by more than an adaptive controller may."""
    jump = find_break(run.get("kl_coef"))
    return jump is not None and jump.after > WEIGHT_JUMP * max(jump.before, 0.0)
