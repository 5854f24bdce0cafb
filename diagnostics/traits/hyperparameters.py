"""What the rules ask a run's settings for, whichever producer it is of."""

import math
from typing import Any

from diagnostics.model.run import Run

NEAR_GREEDY = 0.3  # temperature below which sampling is as good as greedy
UNSCALED = ("none", False)
"""Values of `scale_rewards` with which an advantage is as large as the rewards differ; with others it is about 1."""


def value_of(run: Run, name: str, default: Any = None) -> Any:
    """A setting by its canonical name; the default where the run does not state it."""
    return run.settings.value(name, default)


def number_of(run: Run, name: str) -> float | None:
    """A setting as a number; None where it is not stated, or is none."""
    return run.settings.number(name)


def kl_weight_of(run: Run) -> float | None:
    """The weight of the KL to the reference, 0 where every penalty is switched off; None where it is not stated."""
    return run.settings.kl_weight


def samples_near_greedily(run: Run) -> bool:
    """Whether the stated temperature is so low that sampling is as good as greedy."""
    temperature = number_of(run, "temperature")
    return temperature is not None and temperature < NEAR_GREEDY


def updates_of_a_generation(run: Run) -> int:
    """How often the policy is updated from the same samples, each of which may go into one logged point."""
    passes = run.config.get("num_iterations")
    return max(1, passes) if isinstance(passes, int) else updates_per_batch(run) or 1


def updates_per_batch(run: Run) -> int | None:
    """How many updates are made of a batch of completions; None where the settings do not tell.

    Passes over the batch, times its parts. Producers state the size of a part in prompts or in completions.
    """
    passes, prompts = number_of(run, "epochs"), number_of(run, "prompts_per_batch")
    part = number_of(run, "prompts_per_update")
    if part is None:
        answers, group = number_of(run, "answers_per_update"), number_of(run, "num_generations")
        part = answers / group if answers and group else None
    return math.ceil(passes) * max(1, math.ceil(prompts / part)) if passes and prompts and part else None
