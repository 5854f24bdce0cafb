"""Trainings that take turns: one runs for a few steps while the others are suspended, then the next one.

On a shared machine, speed varies from minute to minute by more than what is to be measured. Turns of seconds expose all
sides to the same load, so the ratio of neighbouring turns is more reliable than their times.
"""

import json
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import psutil

from benchmarks.speed.clock import CLOCK_VARIABLE

WARM_UP_STEPS = 2
_SECONDS_BETWEEN_LOOKS = 0.05
_LONGEST_SECONDS = 600
"""For a turn; a training that takes longer hangs."""

Note = dict[str, float]


@dataclass(frozen=True, slots=True)
class Training:
    """A training that records its steps with `benchmarks.speed.clock`."""

    command: Sequence[str]
    log: Path
    threads: int | None
    """Of each process; None for as many as torch takes."""
    processes: int = 1

    def started(self) -> "Running":
        """Start it; it has the first turn."""
        clock = self.log.with_suffix(".clock")
        environment = {**os.environ, CLOCK_VARIABLE: str(clock)}
        if self.threads:
            environment["OMP_NUM_THREADS"] = str(self.threads)
        else:
            environment.pop("OMP_NUM_THREADS", None)
        with self.log.open("w") as output:
            process = psutil.Popen(self.command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        return Running(process, clock, self.log, self.processes)


@dataclass(slots=True)
class Running:
    """A started training, which runs only during its turns."""

    process: psutil.Popen
    clock: Path
    log: Path
    processes: int = 1
    paused: list[psutil.Process] = field(default_factory=list)

    def turn(self, steps: int) -> list[tuple[Note, Note]]:
        """Let it run for at least this many whole steps; returns the notes before and after each.

        Raises:
            SystemExit: It ended, or hangs.
        """
        known, until = len(self._notes()), time.monotonic() + _LONGEST_SECONDS
        for process in self.paused:
            process.resume()
        while len(self._notes()) <= known + steps:
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit(
                    f"no {steps} steps within {_LONGEST_SECONDS} s or before it ended; it said: {self.last_output()}"
                )
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        self.paused = [self.process, *self.process.children(recursive=True)]
        for process in self.paused:
            process.suspend()
        return list(pairwise(self._notes()[known:]))

    def end(self) -> None:
        """Kill it and all its processes."""
        if self.process.poll() is None:
            for process in [self.process, *self.process.children(recursive=True)]:
                process.kill()
            self.process.wait()

    def last_output(self) -> str:
        """The end of its output."""
        return self.log.read_text()[-2000:]

    def _notes(self) -> list[Note]:
        """One note per call of the reward function, which every process of the training calls and records."""
        lines = self.clock.read_text().splitlines() if self.clock.exists() else []
        of_process: defaultdict[int, list[Note]] = defaultdict(list)
        for line in lines:
            note = json.loads(line)
            of_process[note["pid"]].append(note)
        has_all = len(of_process) == self.processes
        return [_joined(notes) for notes in zip(*of_process.values(), strict=False)] if has_all else []


def _joined(notes: Sequence[Note]) -> Note:
    """The notes of a training's processes for the same call: the sum of their CPU seconds, and the largest memory."""
    return {
        "wall": max(note["wall"] for note in notes),
        "cpu": sum(note["cpu"] for note in notes),
        "peak": max(note["peak"] for note in notes),
    }


def in_turns(trainings: Mapping[str, Training], turns: int, steps: int) -> Iterator[dict[str, list[tuple[Note, Note]]]]:
    """For each turn, the steps of every training as notes before and after; the order changes from turn to turn.

    Everything before the first step, and the step during which a turn begins, are left out. At the end all are killed:
    they are configured for more steps than they get.
    """
    running: dict[str, Running] = {}
    try:
        for name, training in trainings.items():
            running[name] = training.started()
            running[name].turn(WARM_UP_STEPS)
        for number in range(turns):
            names = list(running) if number % 2 == 0 else list(reversed(running))
            taken = {name: running[name].turn(steps) for name in names}
            yield {name: taken[name] for name in running}
    finally:
        for each in running.values():
            each.end()
