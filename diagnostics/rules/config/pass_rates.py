"""The pass rates of an untrained policy: how many of its answers to each prompt are rewarded in full or nearly so."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.model.setup import Probe, ProbedPrompt

KEPT = (0.2, 0.8)
"""Pass rates of prompts to keep: harder ones teach nothing yet, easier ones nothing any more."""
BANDS = ("0 %", "below 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "above 80 %", "100 %")
_EDGES = (0.4, 0.6)


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rate of each prompt, and the reward from which an answer passes."""

    prompts: tuple[ProbedPrompt, ...]
    rates: tuple[float, ...]
    pass_at: float
    generations: int

    @property
    def alike(self) -> int:
        """The prompts whose answers all earned the same: a group without a signal."""
        return sum(is_alike(prompt.rewards) for prompt in self.prompts)

    @property
    def histogram(self) -> tuple[tuple[str, int], ...]:
        """How many prompts are in each band of pass rates."""
        places = [_band(rate) for rate in self.rates]
        return tuple((band, places.count(place)) for place, band in enumerate(BANDS))

    @property
    def kept(self) -> tuple[tuple[ProbedPrompt, float], ...]:
        """The prompts whose pass rate is 20 to 80 %, with that rate."""
        pairs = zip(self.prompts, self.rates, strict=True)
        return tuple((prompt, rate) for prompt, rate in pairs if KEPT[0] <= rate <= KEPT[1])


def pass_rates(probe: Probe | None, pass_at: float | None = None) -> PassRates | None:
    """The pass rates of a probe; None where it drew no groups, or all answers earned the same and nothing tells a pass.

    Args:
        pass_at: The reward from which an answer passes; by default midway between the lowest and the highest reward.
    """
    if probe is None or not probe.prompts:
        return None
    rewards = [reward for prompt in probe.prompts for reward in _finite(prompt.rewards)]
    if pass_at is None:
        if not rewards or min(rewards) == max(rewards):
            return None
        pass_at = (min(rewards) + max(rewards)) / 2
    rates = tuple(
        sum(reward >= pass_at for reward in _finite(prompt.rewards)) / len(prompt.rewards) for prompt in probe.prompts
    )
    return PassRates(probe.prompts, rates, pass_at, probe.generations)


def is_alike(rewards: Sequence[float | None]) -> bool:
    """Whether the answers of a group have the same reward, as far as they could be scored."""
    return len(set(_finite(rewards))) < 2


def _finite(rewards: Sequence[float | None]) -> list[float]:
    return [reward for reward in rewards if reward is not None and math.isfinite(reward)]


def _band(rate: float) -> int:
    """The place of a pass rate among the bands; 20 and 80 % belong to those in between."""
    if rate in (0.0, 1.0):
        return (len(BANDS) - 1) * int(rate)
    if rate < KEPT[0]:
        return 1
    return 5 if rate > KEPT[1] else 2 + sum(rate >= edge for edge in _EDGES)
