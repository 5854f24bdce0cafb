"""The Markdown tables of the speed benchmark: what was measured, on which machine and with which libraries."""

import os
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from benchmarks.machine import machine, versions
from benchmarks.speed.trainings import Case, Reading, threads_of
from benchmarks.speed.turns import Training

NAMES = {"grpo": "GRPO", "ppo": "PPO"}

Readings: TypeAlias = Mapping[str, Sequence[Reading]]
"""Of each training, turn by turn; the first training is the one that the others are compared with."""


def heading(trl_python: str, turns: int) -> Iterator[str]:
    """What was run where, and how to read the tables."""
    yield "# Speed beside TRL"
    yield ""
    yield (
        f"Printed by `make speed` on {datetime.now(UTC):%Y-%m-%d}; {machine()}, one thread per training where nothing "
        f"else is said, load {os.getloadavg()[0]:.1f} at the start; turns: {turns}."
    )
    yield f"{versions(sys.executable, ('torch', 'transformers'))}; TRL's side: "
    yield f"{versions(trl_python, ('trl', 'torch', 'transformers'))}."
    yield ""
    yield (
        "Same model, prompts, batch and lengths; gradient checkpointing off on both sides. Each training is a process, "
        "and they take turns of some steps, so that all meet the same machine; the figure of a turn is the median over "
        "its steps. In the tables stands the median of the turns, with their extremes; the ratio is TRL's seconds over "
        "ours, turn by turn. Seconds are per step; CPU seconds are those of all processes of a training together, "
        "memory is the most that one of them held. *Generic* decodes through the model's own forward pass, *fused* "
        "through the decoder for Llama-like models, where there is one for the model."
    )


def core_table(case: Case, readings: Readings) -> Iterator[str]:
    """CPU seconds, completions per CPU second, the ratio to the first side, and memory."""
    yield from _title(case, "one core")
    yield "| | CPU s/step | completions/CPU s | ratio | MiB |"
    yield "|---|---:|---:|---:|---:|"
    ratios = _ratios(readings, "cpu")
    for name, cpus in _times_of_each(readings, "cpu").items():
        rate, peak = case.size.batch / statistics.median(cpus), max(reading.peak for reading in readings[name])
        yield f"| {name} | {_spread(cpus, 3)} | {rate:.1f} | {_spread(ratios[name], 2)} | {peak:.0f} |"


def wall_table(case: Case, readings: Readings, trainings: Mapping[str, Training]) -> Iterator[str]:
    """Wall seconds, completions per second, the ratio to the first side, CPU seconds and memory."""
    yield from _title(case, "two cores, wall time")
    yield "| | processes | threads of each | s/step | completions/s | ratio | CPU s/step | MiB of each |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    ratios, cpus = _ratios(readings, "wall"), _times_of_each(readings, "cpu")
    for name, walls in _times_of_each(readings, "wall").items():
        training, rate = trainings[name], case.size.batch / statistics.median(walls)
        peak = max(reading.peak for reading in readings[name])
        yield (
            f"| {name} | {training.processes} | {threads_of(training)} | {_spread(walls, 3)} | {rate:.1f} "
            f"| {_spread(ratios[name], 2)} | {_spread(cpus[name], 3)} | {peak:.0f} |"
        )


def _times_of_each(readings: Readings, clock: str) -> dict[str, list[float]]:
    return {name: [getattr(reading, clock) for reading in found] for name, found in readings.items()}


def _ratios(readings: Readings, clock: str) -> dict[str, list[float]]:
    """The seconds of the first side divided by those of each, turn by turn."""
    seconds = _times_of_each(readings, clock)
    first = next(iter(seconds.values()))
    return {name: [base / own for base, own in zip(first, found, strict=True)] for name, found in seconds.items()}


def _spread(values: Sequence[float], digits: int) -> str:
    """The median and, if they differ, the extremes."""
    middle, low, high = (f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return middle if low == high else f"{middle} ({low}–{high})"


def _title(case: Case, measured: str) -> Iterator[str]:
    updates = f"{case.epochs} × {case.mini_batches} updates a step" if case.epochs > 1 else "1 update a step"
    yield ""
    yield f"## {NAMES[case.algorithm]}, {case.size.title}, {updates}: {measured}"
    yield ""
