"""The status of a run: one word for its health, and no figure that the log does not tell."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import diagnose
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series
from diagnostics.model.status import Status
from diagnostics.wording.status_block import Health, StatusBlock, status_block

NOW = time.time()


def told(status: Status, points: int = 40, pace: float | None = 2.0, reward: float = 0.5) -> StatusBlock:
    """The status of a GRPO run whose last step has just been logged."""
    steps = np.arange(1, points + 1)
    times = NOW - pace * (points - steps) if pace is not None else np.empty(0)
    values = {"reward": np.linspace(0.1, reward, points), "kl_per_token": np.full(points, 0.01)}
    series = {name: Series(name, name, steps, value, times) for name, value in values.items()}
    run = Run(Path("runs/a"), "id", "a", (), "trl", None, "grpo", series, {}, Samples(), status, DataHealth(), NOW)
    return status_block(diagnose(run))


def test_a_running_run_tells_its_share_its_time_left_and_when_to_look() -> None:
    block = told(Status("running", 40, 100, last_written=NOW))
    assert block.progress == "running · step 40 of 100 · 40 % · 2 min left"
    assert (block.share, block.seconds_left) == (0.4, pytest.approx(120))
    assert (block.next_look, block.seconds_to_next_look) == ("in 1 min, after 30 more steps", 60.0)
    assert block.performance[0].startswith("reward 0.454 (mean of the last 10 logged steps, 0.146 in the first 10)")
    assert block.performance[1] == "2 s a step; its parts are not logged."


def test_what_the_log_does_not_tell_is_said_to_be_unknown() -> None:
    block = told(Status("running", 40, None), pace=None)
    assert block.progress == "running · step 40 · the total is not known · time left not known"
    assert (block.share, block.seconds_left, block.step_seconds) == (None, None, None)
    assert block.next_look == "not known: the log does not tell how long a step takes"
    assert block.performance[1] == "the time of a step is not known; its parts are not logged."


def test_a_run_of_which_too_little_is_logged_is_not_called_healthy() -> None:
    block = told(Status("running", 40, 100))
    assert (block.health, block.reason) == (
        Health.UNKNOWN,
        "no problem found, but too much could not be checked or is muted",
    )


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status("failed", 40, 100, error="CUDA out of memory"), "failed: CUDA out of memory"),
        (Status("died", 40, 100), "died"),
        (
            Status("silent", 40, 100, last_written=NOW - 7200),
            "last written 2 h ago; the log does not say whether it ended or hangs",
        ),
        (
            Status("running", 40, 100, suspended=17, is_ours=True),
            "suspended: kill -CONT 17 lets its process go on",
        ),
    ],
    ids=lambda value: value.state if isinstance(value, Status) else "",
)
def test_a_run_that_neither_trains_nor_ended_as_planned_is_down(status: Status, reason: str) -> None:
    block = told(status)
    assert (block.health, block.reason) == (Health.DOWN, reason)
    assert (block.next_look, block.seconds_to_next_look) == ("now: rlvitals diagnose runs/a", 0.0)


def test_a_silent_log_that_reached_its_last_step_is_not_down() -> None:
    block = told(Status("silent", 40, 40, last_written=NOW - 7200))
    assert (block.health, block.next_look) == (Health.UNKNOWN, "none: it has ended")


def test_a_reward_that_is_no_number_is_told_and_the_run_degraded() -> None:
    block = told(Status("running", 40, 100), reward=float("nan"))
    assert block.health is Health.DEGRADED
    assert block.reason.startswith("critical, since step ")
    assert block.performance[0] == "reward is not a number in its last 10 logged steps"
    assert block.next_look == "now: rlvitals diagnose runs/a"


def test_the_end_is_the_next_look_where_it_is_near() -> None:
    assert told(Status("running", 40, 50)).next_look == "in 20 s, at its end"


def test_a_run_without_a_metric_has_no_known_health() -> None:
    block = told(Status("starting", None, 100))
    bare = status_block(diagnose(replace(block.run, series={})))
    assert (bare.health, bare.reason) == (Health.UNKNOWN, "no metric is logged yet")
    assert bare.performance[0] == "the reward is not known: none is logged"
