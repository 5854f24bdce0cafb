"""Options of the reward functions."""

from dataclasses import dataclass
from typing import Any

from diagnostics.told import told
from trainer.config.options import ConfigError, Section, options_under
from trainer.config.reward_names import absolute_name

option = options_under(Section.REWARDS)


@dataclass(frozen=True, kw_only=True)
class RewardOptions:
    """The reward functions and their weights."""

    reward_funcs: tuple[str, ...] = option(
        (), "Reward functions: built-in names, or path/to/file.py:function; empty: the task's own.", main=True
    )
    reward_weights: tuple[float, ...] = option((), "One weight for each reward function; empty: 1 each.")

    def check_rewards(self) -> None:
        """Raise ConfigError if the weights do not match the reward functions."""
        if self.reward_weights and self.reward_funcs and len(self.reward_weights) != len(self.reward_funcs):
            raise ConfigError(
                told(
                    "reward_weights has {weights} values for {functions} reward_funcs; give one for each",
                    weights=len(self.reward_weights),
                    functions=len(self.reward_funcs),
                )
            )

    def absolute_rewards(self) -> dict[str, Any]:
        """The options that hold paths, made absolute."""
        return {"reward_funcs": tuple(absolute_name(name) for name in self.reward_funcs)}
