"""Flags: which of the checks that fired a single sample shows by itself."""

from collections.abc import Callable, Collection, Mapping
from functools import partial

from diagnostics.model.diagnosis import LimitOverrides
from diagnostics.model.samples import Sample
from diagnostics.rules.overrides import effective_limits
from diagnostics.rules.run.catalog import RUN_RULES
from diagnostics.rules.samples.catalog import SAMPLE_RULES
from diagnostics.rules.telling_samples import SAMPLE_KINDS

Mark = Callable[[Sample], bool]


def marks_of(fired: Collection[str], limits: LimitOverrides) -> Mapping[str, Mark]:
    """By name, what each of the checks that fired says of a single sample, by the limits of the diagnosis."""
    return {**_of_texts(fired, limits), **_of_numbers(fired)}


def _of_texts(fired: Collection[str], limits: LimitOverrides) -> Mapping[str, Mark]:
    rules = [rule for rule in SAMPLE_RULES if rule.name in fired]
    chosen = effective_limits(rules, {rule.name: limits[rule.name] for rule in rules if rule.name in limits})
    return {rule.name: partial(rule.marks, limits=chosen[rule.name]) for rule in rules}


def _of_numbers(fired: Collection[str]) -> Mapping[str, Mark]:
    kinds = {rule.name: SAMPLE_KINDS.get(rule.telling_samples) for rule in RUN_RULES if rule.name in fired}
    return {name: kind.is_shown_by for name, kind in kinds.items() if kind is not None and kind.marks_each}
