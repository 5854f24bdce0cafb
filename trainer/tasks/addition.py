"""Two-digit addition with an optional scratchpad: the sums, and writing and parsing answers."""

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
FORGOTTEN_CARRY_SHARE = 0.9
"""Share of the direct answers to a sum with a carry that forget it."""
SLIP_SHARE = 0.3
"""Share of the direct answers to a sum without a carry that have one wrong digit."""

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
    def has_carry(self) -> bool:
        """Whether the units add up to ten or more."""
        return self.left % 10 + self.right % 10 >= 10

    @property
    def scratchpad(self) -> str:
        """The units, then the tens with their carry: `(9+3=12 5+6+1=12)` for 59+63."""
        (left_tens, left_units), (right_tens, right_units) = divmod(self.left, 10), divmod(self.right, 10)
        tens = left_tens + right_tens + self.has_carry
        carry = "+1" if self.has_carry else ""
        return f"({left_units}+{right_units}={left_units + right_units} {left_tens}+{right_tens}{carry}={tens})"


def sums(split: str) -> tuple[Sum, ...]:
    """All sums of a split, in a fixed order; a sum and its mirror image are in the same split.

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
    """The completion that the checkpoint is pretrained on for `problem`.

    Either a scratchpad and the right answer, or an immediate answer, which is wrong about half the time and nearly
    always if there is a carry. So the model earns more reward by doing what it can already do: using the scratchpad.
    """
    if rng.random() < SCRATCHPAD_SHARE:
        return problem.scratchpad + problem.answer
    if problem.has_carry:
        return str(problem.left + problem.right - 10) if rng.random() < FORGOTTEN_CARRY_SHARE else problem.answer
    return _with_wrong_digit(problem.answer, rng) if rng.random() < SLIP_SHARE else problem.answer


def final_answer(completion: str) -> str | None:
    """The text after the optional scratchpad, or None if the completion has another form."""
    match = _COMPLETION.fullmatch(completion.strip())
    return match[2].strip() if match else None


def uses_scratchpad(prompt: str, completion: str) -> bool:
    """Whether the completion starts with a scratchpad that adds the prompt's own digits in the right order.

    Its results may be wrong: this judges the form, the accuracy reward the answer.
    """
    match = _COMPLETION.fullmatch(completion.strip())
    steps = _STEPS.fullmatch(match[1] or "") if match else None
    left, _, right = prompt.strip().rstrip("=").partition("+")
    return steps is not None and (steps[4] + steps[1], steps[5] + steps[2]) == (left, right)


def _with_wrong_digit(answer: str, rng: random.Random) -> str:
    place = rng.randrange(len(answer))
    digits = [digit for digit in "0123456789" if digit != answer[place] and (place > 0 or digit != "0")]
    return answer[:place] + rng.choice(digits) + answer[place + 1 :]


@cache
def _held_out_pairs() -> frozenset[frozenset[int]]:
    numbers = range(SMALLEST, LARGEST + 1)
    pairs = [(left, right) for left in numbers for right in numbers if left <= right]
    return frozenset(frozenset(pair) for pair in random.Random(0).sample(pairs, EVAL_PAIRS))
