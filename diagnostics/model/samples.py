"""Sampled completions: what a policy answered, step by step."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
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
    split: str = "train"  # "eval" for an answer to a prompt that is held out of training
    followed: bool = False  # an answer to one of the few prompts that are answered again and again
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Samples:
    """The sampled completions of a run, read from disk one step at a time. `steps` are increasing."""

    steps: tuple[int, ...] = ()
    load: Callable[[int], tuple[Sample, ...]] = lambda step: ()
    followed_steps: tuple[int, ...] = ()  # those with answers to the followed prompts
    memo: dict[int, Any] | None = field(default=None, compare=False)
    """By step, what those who look at it again and again made of it; None where the samples may still change."""

    def at(self, step: int) -> tuple[Sample, ...]:
        """All samples of one step, in file order; empty for a step without samples."""
        return self.load(step) if self.has(step) else ()

    def of_training(self, step: int) -> tuple[Sample, ...]:
        """Those of one step that were trained on: answers to held-out prompts may be greedy, and scored by others."""
        return tuple(sample for sample in self.at(step) if sample.split == "train")

    def has(self, step: int) -> bool:
        """Whether there are samples of this step."""
        place = bisect_left(self.steps, step)
        return place < len(self.steps) and self.steps[place] == step

    def remembered(self) -> "Samples":
        """The same samples; each step is read from disk once at most, and kept as long as the returned object lives."""
        return replace(self, load=cache(self.load), memo={})
