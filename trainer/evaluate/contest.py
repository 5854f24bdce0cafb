"""Pairwise comparison: a judge's verdicts on pairs of answers, and the win rate with its interval."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from trainer.data.dataset import Row

Verdict = Literal["a", "b", "tie"]
Z_95 = 1.959964
"""Quantile of the normal distribution for an interval of 95 %."""

_OTHER_ORDER: Mapping[Verdict, Verdict] = {"a": "b", "b": "a", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers to the prompt of a row."""

    row: Row
    a: str
    b: str

    @property
    def swapped(self) -> "Pair":
        """The same pair in the other order."""
        return Pair(self.row, self.b, self.a)


class Judge(Protocol):
    """Says which answer of a pair is better."""

    @property
    def is_position_biased(self) -> bool:
        """Whether the order of the answers may sway it, so that each pair is judged in both orders."""
        ...

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """One verdict per pair; None where the judge gave no valid one."""
        ...


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome of a comparison, from the perspective of the first answers.

    Identical answers are ties without asking the judge. Pairs whose winner changed with the order are `inconsistent`,
    and also ties. Pairs without a verdict are `unjudged` and count nowhere else.
    """

    wins: int
    ties: int
    losses: int
    identical: int = 0
    inconsistent: int = 0
    unjudged: int = 0

    @property
    def judged(self) -> int:
        """Pairs with a verdict."""
        return self.wins + self.ties + self.losses

    @property
    def win_rate(self) -> float:
        """Share of pairs won, a tie counting half; NaN where no pair was judged."""
        return (self.wins + self.ties / 2) / self.judged if self.judged else math.nan

    def to_dict(self) -> dict[str, Any]:
        """The tally with its win rate and the rate's 95 % interval."""
        low, high = wilson_interval(self.win_rate, self.judged)
        return {
            "win_rate": self.win_rate,
            "low": low,
            "high": high,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "judged": self.judged,
            "identical": self.identical,
            "inconsistent": self.inconsistent,
            "unjudged": self.unjudged,
        }


def judge_pairs(judge: Judge, pairs: Sequence[Pair]) -> Tally:
    """Have a judge compare all pairs whose answers differ, in both orders if it is position-biased."""
    asked = [pair for pair in pairs if pair.a != pair.b]
    identical = len(pairs) - len(asked)
    first = judge.verdicts(asked)
    second = judge.verdicts([pair.swapped for pair in asked]) if judge.is_position_biased else None
    found = Counter(first if second is None else map(combined_verdict, first, second))
    return Tally(
        wins=found["a"],
        ties=found["tie"] + found["inconsistent"] + identical,
        losses=found["b"],
        identical=identical,
        inconsistent=found["inconsistent"],
        unjudged=found[None],
    )


def combined_verdict(first: Verdict | None, second: Verdict | None) -> Verdict | Literal["inconsistent"] | None:
    """The combination of two verdicts on a pair, the second given in reverse order; None if either is missing."""
    if first is None or second is None:
        return None
    return first if first == _OTHER_ORDER[second] else "inconsistent"


def wilson_interval(rate: float, count: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a rate over `count` trials; NaN without trials.

    Source: Wilson 1927. With ties as half wins the rate varies less than a binomial one, so the interval is
    conservative.
    """
    if count == 0:
        return math.nan, math.nan
    centre = (rate + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count * count))
    return max(0.0, centre - reach), min(1.0, centre + reach)
