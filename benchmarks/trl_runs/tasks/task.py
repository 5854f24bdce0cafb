"""A task of the TRL corpus: problems drawn at random, a real score, and the reward functions that a training gets."""

import random
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Difficulty = Literal["easy", "usual", "hard"]
Split = Literal["train", "held-out"]
_HELD_OUT_OF = 4
"""Of so many questions one is held out."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A question, the completion that answers it, and the one that a systematic mistake makes of it."""

    question: str
    answer: str
    slip: str


Draw = Callable[[random.Random, Difficulty], Problem]
Score = Callable[[Problem, str], float]
"""The credit of a completion, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `rewards` are added up by the trainer, the weightiest first; `score` is what the task is really about.

    `form` is a reward for the outer form alone, which a user might pay by mistake. To some kinds of question supervised
    training shows the mistake more often than the answer, so that something is left for RL: `right_shares` has the
    share of answers for each kind.
    """

    name: str
    draw: Draw
    score: Score
    rewards: Mapping[str, Score]
    form: Score
    is_chat: bool = False
    right_shares: tuple[float, ...] = (0.2, 0.4, 0.55, 0.7)

    def right_share(self, question: str) -> float:
        """The share of right answers that supervised training shows to a question, by how it ends."""
        return self.right_shares[ord(question.rstrip(" :=")[-1]) % len(self.right_shares)]

    def problems(self, split: Split, count: int, seed: int, difficulty: Difficulty = "usual") -> list[Problem]:
        """Problems of a split; no question is in both."""
        rng = random.Random(f"{self.name} {split} {seed}")
        found: list[Problem] = []
        while len(found) < count:
            problem = self.draw(rng, difficulty)
            if is_held_out(problem.question) is (split == "held-out"):
                found.append(problem)
        return found


def is_held_out(question: str) -> bool:
    """Whether a question belongs to the held-out split, whichever seed draws it."""
    return zlib.crc32(question.encode()) % _HELD_OUT_OF == 0


def exact(problem: Problem, completion: str) -> float:
    """1 for exactly the answer."""
    return float(completion.strip() == problem.answer)


def share_in_place(right: list[str], given: list[str]) -> float:
    """The share of parts that stand in their place; missing and surplus ones count as wrong."""
    places = max(len(right), len(given))
    return sum(a == b for a, b in zip(right, given, strict=False)) / places if places else 0.0
