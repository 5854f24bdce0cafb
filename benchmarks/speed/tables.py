"""The tables of the speed benchmark, as Markdown: what was measured, on which machine and with which libraries."""

import os
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from benchmarks.speed.trainings import Case, Reading
from benchmarks.trl_parity import machine, versions

NAMES = {"grpo": "GRPO", "ppo": "PPO"}


def heading(trl_python: str, repetitions: int) -> Iterator[str]:
    """What was run where, and how the tables are to be read."""
    yield "# Speed beside TRL"
    yield ""
    yield (
        f"Printed by `make speed` on {datetime.now(UTC):%Y-%m-%d}; {machine()} where nothing else is said, load "
        f"{os.getloadavg()[0]:.1f} at the start; repetitions: {repetitions}."
    )
    yield f"{versions(sys.executable, ('torch', 'transformers'))}; TRL's side: "
    yield f"{versions(trl_python, ('trl', 'torch', 'transformers'))}."
    yield ""
    yield (
        "Same model, prompts, batch and lengths; gradient checkpointing off on both sides; each training is a process, "
        "and its figure the median over its steps. In the tables stands the median of the repetitions, with their "
        "extremes where there are several. CPU seconds are per step; the ratio is TRL's CPU seconds over ours; memory "
        "is the most that a process held. *Generic* decodes through the model's own forward pass, *fused* through the "
        "decoder for Llama-like models, where there is one for the model."
    )


def core_table(case: Case, readings: Mapping[str, Sequence[Reading]]) -> Iterator[str]:
    """CPU seconds, completions per CPU second, the ratio to the first side, and memory."""
    base = statistics.median(reading.cpu for reading in next(iter(readings.values())))
    yield from _title(case, "one core")
    yield "| | CPU s/step | extremes | completions/CPU s | ratio | MiB |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, found in readings.items():
        cpus, peak = [reading.cpu for reading in found], max(reading.peak for reading in found)
        cpu = statistics.median(cpus)
        yield (
            f"| {name} | {cpu:.3f} | {min(cpus):.3f}–{max(cpus):.3f} | {case.size.batch / cpu:.1f} | {base / cpu:.2f} "
            f"| {peak:.0f} |"
        )


def wall_table(case: Case, readings: Mapping[str, Sequence[Reading]]) -> Iterator[str]:
    """Wall seconds, completions per second and the ratio to the first side."""
    base = statistics.median(reading.wall for reading in next(iter(readings.values())))
    yield from _title(case, "two cores, wall time")
    yield "| | processes | threads of each | s/step | completions/s | ratio |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, found in readings.items():
        wall = statistics.median(reading.wall for reading in found)
        yield (
            f"| {name} | {found[0].processes} | {found[0].threads} | {wall:.3f} | {case.size.batch / wall:.1f} "
            f"| {base / wall:.2f} |"
        )


def _title(case: Case, measured: str) -> Iterator[str]:
    updates = f"{case.epochs} × {case.mini_batches} updates a step" if case.epochs > 1 else "1 update a step"
    yield ""
    yield f"## {NAMES[case.algorithm]}, {case.size.title}, {updates}: {measured}"
    yield ""
