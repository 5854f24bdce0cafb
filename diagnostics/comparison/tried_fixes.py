"""Fixes tried one by one: the relaunches of one run, grouped by what each changed, and whether that worked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from diagnostics.comparison.setting_groups import OF_PLACES, OF_THE_SEED, group_of
from diagnostics.comparison.side_by_side import Relaunch, SideBySide
from diagnostics.comparison.since_parent import Comparison, Fate

_LEAST_FIXES = 2


class Result(StrEnum):
    """What one relaunch made of all that its parent had."""

    WORKED = "worked"
    TRADED = "traded"
    STILL = "still"
    TOO_EARLY = "too-early"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class TriedFix:
    """What was changed, apart from the seed, and the relaunches that did so by their places, with their results.

    `rewards` are the mean scores of those whose scores can be compared with the parent's.
    """

    parent: int
    changes: Mapping[str, tuple[Any, Any]]
    places: tuple[int, ...]
    results: tuple[Result, ...]
    rewards: tuple[float, ...]

    @property
    def worked(self) -> int:
        """In how many of them all that the parent had is gone, and nothing new came."""
        return sum(result is Result.WORKED for result in self.results)


def tried_fixes(side: SideBySide) -> tuple[TriedFix, ...]:
    """A group for each fix, where two or more were tried on one run that something was found in."""
    groups: dict[tuple[int, str], list[Relaunch]] = {}
    for item in side.relaunches:
        if item.comparison.inherited:
            groups.setdefault((item.parent, repr(sorted(_changes(item.comparison).items()))), []).append(item)
    fixes = [_fix(parent, members) for (parent, _key), members in groups.items()]
    tried = {parent: sum(fix.parent == parent for fix in fixes) for parent in {fix.parent for fix in fixes}}
    return tuple(fix for fix in fixes if tried[fix.parent] >= _LEAST_FIXES)


def _fix(parent: int, members: Sequence[Relaunch]) -> TriedFix:
    rewards = (item.comparison.reward for item in members)
    return TriedFix(
        parent,
        _changes(members[0].comparison),
        tuple(item.child for item in members),
        tuple(_result(item.comparison) for item in members),
        tuple(reward.child for reward in rewards if reward is not None),
    )


def _changes(comparison: Comparison) -> dict[str, tuple[Any, Any]]:
    left_out = (OF_THE_SEED, OF_PLACES)
    return {name: pair for name, pair in comparison.changes.items() if group_of(name, None) not in left_out}


def _result(comparison: Comparison) -> Result:
    """The least that can be said of any finding counts for all."""
    fates = {item.fate for item in comparison.inherited}
    for fate, result in (
        (Fate.STILL, Result.STILL),
        (Fate.TOO_EARLY, Result.TOO_EARLY),
        (Fate.UNCHECKED, Result.UNCHECKED),
    ):
        if fate in fates:
            return result
    return Result.TRADED if comparison.new else Result.WORKED
