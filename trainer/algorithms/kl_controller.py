"""The KL controller: the coefficient of PPO's KL penalty, fixed or adapted to keep the KL near a target."""

import math
from collections.abc import Mapping
from typing import Any

from trainer.config.ppo import PPOConfig

_LARGEST_ERROR = 0.2
"""Errors are clipped to this share of the target, so that one wild step cannot move the coefficient far."""


class KLController:
    """If adaptive (`adap_kl_ctrl`), the coefficient grows while the KL is above target and shrinks while it is below.

    Source: Ziegler et al. 2019 ("Fine-Tuning Language Models from Human Preferences"), section 2.2; options and clip as
    in the `AdaptiveKLController` of TRL's first PPOTrainer.
    """

    def __init__(self, config: PPOConfig) -> None:
        self._steered = config.kl_coef if config.init_kl_coef is None else config.init_kl_coef

    def coef(self, config: PPOConfig) -> float:
        """This step's coefficient: the adapted one, or the fixed one of the configuration in force."""
        return self._steered if config.adap_kl_ctrl else config.kl_coef

    def update(self, kl: float, config: PPOConfig) -> None:
        """Adapt to a step's mean KL per sequence, in nats; NaN changes nothing.

        coef ← coef · (1 + clip(kl / target − 1, ±0.2) · episodes of the step / horizon)
        """
        if not config.adap_kl_ctrl or math.isnan(kl):
            return
        error = min(max(kl / config.target - 1, -_LARGEST_ERROR), _LARGEST_ERROR)
        self._steered *= 1 + error * config.batch_size / config.horizon

    def state_dict(self) -> dict[str, Any]:
        """The state for resuming."""
        return {"coef": self._steered}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the saved state."""
        self._steered = float(state["coef"])
