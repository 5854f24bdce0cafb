"""Derives metrics from logged completions, table by table; a long run's tables are thinned, each is read once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from diagnostics.derivations.table import SAMPLES, Formula
from diagnostics.model.derivation import Derivation
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.series import Series
from diagnostics.model.settings import Settings

MOST_TABLES = 64  # read for one run; beyond it every second, fourth, … counts, so that a growing run keeps its points
TRIED = 3  # of the newest tables, before the others are read
LEAST_SAMPLES = 16  # of one table: below it a share says nothing
LEAST_GROUPS = 4  # of one table


@dataclass(frozen=True, slots=True)
class SampleTables:
    """The completions of a run as metrics by step."""

    samples: Samples
    settings: Settings
    _measured: dict[int, Mapping[str, float]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def derive(self, formula: Formula) -> Series | None:
        """A metric of all tables that tell it; None where none of the newest ones does."""
        steps, target = thinned(self.samples.steps), formula.target
        if not any(target in self._at(step) for step in steps[-TRIED:]):
            return None
        points = {step: found[target] for step in steps if target in (found := self._at(step))}
        at, values = np.array(list(points), dtype=np.int64), np.array(list(points.values()), dtype=np.float64)
        return Series(target, target, at, values, derivation=Derivation((SAMPLES,), formula.text, formula.precision))

    def _at(self, step: int) -> Mapping[str, float]:
        if step not in self._measured:
            self._measured[step] = measure(self.samples.of_training(step), self.settings)
        return self._measured[step]


def thinned(steps: Sequence[int]) -> Sequence[int]:
    """Every step up to the most that are read; else every 2ᵏth of them, from the first."""
    apart = 1 << max(0, math.ceil(math.log2(max(1, len(steps)) / MOST_TABLES)))
    return steps[::apart]


def measure(table: Sequence[Sample], settings: Settings) -> dict[str, float]:
    """What one table of completions tells, by metric; nothing of a small one."""
    if len(table) < LEAST_SAMPLES:
        return {}
    found = {
        **dict.fromkeys(("reward_std", "score_std"), _spread(table)),
        "zero_std_fraction": _share_without_spread(table, settings.number("num_generations")),
        "length_mean": _mean_length(table),
        "truncated_fraction": _share_cut_off(table, settings.number("max_tokens")),
    }
    return {name: value for name, value in found.items() if value is not None}


def _spread(table: Sequence[Sample]) -> float | None:
    """The standard deviation of the scores, with n − 1 as torch has it."""
    scores = _scores(table)
    return None if scores is None else float(np.std(scores, ddof=1))


def _scores(table: Sequence[Sample]) -> list[float] | None:
    scores = [sample.score for sample in table if sample.score is not None]
    return scores if len(scores) == len(table) else None


def _share_without_spread(table: Sequence[Sample], group_size: float | None) -> float | None:
    """The share of groups with equal scores; None unless all groups are whole."""
    groups: dict[object, list[Sample]] = {}
    for sample in table:
        groups.setdefault(sample.query if sample.group is None else sample.group, []).append(sample)
    sizes = {len(group) for group in groups.values()}
    is_whole = len(sizes) == 1 and min(sizes) > 1 and group_size in (None, *sizes)
    if len(groups) < LEAST_GROUPS or not is_whole or _scores(table) is None:
        return None
    return float(np.mean([np.ptp(_scores(group) or [0.0]) == 0 for group in groups.values()]))


def _mean_length(table: Sequence[Sample]) -> float | None:
    lengths = [sample.length for sample in table if sample.length is not None]
    return float(np.mean(lengths)) if len(lengths) == len(table) else None


def _share_cut_off(table: Sequence[Sample], limit: float | None) -> float | None:
    ends = [_is_cut_off(sample, limit) for sample in table]
    return float(np.mean([bool(end) for end in ends])) if None not in ends else None


def _is_cut_off(sample: Sample, limit: float | None) -> bool | None:
    """Whether a completion did not end by itself; None where neither the log nor its length says so."""
    if sample.terminated is not None:
        return not sample.terminated
    return sample.length >= limit if sample.length is not None and limit and limit > 0 else None
