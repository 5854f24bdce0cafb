"""What tells apart causes in the updates: the clip range, and how far a few updates moved the policy."""

import dataclasses
import math

import numpy as np

from diagnostics.causes.discriminators.sampling import (
    LARGE_UPDATE,
    sampling_had_variety,
    sampling_is_near_greedy,
    sampling_was_always_near_greedy,
)
from diagnostics.causes.discriminators.shapes import find_break, medians_of_windows, steps_between_points
from diagnostics.detectors.extremes import extreme, finite_range
from diagnostics.last_words import NOT_FINITE, kind_of, leading_sign
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.loss_weight import kl_weight_in_loss
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Steps, Values

TIGHT_CLIP_RANGE = 0.1  # half of the usual 0.2 of PPO and GRPO; below it clipping is the rule
START = 5  # logged points that show the start of a run
SOON = 3  # logged points just after a change
ROUNDING = 1e-6  # nats per token: a smaller size of every update is none
UPDATES_OF_A_JUMP = 3  # one alone may be an outlier token
HEAVY_PENALTY = 1.0  # twenty times the usual weight of the KL of 0.04 to 0.05
GREW = 2.0  # times its first value
OUTWEIGHS = 3.0  # times the score: what its differences say is lost in the penalty's own noise
MANY_UPDATES = 16  # per batch: PPO's usual four passes over four mini-batches
EXTREME_RATE = 0.01  # learning rate; models of a million parameters learn at a tenth of it at most
OF_ARITHMETIC = ("ValueError", "RuntimeError", "ZeroDivisionError", "OverflowError", "FloatingPointError")
LAST = 20  # logged steps before an ending in which numbers that broke explain it
WEIGHT_JUMP = 3.0  # times; an adaptive controller raises the weight by a fifth at most


def clip_range_is_tight(outcome: Outcome, run: Run) -> bool:
    """Whether the settings state a tight clip range, or the clipped tokens cannot lie outside the stated one."""
    stated = run.settings.number("epsilon")
    return stated is not None and (stated < TIGHT_CLIP_RANGE or _moves_within(stated, outcome, run))


def updates_leave_the_clip_range(outcome: Outcome, run: Run) -> bool:
    """Whether clipped tokens may show large updates: the range is usual, and the policy does not stay where it began.

    A share that is counted while every KL to the reference is rounding was not measured of updates.
    """
    return not clip_range_is_tight(outcome, run) and not _never_moved(run)


def _never_moved(run: Run) -> bool:
    kl = run.get("kl_per_token", "kl_per_sequence")
    known = np.zeros(0) if kl is None else kl.values[kl.finite]
    return len(known) >= 2 * START and float(np.abs(known).max()) <= ROUNDING


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


def kl_weight_grew_heavy(outcome: Outcome, run: Run) -> bool:
    """Whether a controller has raised the weight of the KL penalty from a usual one to many times as much.

    The KL has to be known: against one that runs away a controller is right to do so.
    """
    weight = run.get("kl_coef")
    if weight is None or not weight.finite.any() or run.get("kl_per_sequence", "kl_per_token") is None:
        return False
    values = weight.values[weight.finite]
    return bool(values[0] < HEAVY_PENALTY <= values[-1])


def penalty_came_first(outcome: Outcome, run: Run) -> bool:
    """Whether the KL penalty outweighed the score before the policy went far: then the penalty's noise drives it.

    One answer's KL is estimated from its tokens and has either sign. A penalty many times as large as what the score
    can say makes that noise the reward.
    """
    load = _penalty_over_score(run)
    if load is None:
        return False
    steps, times = load
    before = times[steps < (outcome.first_step or 0)][-START:]
    return len(before) >= SOON and float(np.median(before)) >= OUTWEIGHS


def penalty_was_light(outcome: Outcome, run: Run) -> bool:
    return not penalty_came_first(outcome, run)


def kl_grew_under_a_light_penalty(outcome: Outcome, run: Run) -> bool:
    return kl_grew(outcome, run) and penalty_was_light(outcome, run)


def penalty_outweighs_the_score(run: Run) -> bool:
    """Whether for some steps the KL penalty was many times as large as the score, or as what answers differ by."""
    load = _penalty_over_score(run)
    return load is not None and len(load[1]) >= START and float(medians_of_windows(load[1], START).max()) >= OUTWEIGHS


def heavy_weight_is_known(outcome: Outcome, run: Run) -> bool:
    """Whether the weight is known to leave no room and to be many times the usual one, whatever the rewards.

    Nothing in a run brings a setting about.
    """
    is_by_weight = outcome.message.template.endswith((".bound", ".heavy", ".allows"))
    return is_by_weight and (kl_weight(run) or 0.0) >= HEAVY_PENALTY


def _penalty_over_score(run: Run) -> tuple[Steps, Values] | None:
    """Where both are known: the steps (N,), and (N,) the penalty in units of the score's size or spread, the larger."""
    score, spread = run.get("score", "reward"), run.get("score_std", "reward_std")
    penalty, kl, weight = run.get("non_score_reward"), run.get("kl_per_sequence"), run.get("kl_coef")
    if score is None:
        return None
    if penalty is not None:
        penalty, score = at_common_steps(penalty, score)
        cost = -penalty.values
    elif kl is not None and weight is not None:
        kl, weight, score = at_common_steps(kl, weight, score)
        cost = kl.values * weight.values
    else:
        return None
    size = np.abs(score.values)
    if spread is not None and spread.finite.any():
        size = np.maximum(size, float(np.median(spread.values[spread.finite])))
    is_known = np.isfinite(cost) & np.isfinite(size) & (size > 0)
    return score.steps[is_known], cost[is_known] / size[is_known]


def kl_weight(run: Run) -> float | None:
    """The weight of the KL penalty: as stated, else as logged, else as GRPO's loss shows it; None where none does."""
    stated, used = run.settings.kl_weight, run.get("kl_coef")
    if stated is not None:
        return stated
    if used is not None and used.finite.any():
        return float(np.median(used.values[used.finite]))
    return kl_weight_in_loss(run) if run.algorithm == "grpo" else None


def never_changes(outcome: Outcome, run: Run) -> bool:
    """Whether a policy that is not updated is so at every point: in between, others say what is wrong."""
    return not outcome.message.template.endswith("_mostly")


def policy_jumped(outcome: Outcome, run: Run) -> bool:
    """Whether three updates moved the policy so far that each of them was too large, even if it came back later.

    Where the size of updates is logged, that decides, unless it is measured before the only update on the same answers
    and so 0. Else the KL to the reference does: it grows with the square of the distance, so n updates of KL δ each
    move √KL by n √δ at most, where n counts the steps between the logged points. With one update per generation nothing
    else shows their size, because the probability ratio is then 1 by construction. Medians keep outlier tokens from
    counting: a policy that was carried away does not return at once.
    """
    size = run.get("approx_kl")
    is_zero = size is not None and extreme(size.values) <= ROUNDING
    if size is not None and size.finite.sum() >= UPDATES_OF_A_JUMP and not is_zero:
        largest = float(np.max(medians_of_windows(size.values[size.finite], UPDATES_OF_A_JUMP)))
        return largest > LARGE_UPDATE and not sampling_is_near_greedy(outcome, run)
    kl = run.get("kl_per_token") or (_least_kl_per_token(run) if is_zero else None)
    is_long_enough = kl is not None and kl.finite.all() and len(kl) >= START + UPDATES_OF_A_JUMP
    if kl is None or not is_long_enough or sampling_was_always_near_greedy(outcome, run):
        return False
    logged = np.sqrt(np.maximum(kl.values, 0.0))
    is_untrained = int(kl.steps[0]) <= 1 and run.settings.updates_per_generation == 1
    is_untrained = is_untrained and Quirk.COUNTS_ROWS not in run.quirks
    start = np.full(UPDATES_OF_A_JUMP, logged[0] if is_untrained else 0.0)  # no update made what is there before them
    distance = medians_of_windows(np.concatenate([start, logged]), START)
    moved = distance[UPDATES_OF_A_JUMP:] - distance[:-UPDATES_OF_A_JUMP]
    is_far = float(np.max(moved)) > UPDATES_OF_A_JUMP * steps_between_points(kl) * math.sqrt(LARGE_UPDATE)
    return is_far and not _answers_merely_shrank(run, int(kl.steps[int(np.argmax(moved))]))


def _least_kl_per_token(run: Run) -> Series | None:
    """The least that the KL to the reference can be in nats per token, where that of answers is known."""
    whole, longest = run.get("kl_per_sequence"), run.settings.number("max_tokens")
    return dataclasses.replace(whole, values=whole.values / longest) if whole is not None and longest else None


def jump_is_grave(outcome: Outcome, run: Run) -> bool:
    """Whether a jump is critical whatever the rule says: not where it takes a distance that is worth a note for one."""
    return policy_jumped(outcome, run) and (run.get("approx_kl") is not None or outcome.severity is not Severity.INFO)


def _answers_merely_shrank(run: Run, step: int) -> bool:
    """Whether the KL of whole answers fell where that of a token rose: few tokens are left, among them the end."""
    kl, length = run.get("kl_per_token"), run.get("length_mean")
    if kl is None or length is None:
        return False
    kl, length = at_common_steps(kl, length)
    steps, whole = kl.steps, kl.values * length.values
    before, since = whole[steps <= step][-START:], whole[steps > step + UPDATES_OF_A_JUMP][:START]
    return len(before) > 0 and len(since) > 0 and float(np.median(since)) < float(np.median(before))


def kl_grew(outcome: Outcome, run: Run) -> bool:
    """Whether training took the policy far from the reference: the KL grew beyond what the first step had already.

    Nor is it far where sampling was always near greedy: there the KL is stretched.
    """
    kl = run.get(outcome.metric)
    if kl is None or outcome.measured is None or int(kl.steps[0]) > 1:
        return sampling_had_variety(outcome, run)
    return sampling_had_variety(outcome, run) and not outcome.measured < GREW * kl.values[0]


def batches_are_used_often(outcome: Outcome, run: Run) -> bool:
    """Whether the settings state many updates on the same answers: the last of them act on a policy that is gone."""
    return run.settings.updates_per_generation >= MANY_UPDATES


def learning_rate_is_extreme(outcome: Outcome, run: Run) -> bool:
    """Whether a logged learning rate is beyond what any transformer learns at with Adam, and the finding is grave."""
    rate = run.get("learning_rate")
    is_grave = outcome.severity is Severity.CRITICAL
    return is_grave and rate is not None and finite_range(rate.values)[1] >= EXTREME_RATE


def size_of_single_updates_shows(run: Run) -> bool:
    """Whether the log shows how far one update moves the policy: its size, or the KL after every step."""
    kl = run.get("kl_per_token", "kl_per_sequence")
    return run.get("approx_kl") is not None or (kl is not None and steps_between_points(kl) <= 1)


def update_was_huge(outcome: Outcome, run: Run) -> bool:
    """Whether updates reached the size at which they carry a policy away by themselves, whether or not it did harm."""
    return any(item.limit is not None and item.limit >= LARGE_UPDATE for item in outcome.episodes)


def first_point_precedes_updates(outcome: Outcome, run: Run) -> bool:
    """Whether the first logged KL was measured before any update: a point may stand for several of them."""
    is_first = outcome.first_step is not None and outcome.first_step <= 1 and Quirk.COUNTS_ROWS not in run.quirks
    return is_first and run.settings.updates_per_generation == 1


def states_dropout(run: Run) -> bool:
    """Whether the settings say whether dropout is on."""
    return run.settings.get("disable_dropout") is not None


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


def numbers_ended_it(outcome: Outcome, run: Run) -> bool:
    """Whether the error that ended the run says that its numbers were NaN or infinite."""
    return kind_of(run) == NOT_FINITE


def something_else_ended_it(outcome: Outcome, run: Run) -> bool:
    return not died_of_its_numbers(run)


def died_of_its_numbers(run: Run) -> bool:
    """Whether the run ended because its numbers were not finite, or soon after a NaN with an error of arithmetic."""
    if kind_of(run) == NOT_FINITE:
        return True
    is_arithmetic = (run.status.error or "").startswith(OF_ARITHMETIC)
    if not is_arithmetic or leading_sign(run) is not None or not len(run.steps):
        return False
    since = run.steps[-LAST:][0]
    return any((series.steps[~series.finite] >= since).any() for series in run.series.values())
