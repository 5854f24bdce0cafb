"""Two-digit addition with an optional scratchpad: the sums, the ways to write an answer, and how an answer is read."""

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CHECKPOINT = Path(__file__).with_name("assets") / "addition"
ALPHABET = "0123456789+=() "
SMALLEST, LARGEST = 10, 99
EVAL_PAIRS = 250
SCRATCHPAD_SHARE = 0.35
"""Share of the supervised answers that work with a scratchpad; these are right."""
WRONG_SHARE = 0.5
"""Share of the remaining, direct answers that are wrong, so that reinforcement has something to prefer."""

_COMPLETION = re.compile(r"(?:\(([^()]*)\))?([^()]*)")
_STEPS = re.compile(r"(\d)\+(\d)=(\d{1,2}) (\d)\+(\d)(?:\+(1))?=(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Sum:
    """One problem: two numbers of two digits."""

    left: int
    right: int

    @property
    def prompt(self) -> str:
        return f"{self.left}+{self.right}="

    @property
    def answer(self) -> str:
        return str(self.left + self.right)

    @property
    def scratchpad(self) -> str:
        """The units, then the tens with their carry: `(9+3=12 5+6+1=12)` for 59+63."""
        units = self.left % 10 + self.right % 10
        tens = self.left // 10 + self.right // 10 + units // 10
        carry = "+1" if units >= 10 else ""
        return (
            f"({self.left % 10}+{self.right % 10}={units} "
            f"{self.left // 10}+{self.right // 10}{carry}={tens})"
        )


def sums(split: str) -> tuple[Sum, ...]:
    """All sums of a split, in a fixed order; a pair and its mirror image stand in the same split.

    Args:
        split: "train" or "eval".
    """
    held_out = _held_out_pairs()
    numbers = range(SMALLEST, LARGEST + 1)
    return tuple(
        Sum(left, right)
        for left in numbers
        for right in numbers
        if (frozenset((left, right)) in held_out) == (split == "eval")
    )


def supervised_completion(problem: Sum, rng: random.Random) -> str:
    """What the checkpoint learns to write after `problem`: a scratchpad and the answer, or a direct answer, half of them wrong."""
    if rng.random() < SCRATCHPAD_SHARE:
        return problem.scratchpad + problem.answer
    return _wrong_answer(problem, rng) if rng.random() < WRONG_SHARE else problem.answer


def final_answer(completion: str) -> str | None:
    """The text after the optional scratchpad, or None where the completion is of another shape."""
    match = _COMPLETION.fullmatch(completion.strip())
    return match[2].strip() if match else None


def uses_scratchpad(prompt: str, completion: str) -> bool:
    """Whether the completion starts with a scratchpad that adds the prompt's own digits in the right order.

    The results inside it may be wrong: this judges the form, the accuracy reward judges the answer.
    """
    match = _COMPLETION.fullmatch(completion.strip())
    steps = _STEPS.fullmatch(match[1] or "") if match else None
    left, _, right = prompt.strip().rstrip("=").partition("+")
    return steps is not None and (steps[4] + steps[1], steps[5] + steps[2]) == (left, right)


def _wrong_answer(problem: Sum, rng: random.Random) -> str:
    """The right answer with one digit replaced."""
    digits = list(problem.answer)
    place = rng.randrange(len(digits))
    digits[place] = rng.choice([d for d in "0123456789" if d != digits[place] and (place > 0 or d != "0")])
    return "".join(digits)


@cache
def _held_out_pairs() -> frozenset[frozenset[int]]:
    numbers = range(SMALLEST, LARGEST + 1)
    pairs = [(left, right) for left in numbers for right in numbers if left <= right]
    return frozenset(frozenset(pair) for pair in random.Random(0).sample(pairs, EVAL_PAIRS))
