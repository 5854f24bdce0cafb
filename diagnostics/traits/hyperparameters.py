"""What the rules ask a run's configuration for, whichever program it is of."""

import math
from typing import Any

from diagnostics.model.run import Run
from diagnostics.producers.settings import SWITCHES, is_on, stated

NEAR_GREEDY = 0.3  # temperature below which sampling is as good as greedy
UNSCALED = ("none", False)
"""Values of `scale_rewards` with which an advantage is as large as the rewards differ; with others it is about 1."""


def value_of(run: Run, name: str, default: Any = None) -> Any:
    """A setting by TRL's name for it, or by that of another program; the default where it is not stated."""
    found = stated(run.config, (name,))
    return default if found is None else found[1]


def number_of(run: Run, name: str) -> float | None:
    """A setting as a number; None where it is not stated, or is none."""
    value = value_of(run, name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def kl_weight_of(run: Run) -> float | None:
    """The weight of the KL to the reference, 0 where every penalty is switched off; None where nothing is said of it.

    verl states the weights of both penalties, in the loss and in the reward, and beside each whether it counts.
    """
    weight = number_of(run, "beta")
    switches = [found for name in SWITCHES.values() if (found := stated(run.config, (name,)))]
    is_off = bool(switches) and not any(is_on(value) for _, value in switches)
    return 0.0 if weight is None and is_off else weight


def samples_near_greedily(run: Run) -> bool:
    """Whether the stated temperature is so low that sampling is as good as greedy."""
    temperature = number_of(run, "temperature")
    return temperature is not None and temperature < NEAR_GREEDY


def updates_of_a_generation(run: Run) -> int:
    """How often the policy is updated from the same samples, each of which may go into one logged point."""
    passes = run.config.get("num_iterations")
    return max(1, passes) if isinstance(passes, int) else updates_per_batch(run) or 1


def updates_per_batch(run: Run) -> int | None:
    """How many updates verl and OpenRLHF make of a batch of answers; None where the settings do not tell.

    Passes over the batch, times its parts: verl counts both in prompts, OpenRLHF an update's part in answers.
    """
    passes, prompts = number_of(run, "epochs"), number_of(run, "prompts_per_batch")
    part = number_of(run, "prompts_per_update")
    if part is None:
        answers, group = number_of(run, "answers_per_update"), number_of(run, "num_generations")
        part = answers / group if answers and group else None
    return math.ceil(passes) * max(1, math.ceil(prompts / part)) if passes and prompts and part else None
