"""What tells apart causes in the sampling: whether completions are drawn as good as greedily, and since when."""

import numpy as np

from diagnostics.causes.discriminators.shapes import find_break
from diagnostics.detectors.changepoint import Break
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run

LARGE_UPDATE = 0.1  # nats per token, where update-too-large is critical
COLLAPSED = 0.3  # of the entropy before, to which near-greedy sampling lowers it at least
BEFORE = 3  # logged points just before a change


def temperature_is_near_zero(outcome: Outcome, run: Run) -> bool:
    return run.settings.samples_near_greedily


def sampling_is_near_greedy(outcome: Outcome, run: Run) -> bool:
    """Whether sampling is as good as greedy: by the settings, or since the entropy fell at once.

    At a temperature T all log-probabilities are stretched by 1/T, and so is what an update does to them. The effect of
    an update shows in the next batch only. So an entropy that falls in the very batch whose update is the first large
    one fell before that update, and one that falls after large updates is their effect.
    """
    if run.settings.samples_near_greedily:
        return True
    entropy, size = find_break(run.get("entropy_per_token")), find_break(run.get("approx_kl"))
    if entropy is None or not entropy.fell or entropy.after >= COLLAPSED * entropy.before:
        return False
    came_first = size is None or entropy.step <= size.step
    return came_first and not _updates_were_large_before(entropy, run)


def sampling_is_not_greedy(outcome: Outcome, run: Run) -> bool:
    return not sampling_is_near_greedy(outcome, run)


def _updates_were_large_before(jump: Break, run: Run) -> bool:
    size = run.get("approx_kl")
    if size is None:
        return False
    before = size.values[size.finite & (size.steps < jump.step)][-BEFORE:]
    return len(before) > 0 and float(np.median(before)) > LARGE_UPDATE
