"""The bottleneck: the stage without which a step would be shortest, and how long it would then take.

A step that does everything in turn takes as long as the sum of its stages. Where rollouts overlap with training it
takes as long as the slower side, and the time that the faster side waits is all that can be gained from the slower one.
A transfer of the weights holds up both.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.time_budget.budget import TimeBudget
from diagnostics.time_budget.stages import GENERATE, OF_ROLLOUTS, OTHER, SCORE, SYNC, WAIT

NEARLY = 0.8  # of the largest gain: a stage with as much holds the run up as well
WORTH_NAMING = 0.05  # of a step: less gain, overlap or tail than that is not told


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What holds a run up.

    share: what it takes of a step; of an overlapping one, the share in which the other side waits for it · without:
    the time of a step without it, as a part of the present one · is_bound: whether `without` is only a bound, as the
    log does not say how far the other side is from being the next · rivals: stages that hold it up nearly as much.
    """

    stage: str
    share: float
    without: float
    is_bound: bool
    rivals: tuple[str, ...]


def bottleneck(budget: TimeBudget) -> Bottleneck | None:
    """The stage without which a step would be shortest; None where no timed stage takes a twentieth of a step."""
    gains = _gains(budget)
    largest = max(gains, key=lambda name: gains[name], default=None)
    if largest is None or not gains[largest] >= WORTH_NAMING:
        return None
    rivals = [name for name, gain in gains.items() if name != largest and gain >= NEARLY * gains[largest]]
    side = OF_ROLLOUTS if budget.is_overlapping else frozenset[str]()
    has_bound = budget.is_overlapping and budget.backpressure is None and largest not in (*side, SYNC)
    return Bottleneck(
        stage=largest,
        share=budget.shares.get(largest, budget.shares.get(WAIT, 0.0)),
        without=1.0 - min(gains[largest], 1.0),
        is_bound=has_bound or budget.overlap >= WORTH_NAMING,
        rivals=tuple(rivals),
    )


def _gains(budget: TimeBudget) -> Mapping[str, float]:
    """How much shorter a step would be without each stage, as a share of it."""
    shares = budget.shares
    own = {name: share for name, share in shares.items() if name not in (WAIT, OTHER)}
    if WAIT not in shares:
        return own
    slack = _slack(budget)
    of_trainer = {name: share if name == SYNC else min(share, slack) for name, share in own.items()}
    return {**{name: min(share, shares[WAIT]) for name, share in _of_rollouts(budget).items()}, **of_trainer}


def _slack(budget: TimeBudget) -> float:
    """By how much a step could shrink until the rollouts hold it up: what these wait for room, where it is logged.

    Where it is not, a trainer that waits has no room to shrink, and one that does not may have any.
    """
    if budget.backpressure is None:
        return 0.0 if budget.shares[WAIT] >= WORTH_NAMING else 1.0
    return budget.mean(budget.backpressure) / budget.mean_step


def _of_rollouts(budget: TimeBudget) -> Mapping[str, float]:
    """What the rollout workers spend their time on, as shares of a step; what is not timed of it is generation."""
    shares = {name: budget.mean(values) / budget.mean_step for name, values in budget.beside.items()}
    return {GENERATE: 1.0 - shares.get(SCORE, 0.0), **shares}
