"""How many updates a training makes from one generation."""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.setup import Setup


def updates_per_generation(setup: Setup) -> float:
    """Updates from one generation; 1 for algorithms without groups."""
    accumulated = setup.number("gradient_accumulation_steps") or 1.0
    steps = setup.number("steps_per_generation") or accumulated
    return (setup.number("epochs") or 1.0) * max(1.0, steps / accumulated) if setup.algorithm in GROUP_FAMILY else 1.0
