"""Signs of where a policy is: far from its start, still there, or held near it."""

import numpy as np

from diagnostics.causes.discriminators.updates import HEAVY_PENALTY, kl_weight
from diagnostics.detectors.stillness import change_of_level
from diagnostics.model.distances import distance_of_answers, level_at_the_end
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run

START = 5  # logged points that show the start of a run, or its end
FAR = 0.2  # nats per token from the reference: as far as healthy public runs end
AT_REST = 0.05  # nats per answer: a KL below it may be what two engines or rounding make
NEAR = 1e-3  # nats per token; healthy trainings of TRL were farther away after 20 steps
NEARBY = 1e-2  # nats per token: ten times as much
GROWN = 1.2  # times: even of a walk at random the KL is three times as large after three times the steps
PARTS = 4  # of a run: the first and the last are compared
AWAY = 0.5  # nats per answer: there a policy that follows its reward has gained √(2 · 0.5) deviations of it
FREE = 5.0  # nats per answer: ten times as far, and no penalty holds it
MOVED = 0.2  # of its entropy at the start: twice what a policy that stands still may seem to move
CHANCE = 3.0  # standard errors of the difference of two means


def policy_has_moved(run: Run) -> bool:
    """Whether KL or entropy shows that the policy is not what it was."""
    return bool(is_far(run)) or entropy_has_changed(run)


def policy_is_at_its_start(outcome: Outcome, run: Run) -> bool:
    """Whether the KL is so small that no answer can be much likelier now; or small, and free, and does not grow."""
    of_token, of_answer = level_at_the_end(run.get("kl_per_token")), distance_of_answers(run)
    is_near = of_token is not None and abs(of_token) <= NEAR
    is_at_rest = of_answer is not None and abs(of_answer) <= AT_REST
    return is_near or is_at_rest or (_stays_near(run) and not policy_is_held_back(outcome, run))


def _stays_near(run: Run) -> bool:
    """Whether a small KL is no larger at the end than soon after the start, and nor do answers get longer or shorter.

    Updates that go anywhere add up.
    """
    lengths = run.get("length_mean")
    change = change_of_level(lengths.values) if lengths is not None else None
    if change is not None and change.is_proven:
        return False
    kl = run.get("kl_per_token")
    known = np.zeros(0) if kl is None else kl.values[kl.finite]
    part = len(known) // PARTS
    if part < 2 * START:
        return False
    soon, late = float(np.median(known[START : START + part])), float(np.median(known[-part:]))
    return 0 < late <= min(NEARBY, GROWN * soon)


def is_far(run: Run) -> bool | None:
    """Whether the KL shows that the policy has gone far from its start; None where none is logged."""
    of_token, of_answer = level_at_the_end(run.get("kl_per_token")), distance_of_answers(run)
    if of_token is None and of_answer is None:
        return None
    return (of_token or 0.0) >= FAR or (of_answer or 0.0) >= AWAY


def entropy_has_changed(run: Run) -> bool:
    """Whether the entropy has left its start by more than a policy that stands still may seem to."""
    entropy = run.get("entropy_per_token")
    change = change_of_level(entropy.values) if entropy is not None else None
    return change is not None and change.is_proven and abs(change.after - change.before) >= MOVED * change.before


def policy_is_held_back(outcome: Outcome, run: Run) -> bool:
    """Whether a reward stayed flat because something keeps the policy near the reference."""
    return outcome.message.template == "reward-not-improving.flat" and is_kept_near(run)


def is_kept_near(run: Run) -> bool:
    """Whether something keeps the policy near the reference, and updates do move it.

    Its KL has left its first value, and has neither grown since nor come near what a gain would take. A known KL
    penalty is heavy enough for that: against scores that spread by s, one of weight w lets a policy go s² / 2w² nats
    away.
    """
    kl, away = run.get("kl_per_token", "kl_per_sequence"), distance_of_answers(run)
    change = change_of_level(kl.values) if kl is not None else None
    if kl is None or change is None or away is None:
        return False
    has_left = kl.values[0] < change.after / 2 and change.after > CHANCE * change.error
    has_grown = change.is_proven and change.after > change.before
    return bool(has_left) and not has_grown and AT_REST < away < AWAY and not _penalty_is_too_light(run)


def kl_penalty_holds_it(outcome: Outcome, run: Run) -> bool:
    """Whether a policy that stands still may be held by its KL penalty: one many times as heavy as usual.

    Where it moves a little for long, it is held if its KL does not grow.
    """
    if outcome.message.template == "policy-hardly-moves.slow":
        return is_kept_near(run)
    weight = kl_weight(run)
    is_still = outcome.message.template in ("policy-hardly-moves.still", "policy-hardly-moves.near")
    return is_still and weight is not None and weight >= HEAVY_PENALTY


def kl_penalty_is_usual(outcome: Outcome, run: Run) -> bool:
    return not kl_penalty_holds_it(outcome, run)


def _penalty_is_too_light(run: Run) -> bool:
    """Whether the KL penalty is known, and lets a policy that follows its reward go far."""
    weight, spread = kl_weight(run), run.get("score_std", "reward_std")
    if weight is None or spread is None or not spread.finite.any():
        return False
    return float(np.median(spread.values[spread.finite])) ** 2 > 2 * weight**2 * FREE
