"""Trainings that take turns: each is suspended while another runs, and interrupted steps do not count."""

import os
import sys
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from benchmarks.speed.tables import core_table
from benchmarks.speed.trainings import CASES, Reading
from benchmarks.speed.turns import Training, in_turns

STEPPING = """
import sys, time
from benchmarks.speed.clock import record_time
while True:
    time.sleep(float(sys.argv[1]))
    record_time()
"""

BUSY_IN_TWO_PROCESSES = """
import subprocess, sys, time
from benchmarks.speed.clock import record_time
other = subprocess.Popen([sys.executable, "-P", "-c", sys.argv[1]]) if len(sys.argv) > 1 else None
while True:
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    record_time()
"""


def stepping(log: Path, seconds: float) -> Training:
    """A process that records a step each time this many seconds have passed."""
    return Training([sys.executable, "-c", STEPPING, str(seconds)], log, threads=1)


def alive_below(process: psutil.Process) -> set[int]:
    return {child.pid for child in process.children(recursive=True)}


@pytest.mark.process
def test_trainings_take_turns_and_no_step_spans_a_pause(tmp_path: Path) -> None:
    before = alive_below(psutil.Process(os.getpid()))
    sides = {"slow": stepping(tmp_path / "slow.log", 0.2), "quick": stepping(tmp_path / "quick.log", 0.1)}
    taken = list(in_turns(sides, turns=3, steps=2))
    spans = []
    for turn in taken:
        assert list(turn) == ["slow", "quick"]
        for name, steps in turn.items():
            assert len(steps) >= 2
            for begin, end in steps:
                assert 0.1 <= end["wall"] - begin["wall"] < 0.2 + 0.3, name
            spans.append((steps[0][0]["wall"], steps[-1][1]["wall"], name))
    spans.sort()
    assert [name for *_, name in spans] == ["slow", "quick", "quick", "slow", "slow", "quick"]
    assert all(end <= begin for (_, end, one), (begin, _, other) in pairwise(spans) if one != other)
    assert alive_below(psutil.Process(os.getpid())) == before


@pytest.mark.process
def test_the_cpu_seconds_of_a_step_are_those_of_all_processes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUSY_IN_TWO_PROCESSES, BUSY_IN_TWO_PROCESSES]
    (turn,) = in_turns({"two": Training(command, tmp_path / "two.log", threads=1, processes=2)}, turns=1, steps=3)
    for before, after in turn["two"]:
        assert 0.1 <= after["cpu"] - before["cpu"] < 0.15
        assert after["peak"] >= before["peak"] > 5


@pytest.mark.process
def test_a_training_that_ends_too_early_is_told_with_what_it_said(tmp_path: Path) -> None:
    failing = Training([sys.executable, "-c", "raise ValueError('no data')"], tmp_path / "failing.log", threads=1)
    with pytest.raises(SystemExit, match="no data"):
        list(in_turns({"failing": failing}, turns=1, steps=1))


def test_a_ratio_is_of_neighbouring_turns() -> None:
    readings = {
        "theirs": [Reading(cpu=seconds, wall=seconds, peak=900.0) for seconds in (2.0, 4.0, 2.2)],
        "ours": [Reading(cpu=seconds, wall=seconds, peak=800.0) for seconds in (1.0, 2.0, 2.0)],
    }
    *_, theirs, ours = core_table(CASES[0], readings)
    assert theirs == "| theirs | 2.200 (2.000–4.000) | 29.1 | 1.00 | 900 |"
    assert ours == "| ours | 2.000 (1.000–2.000) | 32.0 | 2.00 (1.10–2.00) | 800 |"
