"""The layouts that are simulated: how a training is put together, and how long its stages take."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

Kind = Literal["in turn", "in turn, grader inside", "overlapping", "overlapping, slow grader", "nearly equal"]
KINDS: tuple[Kind, ...] = (
    "in turn",
    "in turn, grader inside",
    "overlapping",
    "overlapping, slow grader",
    "nearly equal",
)
FREE = 1e-6
"""What a removed stage still takes: nothing that anybody would notice."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A training. Times are in seconds.

    per_token: of one token of a batch that is decoded together · grader: of one answer · tail: deviation of the
    logarithm of lengths · workers: rollout workers beside the trainer; 0 where they take turns · groups: groups of
    answers that a step trains on · capacity: groups that the queue holds · every: steps from one sync to the next.
    """

    kind: Kind
    per_token: float
    grader: float
    reference: float
    update: float
    sync: float
    every: int
    length: float
    tail: float
    answers: int
    workers: int
    groups: int
    capacity: int
    logs_backpressure: bool = True
    jitter: float = 0.03

    @property
    def is_overlapping(self) -> bool:
        return self.workers > 0

    @property
    def has_grader_inside(self) -> bool:
        return self.kind == "in turn, grader inside"

    def without(self, stage: str) -> "Layout":
        """The same training with one stage that takes no time."""
        removed: Mapping[str, Mapping[str, float]] = {
            "generate": {"per_token": FREE, **({"grader": FREE} if self.has_grader_inside else {})},
            "score": {"grader": FREE},
            "reference": {"reference": FREE},
            "update": {"update": FREE},
            "sync": {"sync": FREE},
        }
        return replace(self, **removed[stage])

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that its log times apart."""
        scored = () if self.has_grader_inside else ("score",)
        return ("generate", *scored, "reference", "update", "sync")


def random_layout(generator: np.random.Generator, kind: Kind) -> Layout:
    """A layout of a kind: times of several orders of magnitude, light and heavy tails."""
    overlaps = kind not in ("in turn", "in turn, grader inside")
    slow_grader = "grader" in kind
    length, answers = float(generator.uniform(200, 2000)), int(generator.choice([16, 32, 64]))
    workers, groups = int(generator.integers(2, 9)), int(generator.integers(4, 17))
    per_token = _spread(generator, 0.0003, 0.01)
    layout = Layout(
        kind=kind,
        per_token=per_token,
        grader=_spread(generator, 0.5, 8.0) * per_token * length if slow_grader else _spread(generator, 0.001, 0.05),
        reference=_spread(generator, 0.2, 3.0),
        update=_spread(generator, 1.0, 60.0),
        sync=_spread(generator, 0.1, 20.0),
        every=int(generator.choice([1, 2, 4])),
        length=length,
        tail=float(generator.uniform(0.1, 1.0)),
        answers=answers,
        workers=workers if overlaps else 0,
        groups=groups if overlaps else 1,
        capacity=int(groups * generator.integers(1, 5)),
        logs_backpressure=bool(generator.uniform() < 0.8),
    )
    return layout if kind != "nearly equal" else _balanced(layout, generator)


def _spread(generator: np.random.Generator, low: float, high: float) -> float:
    """A number between two bounds, as likely to be near either by orders of magnitude."""
    return float(np.exp(generator.uniform(np.log(low), np.log(high))))


def _balanced(layout: Layout, generator: np.random.Generator) -> Layout:
    """The layout with an update about as long as the rollouts of a step take."""
    longest = layout.length * np.exp(layout.tail * 2.0)
    rollouts = layout.groups * (layout.per_token * longest + layout.grader) / layout.workers
    return replace(layout, update=max(rollouts * float(generator.uniform(0.9, 1.1)) - layout.reference, 0.5))
