"""Completes the samples of a log with what the run's settings and curves say.

Which columns are rewards of single functions, a completion's total score, and whether its prompt is held out of
training: some producers' tables contain none of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from diagnostics.model.recording import Recording
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import EVAL_PREFIX
from diagnostics.producers.producer import Producer

OVERWRITTEN = "completions"  # the format in which an evaluation's file replaces the training step's
TOLD_APART = frozenset({"wandb", "trackio"})  # the formats that keep both
FUNCTION_MEANS = "reward_func_mean/"


@dataclass(frozen=True, slots=True)
class _Settled:
    """What is known of a run. `weights`: of the reward functions in the order of the columns; None where unknown."""

    functions: AbstractSet[str]
    weights: Sequence[float] | None
    evaluated: AbstractSet[int]

    def of(self, sample: Sample) -> Sample:
        columns = {**sample.rewards, **_numbers(sample.extra)}
        rewards = {name: value for name, value in columns.items() if name in self.functions}
        others = {name: value for name, value in sample.rewards.items() if name not in self.functions}
        extra = {name: value for name, value in sample.extra.items() if name not in rewards}
        return replace(
            sample,
            rewards=rewards,
            score=_total(rewards, self.weights) if sample.score is None else sample.score,
            split="eval" if sample.step in self.evaluated else sample.split,
            extra={**extra, **others},
        )


def resolve_samples(
    recording: Recording, producer: Producer, config: Mapping[str, Any], series: Mapping[str, Series]
) -> Samples:
    """A recording's samples with reward functions, score and split inferred from the run's settings and curves."""
    names = [name for name in series if name.startswith(FUNCTION_MEANS)]
    if not producer.has_reward_columns or not names:
        return recording.samples
    functions = frozenset(name.removeprefix(FUNCTION_MEANS) for name in names)
    settled = _Settled(functions, _weights(config, len(functions)), _evaluated(recording, series.values()))
    return replace(recording.samples, load=partial(_load, recording.samples, settled))


def _load(samples: Samples, settled: _Settled, step: int) -> tuple[Sample, ...]:
    return tuple(map(settled.of, samples.at(step)))


def _weights(config: Mapping[str, Any], functions: int) -> Sequence[float] | None:
    """The configured weights; all 1 if the settings name none; None without settings."""
    given = config.get("reward_weights")
    if given is None:
        return [1.0] * functions if config else None
    is_list = isinstance(given, list) and len(given) == functions
    return given if is_list and all(isinstance(weight, int | float) for weight in given) else None


def _total(rewards: Mapping[str, float], weights: Sequence[float] | None) -> float | None:
    """The weighted sum; functions that returned nothing are skipped, and without any there is no score."""
    if weights is None or len(weights) != len(rewards):
        return next(iter(rewards.values())) if len(rewards) == 1 else None
    values = np.array(list(rewards.values()))
    return float("nan") if np.isnan(values).all() else float(np.nansum(values * np.array(weights)))


def _evaluated(recording: Recording, series: Iterable[Series]) -> frozenset[int]:
    """The steps at which an evaluation's completions replaced those of training, in a log with one file per step."""
    formats = {source.format for source in recording.sources}
    if OVERWRITTEN not in formats or formats & TOLD_APART:
        return frozenset()
    return frozenset(step for item in series if item.name.startswith(EVAL_PREFIX) for step in item.steps.tolist())


def _numbers(extra: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in extra.items() if isinstance(value, int | float)}
