"""The configuration of RLOO. Imports no torch."""

from dataclasses import dataclass
from typing import ClassVar

from diagnostics.told import told
from trainer.config.options import ConfigError, Section, options_under, redefined_option
from trainer.config.options.completion_groups import CompletionGroupOptions
from trainer.config.training import TrainConfig

option = options_under(Section.REWARDS)


@dataclass(frozen=True, kw_only=True)
class RLOOConfig(CompletionGroupOptions, TrainConfig):
    """RLOO: each completion compared with the mean of the prompt's others; the KL is part of the reward."""

    algorithm: ClassVar[str] = "rloo"

    task: str = redefined_option(TrainConfig, "task", "addition")
    num_generations: int = redefined_option(CompletionGroupOptions, "num_generations", 2)
    beta: float = redefined_option(
        CompletionGroupOptions,
        "beta",
        0.05,
        help="Weight of the KL to the reference, which is subtracted from a completion's reward; 0 needs no reference "
        "model and logs no kl.",
    )
    normalize_advantages: bool = option(
        False, "Scale the advantages of a step to a mean of 0 and a standard deviation of 1."
    )
    reward_clip_range: tuple[float, ...] | None = option(
        None, "Lowest and highest reward of a completion, before the KL is subtracted; empty: no limits."
    )

    def check(self) -> None:
        super().check()
        self.check_groups(self.batch_size)
        limits = self.reward_clip_range
        if limits is not None and (len(limits) != 2 or not limits[0] < limits[1]):
            raise ConfigError(
                told(
                    "reward_clip_range must be two numbers, the lower one first, but is {names}",
                    names=", ".join(map(str, limits)),
                )
            )
