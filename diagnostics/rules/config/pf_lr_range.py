"""The learning rate is outside of what models of this size are trained with.

What it checks
    Whether the learning rate is above 1e-5 (a warning) or 3e-5 (critical), is 0, or is below 3e-6 for an adapter (a
    note). A LoRA adapter takes ten times the limits. Below a billion parameters they are multiplied by √(a billion /
    parameters). Where the size is unknown, nothing is critical.

Why it matters
    Typical rates are 1e-6 for GRPO, 3e-6 for PPO, and 3e-7 to 1e-6 for large models. Rates for supervised training,
    such as transformers' default of 5e-5, make updates too large: runs collapsed at it.

When it is wrong
    The scaling by size is our own rule of thumb: a model tolerates a rate in inverse proportion to its width (arXiv
    2203.03466), and parameters grow with the square of the width. Other optimizers need other rates.

What to try
    Divide the learning rate by three to ten. For an adapter stay between 1e-5 and 1e-4.

References
    TRL defaults · verl documentation: 1e-5 or 1e-6 · LoRA without regret: ten times the rate of full training.
"""

import math
from collections.abc import Mapping

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english

TEXTS: Mapping[str, str] = {
    "size.unknown": "a model of a billion parameters (this one's size is not known)",
    "size.billion": "a model of {count} billion parameters",
    "size.million": "a model of {count} million parameters",
    "size.thousand": "a model of {count} thousand parameters",
    "size.any": "a model of {count} parameters",
    "size.adapter": "a LoRA adapter on {model}",
}


class Limits(RuleLimits):
    """Which learning rate is too high for a model of a billion parameters, and too low for an adapter."""

    warning: float = limit(1e-05, "learning rate", "verl documentation: 1e-5 or 1e-6")
    critical: float = limit(
        3e-05, "learning rate", "transformers' 5e-5 is for supervised training; public runs collapsed at it"
    )
    adapter: float = limit(
        10.0, "× the rate of full training", "LoRA without regret: ten times the rate of full training"
    )
    adapter_least: float = limit(3e-06, "learning rate", "LoRA without regret")
    scaled_below: float = limit(1e9, "parameters", "engineering default: the published rates are for models this large")


class PfLrRange(ConfigRule[Limits]):
    """Judges `learning_rate` for the model's size."""

    code = "PF201"
    name = "pf-lr-range"
    grade = "D"
    source = "TRL defaults; verl: 1e-5 or 1e-6; LoRA without regret: ten times as much"
    inputs = ("learning_rate",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}, above {limit}, the most that is usual for {size}.",
        zero="{parameter} is 0{origin}: no weight will move.",
        too_small="{parameter} is {value}{origin}: an adapter hardly learns below {limit}.",
        why="A learning rate of the usual size keeps each update small enough for the clipping to be the exception.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("learning_rate")
        if setting.number is None:
            return Quiet()
        adapter = limits.adapter if setup.trains_an_adapter else 1.0
        factor = adapter * _tolerance(setup.model.parameters, limits.scaled_below)
        highest, deadly, rate = limits.warning * factor, limits.critical * factor, setting.number
        usual = None if setup.model.parameters is None else _two_digits(highest / 3)
        if rate == 0:
            return self.fired(Severity.WARNING, setting, key="zero", suggested=usual, limit=highest)
        if rate <= highest:
            least = limits.adapter_least
            if setup.trains_an_adapter and 0 < rate < least:
                return self.fired(
                    Severity.INFO, setting, key="too_small", suggested=_two_digits(least * 3), limit=least
                )
            return Quiet(rate, highest)
        is_critical = rate > deadly and setup.model.parameters is not None
        return self.fired(
            Severity.CRITICAL if is_critical else Severity.WARNING,
            setting,
            suggested=usual,
            limit=deadly if is_critical else highest,
            size=_size(setup),
        )


def _tolerance(parameters: float | None, scaled_below: float) -> float:
    """How many times the published rates a model of this size tolerates."""
    return 1.0 if parameters is None else max(1.0, math.sqrt(scaled_below / parameters))


def _two_digits(value: float) -> float:
    return float(f"{value:.1g}")


def _size(setup: Setup) -> Message:
    count = setup.model.parameters
    model = Message("size.unknown") if count is None else _counted(count)
    return Message("size.adapter", {"model": model}) if setup.trains_an_adapter else model


def _counted(parameters: float) -> Message:
    for name, size in (("billion", 1e9), ("million", 1e6), ("thousand", 1e3)):
        if parameters >= size:
            return Message(f"size.{name}", {"count": f"{parameters / size:.3g}"})
    return Message("size.any", {"count": f"{parameters:g}"})
