"""Flags: which checks of samples a single sample shows by its text alone."""

from collections.abc import Callable, Collection, Mapping
from functools import partial

from diagnostics.model.diagnosis import LimitOverrides
from diagnostics.model.samples import Sample
from diagnostics.rules.overrides import effective_limits
from diagnostics.rules.samples.catalog import SAMPLE_RULES

Mark = Callable[[Sample], bool]


def marks_of(fired: Collection[str], limits: LimitOverrides) -> Mapping[str, Mark]:
    """By name, what each of the checks that fired says of a single sample, by the limits of the diagnosis."""
    rules = [rule for rule in SAMPLE_RULES if rule.name in fired]
    chosen = effective_limits(rules, {rule.name: limits[rule.name] for rule in rules if rule.name in limits})
    return {rule.name: partial(rule.marks, limits=chosen[rule.name]) for rule in rules}
