"""What tells apart causes in the sampling: whether completions are drawn as good as greedily, and since when."""

import numpy as np

from diagnostics.causes.discriminators.shapes import find_break
from diagnostics.detectors.averages import start_level
from diagnostics.detectors.changepoint import Break
from diagnostics.detectors.extremes import extreme
from diagnostics.detectors.greedy import starts_near_greedy
from diagnostics.detectors.rolling import rolling_median
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run

LARGE_UPDATE = 0.1  # nats per token between one policy and the next, where update-too-large is critical
COLLAPSED = 0.3  # of the entropy before, to which near-greedy sampling lowers it at least
SPENT = 0.1  # of the entropy at the start: below it the policy is certain already, and a further fall says nothing
BEFORE = 3  # logged points just before a change
FEW_TOKENS = 10  # of top-k: so few that most of what the policy gives a chance is never sampled
LITTLE_MASS = 0.7  # of top-p
HIGH_FLOOR = 0.2  # of min-p


def sampling_is_cut_off(outcome: Outcome, run: Run) -> bool:
    """Whether the settings keep most of what the policy would say from being sampled."""
    top_k, top_p, min_p = (run.settings.number(name) for name in ("top_k", "top_p", "min_p"))
    keeps_few = top_k is not None and 0 < top_k <= FEW_TOKENS
    return keeps_few or (top_p is not None and 0 < top_p <= LITTLE_MASS) or (min_p is not None and min_p >= HIGH_FLOOR)


def sampling_follows_the_policy(run: Run) -> bool:
    """Whether no setting is known to make samples come from another distribution than the policy's."""
    top_k, top_p, min_p, penalty = (
        run.settings.number(name) for name in ("top_k", "top_p", "min_p", "repetition_penalty")
    )
    cuts = (top_k is not None and top_k > 0, top_p is not None and top_p < 1, bool(min_p))
    return not any(cuts) and penalty in (None, 1.0)


def sampling_is_near_greedy(outcome: Outcome, run: Run) -> bool:
    """Whether sampling is as good as greedy: always, or since the entropy fell at once.

    At a temperature T all log-probabilities are stretched by 1/T, and so is what an update does to them. The effect of
    an update shows in the next batch only. So an entropy that falls in the very batch whose update is the first large
    one fell before that update, and one that falls after large updates is their effect.
    """
    if sampling_was_always_near_greedy(outcome, run):
        return True
    entropy, size = find_break(run.get("entropy_per_token")), find_break(run.get("approx_kl"))
    if entropy is None or not entropy.fell or entropy.after >= COLLAPSED * entropy.before:
        return False
    if entropy.before < SPENT * _first_entropy(run):
        return False
    came_first = size is None or entropy.step <= size.step
    return came_first and not _updates_were_large_before(entropy, run)


def sampling_is_not_greedy(outcome: Outcome, run: Run) -> bool:
    return not sampling_is_near_greedy(outcome, run)


def sampling_was_always_near_greedy(outcome: Outcome, run: Run) -> bool:
    """Whether it was as good as greedy from the start: by the settings, or by the first batches.

    There the tokens were all but certain, and the answers of most groups earned the same. What is scored at such a
    temperature is stretched by its inverse, the KL to the reference among it.
    """
    entropy, dead = run.get("entropy_per_token"), run.get("zero_std_fraction")
    is_certain = entropy is not None and dead is not None and starts_near_greedy(entropy.values, dead.values)
    return run.settings.samples_near_greedily or is_certain


def sampling_had_variety(outcome: Outcome, run: Run) -> bool:
    return not sampling_was_always_near_greedy(outcome, run)


def shows_variety(run: Run) -> bool:
    """Whether the log shows how varied the answers are: by their entropy or by samples."""
    return run.get("entropy_per_token") is not None or bool(run.samples.steps)


def _first_entropy(run: Run) -> float:
    """The median entropy of the first logged points; 0 where none is logged."""
    entropy = run.get("entropy_per_token")
    return 0.0 if entropy is None else max(0.0, start_level(entropy.values, BEFORE))


def _updates_were_large_before(jump: Break, run: Run) -> bool:
    size = run.get("approx_kl")
    if size is None:
        return False
    before = size.values[size.finite & (size.steps < jump.step)]
    just_before = len(before) > 0 and float(np.median(before[-BEFORE:])) > LARGE_UPDATE
    return just_before or extreme(rolling_median(before, BEFORE)) > LARGE_UPDATE
