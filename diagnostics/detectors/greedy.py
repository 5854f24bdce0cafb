"""Near-greedy sampling: from the first points on tokens are all but certain, and most groups earn the same."""

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.averages import start_level

START = 5  # logged points that show the start of a run
DETERMINISTIC = 0.03  # nats per token: the likeliest token has 99 % or more
VARIED = 0.1  # nats per token: a first batch of so much was not drawn greedily, whatever followed
DEAD = 0.5  # of the groups, whose answers all earn the same


def starts_near_greedy(entropy_per_token: Values, zero_std_fraction: Values) -> bool:
    """Whether a run was sampled as good as greedily from its start; False where either is not known there."""
    is_certain = start_level(entropy_per_token, START) < DETERMINISTIC
    was_varied = start_level(entropy_per_token, points=1) >= VARIED
    return is_certain and not was_varied and start_level(zero_std_fraction, START) >= DEAD
