"""Score scaling: division by the running deviation, centring on the running mean, and clipping."""

import math
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from trainer.config.ppo import PPOConfig


class RunningMoments:
    """Mean and sample deviation of all scores so far, updated batch by batch.

    Source: Chan, Golub, LeVeque 1979, "Updating formulae and a pairwise algorithm for computing sample variances".
    """

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0  # Σ (x − mean)²

    @property
    def std(self) -> float:
        """Deviation with divisor n − 1; 1 while undefined (fewer than two scores) or 0."""
        return math.sqrt(self._squares / (self.count - 1)) if self.count > 1 and self._squares > 0 else 1.0

    def update(self, values_N: Tensor) -> None:
        """Add a batch, without non-finite values: a NaN would never leave the moments."""
        found_M = values_N[values_N.isfinite()].double()
        if not len(found_M):
            return
        mean, squares = float(found_M.mean()), float(((found_M - found_M.mean()) ** 2).sum())
        together, shift = self.count + len(found_M), mean - self.mean
        self._squares += squares + shift**2 * self.count * len(found_M) / together
        self.mean += shift * len(found_M) / together
        self.count = together

    def state_dict(self) -> dict[str, Any]:
        """What a resumed training needs."""
        return {"count": self.count, "mean": self.mean, "squares": self._squares}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where `state_dict` was taken."""
        self.count, self.mean, self._squares = int(state["count"]), float(state["mean"]), float(state["squares"])


class ScoreScaler:
    """`use_score_scaling`, `use_score_norm` and `score_clip` of TRL's first PPOTrainer; a no-op if all are off."""

    def __init__(self) -> None:
        self._moments = RunningMoments()

    def scaled(self, scores_B: Tensor, config: PPOConfig, scorable_B: Tensor | None = None) -> Tensor:
        """(B,) the scores that PPO learns from. The step's own scores count in their scaling, so pass the whole step.

        Args:
            scorable_B: Which ones are scores; the others count in no moment. None: all are.
        """
        if config.use_score_scaling:
            self._moments.update(scores_B if scorable_B is None else scores_B[scorable_B])
            scores_B = (scores_B - (self._moments.mean if config.use_score_norm else 0.0)) / self._moments.std
        return scores_B if config.score_clip is None else scores_B.clamp(-config.score_clip, config.score_clip)

    def state_dict(self) -> dict[str, Any]:
        """What a resumed training needs."""
        return {"moments": self._moments.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where `state_dict` was taken."""
        self._moments.load_state_dict(state["moments"])
