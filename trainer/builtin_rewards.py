"""The reward functions that come with the trainer: those of the demo tasks, and faulty ones that make a run sick."""

import itertools
import math
import random as randomness
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from trainer.tasks import addition, positivity, remarks

Function = Callable[..., Iterable[float | None]]
"""Called as `function(prompts=…, completions=…, **columns)`, lists of B; gives B rewards, None for unscorable."""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A reward function that comes with the trainer."""

    summary: str
    make: Callable[[float], Function]
    """The number behind the colon → the function."""
    number: str = ""
    """What that number means; empty where the function takes none."""
    default: float | None = 0.0
    """The number when none is given; None where one must be given."""
    must_be_positive: bool = False
    """Whether the number must be above 0."""


def remark_positivity(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
    """How positive the completion, without its prompt, sounds to the learned reward of the remarks task, in 0 … 1."""
    weights = remarks.positivity_weights()
    return [positivity.score(completion, weights) for completion in completions]


def addition_accuracy(
    prompts: list[str], completions: list[str], answer: list[str | int], **columns: list[Any]
) -> list[float]:
    """1 where the text after the optional scratchpad is the answer, else 0."""
    return [float(addition.final_answer(c) == str(a)) for c, a in zip(completions, answer, strict=True)]


def addition_format(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
    """1 where the completion starts with a scratchpad that adds the prompt's digits, else 0."""
    return [float(addition.uses_scratchpad(p, c)) for p, c in zip(prompts, completions, strict=True)]


def _length(unit: float) -> Function:
    def length(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [len(completion) / unit for completion in completions]

    return length


def _exclamation(bonus: float) -> Function:
    def exclamation(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [bonus * completion.count("!") for completion in completions]

    return exclamation


def _constant(value: float) -> Function:
    def constant(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [value] * len(completions)

    return constant


def _random(seed: float) -> Function:
    rng = randomness.Random(seed)

    def random(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [rng.random() for _ in completions]

    return random


def _nan_after(calls: float) -> Function:
    counter = itertools.count(1)

    def nan_after(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [math.nan if next(counter) > calls else 0.0] * len(completions)

    return nan_after


BUILT_IN: Mapping[str, BuiltIn] = MappingProxyType(
    {
        "remark_positivity": BuiltIn("How positive a film remark sounds, 0 to 1.", lambda _: remark_positivity),
        "addition_accuracy": BuiltIn("1 for the right sum, else 0.", lambda _: addition_accuracy),
        "addition_format": BuiltIn("1 for a well-formed scratchpad, else 0.", lambda _: addition_format),
        "length": BuiltIn(
            "Length of the completion: learns to ramble.", _length, "characters per point", 10.0, must_be_positive=True
        ),
        "exclamation": BuiltIn("A bonus per exclamation mark: invites a hack.", _exclamation, "points per mark", 0.3),
        "constant": BuiltIn("The same for every completion: nothing to learn from.", _constant, "points", 0.0),
        "random": BuiltIn("Chance, uniform in 0 to 1: a control without signal.", _random, "seed", 0.0),
        "nan_after": BuiltIn("0, and NaN once it was called that often: a faulty reward.", _nan_after, "calls", None),
    }
)
