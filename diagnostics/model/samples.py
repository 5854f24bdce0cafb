"""Sampled completions of a policy, step by step."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled completion. `terminated` is False where it was cut off, None where the log does not say."""

    step: int
    query: str
    response: str
    score: float | None = None
    rewards: Mapping[str, float] = field(default_factory=dict)
    advantage: float | None = None
    terminated: bool | None = None
    length: int | None = None  # tokens
    group: int | None = None  # samples of one prompt at one step share it
    split: str = "train"  # "eval" for a held-out prompt
    followed: bool = False  # its prompt is one of the few that are sampled at regular steps
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Samples:
    """The sampled completions of a run, read from disk one step at a time. `steps` are increasing.

    `memo` holds what sample rules derived from the samples; None where these may still change.
    """

    steps: tuple[int, ...] = ()
    load: Callable[[int], tuple[Sample, ...]] = lambda step: ()
    followed_steps: tuple[int, ...] = ()  # those with samples of the followed prompts
    memo: dict[Hashable, Any] | None = field(default=None, compare=False)

    def at(self, step: int) -> tuple[Sample, ...]:
        """All samples of one step, in file order; empty for a step without samples."""
        return self.load(step) if self.has(step) else ()

    def of_training(self, step: int) -> tuple[Sample, ...]:
        """The samples of one step without held-out prompts: those may be sampled greedily and scored by others."""
        return tuple(sample for sample in self.at(step) if sample.split == "train")

    def has(self, step: int) -> bool:
        """Whether there are samples of this step."""
        index = bisect_left(self.steps, step)
        return index < len(self.steps) and self.steps[index] == step

    def cached(self) -> "Samples":
        """The same samples, each step read from disk at most once and held while the returned object lives.

        What is cached already is returned as it is, so that all who look at it share what was read and derived.
        """
        return self if self.memo is not None else replace(self, load=cache(self.load), memo={})
