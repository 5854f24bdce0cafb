"""Tests of the stopwatch: stages, laps, and what is written between two laps."""

import time

import pytest

from trainer.run.stopwatch import Stopwatch

SHORT, LONG = 0.01, 0.03


def test_a_lap_holds_each_stage_and_the_whole() -> None:
    watch = Stopwatch()
    with watch.timing("generate"):
        time.sleep(LONG)
    with watch.timing("update"):
        time.sleep(SHORT)
    lap = watch.lap()
    assert set(lap) == {"step_time", "perf/generate_s", "perf/update_s", "perf/log_s", "perf/checkpoint_s"}
    assert lap["step_time"] >= lap["perf/generate_s"] + lap["perf/update_s"] >= LONG + SHORT
    assert lap["perf/generate_s"] >= LONG
    assert (lap["perf/log_s"], lap["perf/checkpoint_s"]) == (0.0, 0.0)


def test_what_follows_a_lap_belongs_to_the_next() -> None:
    watch = Stopwatch()
    watch.lap()
    with watch.timing("checkpoint"):
        time.sleep(LONG)
    lap = watch.lap()
    assert lap["step_time"] >= lap["perf/checkpoint_s"] >= LONG
    assert "perf/generate_s" not in lap


def test_a_stage_that_fails_was_timed_all_the_same() -> None:
    watch = Stopwatch()
    with pytest.raises(ValueError, match="no"), watch.timing("score"):
        time.sleep(SHORT)
        raise ValueError("no")
    assert watch.lap()["perf/score_s"] >= SHORT
