"""Options that GRPO and RLOO share: several completions per prompt, clipped updates."""

from dataclasses import dataclass

from diagnostics.told import told
from trainer.config.options import ConfigError, Section, options_under

option = options_under(Section.LOSS)
_optimizer = options_under(Section.OPTIMIZER)


@dataclass(frozen=True, kw_only=True)
class CompletionGroupOptions:
    """Groups of completions, the updates made from them, and the KL to the reference."""

    num_generations: int = option(
        8, "Completions of each prompt: the group that a completion is compared with.", minimum=2, main=True
    )
    max_completion_length: int = option(512, "Longest completion, in tokens.", minimum=1, main=True)
    num_iterations: int = _optimizer(1, "Updates made from one generation.", minimum=1)
    beta: float = option(
        0.0,
        "Weight of the KL to the reference in the loss; 0 needs no reference model and logs no kl.",
        minimum=0,
        main=True,
    )
    epsilon: float = option(0.2, "Lower clip bound of the probability ratio is 1 − this.", above=0)
    epsilon_high: float | None = option(None, "Upper clip bound is 1 + this; empty: epsilon.", above=0)

    @property
    def max_new_tokens(self) -> int:
        """Longest completion, in tokens."""
        return self.max_completion_length

    @property
    def upper_epsilon(self) -> float:
        """`epsilon_high`, or `epsilon` if it is not set."""
        return self.epsilon if self.epsilon_high is None else self.epsilon_high

    def check_groups(self, batch_size: int) -> None:
        """Raise ConfigError if a step's completions do not form whole groups."""
        if batch_size % self.num_generations:
            raise ConfigError(
                told(
                    "the batch of {batch_size} completions (per_device_train_batch_size × "
                    "gradient_accumulation_steps × num_processes) does not divide by num_generations = "
                    "{num_generations}",
                    batch_size=batch_size,
                    num_generations=self.num_generations,
                )
            )
