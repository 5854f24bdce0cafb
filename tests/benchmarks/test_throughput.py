"""Tests of the simulator of throughput, by closed forms, and of what the time budget says of its logs."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.throughput.bundled_trainer import CASES, judged_cases
from benchmarks.throughput.judging import Judged, judged
from benchmarks.throughput.layout import KINDS, Kind, Layout, random_layout
from benchmarks.throughput.page import page, share_close, share_right
from benchmarks.throughput.simulation import mean_step, simulate
from benchmarks.throughput.slow_disk import compiler

EVEN = Layout(
    kind="overlapping",
    per_token=0.01,
    grader=2.0,
    reference=1.0,
    update=4.0,
    sync=3.0,
    every=1,
    length=800,
    tail=0.0,
    answers=16,
    workers=4,
    groups=4,
    capacity=16,
    jitter=0.0,
)
"""Four workers make four groups in 10 s; the trainer needs 5 s for them, and a sync takes 3 s."""


def test_overlapping_sides_take_as_long_as_the_slower_one_and_the_sync() -> None:
    assert mean_step(simulate(EVEN, 200, seed=0)) == pytest.approx(10 + 3, rel=0.02)
    assert mean_step(simulate(replace(EVEN, update=19.0), 200, seed=0)) == pytest.approx(20 + 3, rel=0.02)


def test_what_the_faster_side_waits_is_what_it_is_faster_by() -> None:
    waiting = simulate(EVEN, 200, seed=0)[100:]
    assert np.mean([row["rollout_wait_time"] for row in waiting]) == pytest.approx(5, rel=0.02)
    held_back = simulate(replace(EVEN, update=19.0), 200, seed=0)[100:]
    assert np.mean([row["backpressure_time"] for row in held_back]) == pytest.approx(10, rel=0.02)


def test_in_turn_a_step_is_the_sum_of_its_stages() -> None:
    alone = replace(EVEN, kind="in turn", workers=0, groups=1)
    assert mean_step(simulate(alone, 20, seed=0)) == pytest.approx(8 + 2 + 1 + 4 + 3)
    assert mean_step(simulate(alone.without("generate"), 20, seed=0)) == pytest.approx(2 + 1 + 4 + 3, rel=1e-3)


def test_the_same_seed_is_the_same_training() -> None:
    layout = random_layout(np.random.default_rng(3), "overlapping")
    assert simulate(layout, 30, seed=1) == simulate(layout, 30, seed=1)
    assert simulate(layout, 30, seed=1) != simulate(layout, 30, seed=2)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    generator, folder = np.random.default_rng(11), tmp_path_factory.mktemp("logs")
    kinds: list[Kind] = [*KINDS] * 8
    return [judged(random_layout(generator, kind), 80, n, folder / str(n)) for n, kind in enumerate(kinds)]


def test_the_bottleneck_is_named_and_the_speed_up_predicted(found: list[Judged]) -> None:
    assert share_right(found) >= 0.95
    assert share_close(found) >= 0.95
    assert {one.named for one in found} >= {"generate", "score", "update", "sync"}


def test_being_slow_is_never_critical(found: list[Judged]) -> None:
    assert "critical" not in {one.worst for one in found}


@pytest.mark.process
def test_the_page_says_how_it_was_made(found: list[Judged]) -> None:
    text = page(found, "python -m benchmarks.throughput", 80)
    assert text.startswith("# Throughput\n\nPrinted by `python -m benchmarks.throughput` on ")
    assert f"| all | {len(found)} | " in text


@pytest.mark.process
@pytest.mark.skipif(
    not sys.platform.startswith("linux") or compiler() is None, reason="the slow disk needs Linux and cc"
)
def test_a_real_training_whose_log_lies_on_a_slow_disk_is_held_up_by_logging(tmp_path: Path) -> None:
    (found,) = judged_cases(tmp_path, [case for case in CASES if case.stage == "log"])
    assert (found.named, found.is_right) == ("log", True)
    assert found.sentence.startswith("Held up by logging: ")
    assert found.measured < 0.9
