"""The batch does not divide into groups, or there are no groups: the trainer will refuse or group wrongly.

What it checks
    Whether a group has fewer than two answers, `auto_find_batch_size` is on, or the answers of one generation do not
    divide into groups.

Why it matters
    A group of one has nothing to be compared with. TRL refuses a batch that does not divide; auto_find_batch_size
    changes the batch after that check.

When it is wrong
    Where the number of processes is not given, one is assumed, and what does not divide is only a warning.

What to try
    Make the batch a multiple of `num_generations`.

References
    TRL GRPOConfig: generation_batch_size must be divisible by num_generations.
"""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.generation_batch import generated_at_once
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """How many answers make a group."""

    least: int = limit(2, "answers", "TRL GRPOConfig: at least 2 generations for an advantage")


class PfDivisible(ConfigRule[Limits]):
    """Divides the batch into groups."""

    code = "PF901"
    name = "pf-divisible"
    grade = "C"
    source = "TRL GRPOConfig: generation_batch_size must be divisible by num_generations"
    inputs = ("num_generations",)
    algorithms = GROUP_FAMILY
    limits = Limits()
    texts = english(
        fired="{batch} answers at a time do not divide into groups of {parameter} = {value}.",
        alone="{batch} answers at a time on one process do not divide into groups of {parameter} = {value}; the "
        "number of processes is not known.",
        single="{parameter} is {value}: a group of one has nothing to be compared with.",
        auto="{parameter} is {value}: it changes the batch until it fits into memory, and groups no longer divide it.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        groups, auto = setup.require("num_generations"), setup.get("auto_find_batch_size")
        size = groups.number or 0.0
        if size < limits.least:
            return self.fired(Severity.CRITICAL, groups, key="single", limit=limits.least, unit="answers")
        if auto is not None and auto.is_on:
            return self.fired(Severity.CRITICAL, auto, key="auto", suggested=False)
        batch, is_whole = generated_at_once(setup)
        if batch is None or batch % size == 0:
            return Quiet(size)
        severity = Severity.CRITICAL if is_whole else Severity.WARNING
        return self.fired(severity, groups, key="fired" if is_whole else "alone", batch=f"{batch:g}")
