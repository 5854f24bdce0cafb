"""The trainable algorithms, one row each. Imports no torch: the loops are named, not imported."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from diagnostics.told import told
from trainer.config.grpo import GRPOConfig
from trainer.config.options import ConfigError, did_you_mean
from trainer.config.ppo import PPOConfig
from trainer.config.rloo import RLOOConfig
from trainer.config.training import TrainConfig


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm: its options, and the module whose `train` is its loop."""

    config: type[TrainConfig]
    loop: str

    @property
    def name(self) -> str:
        """What the command line and run.json call it."""
        return self.config.algorithm


_ALL = (
    Algorithm(PPOConfig, loop="trainer.ppo"),
    Algorithm(GRPOConfig, loop="trainer.grpo"),
    Algorithm(RLOOConfig, loop="trainer.rloo"),
)

ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType({algorithm.name: algorithm for algorithm in _ALL})


def make_config(algorithm: str, values: Mapping[str, Any]) -> TrainConfig:
    """The checked configuration of an algorithm, from strings (command line), TOML, JSON or form values.

    Raises:
        ConfigError: The algorithm or an option is unknown, a value does not fit, options contradict each other, or a
            file that they name is not there.
    """
    if algorithm not in ALGORITHMS:
        nearest = did_you_mean(algorithm, ALGORITHMS)
        raise ConfigError(
            told(
                "the algorithm must be one of {names}, but is {algorithm!r}{nearest}",
                names=", ".join(ALGORITHMS),
                algorithm=algorithm,
                nearest=nearest,
            )
        )
    return ALGORITHMS[algorithm].config.from_values(values)
