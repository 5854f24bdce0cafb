"""Tests of a diagnosis that follows a growing run within a bounded share of one core."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.api import LiveDiagnosis, diagnose
from diagnostics.model.diagnosis import Diagnosis, UnknownLimitError
from diagnostics.model.run import Run, Status
from diagnostics.model.samples import Sample, Samples

MakeRun = Callable[..., Run]
SECONDS_OF_A_TABLE = 0.5


class Clock:
    """A clock that moves only on demand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def costly(make_run: MakeRun, clock: Clock) -> Callable[[int], Run]:
    """A running run of that many points, whose one table of samples takes half a second to read."""

    def load(step: int) -> tuple[Sample, ...]:
        clock.now += SECONDS_OF_A_TABLE
        return tuple(Sample(step, f"q{row}", f"an answer of some words {row}") for row in range(16))

    def make(points: int) -> Run:
        run = make_run(
            "grpo", reward=f"0..1x{points}", truncated_fraction=f"0.05x{min(points, 60)} 0.95x{max(points - 60, 0)}"
        )
        return replace(run, samples=Samples((1,), load), status=Status(state="running"))

    return make


def ended(run: Run) -> Run:
    return replace(run, status=Status(state="finished"))


def test_diagnosing_takes_no_more_than_its_share(costly: Callable[[int], Run], clock: Clock) -> None:
    live, diagnosed = LiveDiagnosis(share=0.1, clock=clock), set()
    spent = 0.0
    for points in itertools.count(2):
        started = clock.now
        diagnosed.add(id(live.update(costly(points))))
        spent += clock.now - started
        clock.now += 0.25
        if clock.now > 60:
            break

    assert spent <= 0.1 * clock.now + SECONDS_OF_A_TABLE
    assert spent >= 0.08 * clock.now


def test_a_run_is_diagnosed_again_when_the_share_allows(costly: Callable[[int], Run], clock: Clock) -> None:
    live = LiveDiagnosis(share=0.1, clock=clock)
    first = live.update(costly(10))
    clock.now = 10 * SECONDS_OF_A_TABLE - 0.01
    assert live.update(costly(11)) is first
    clock.now = 10 * SECONDS_OF_A_TABLE
    assert len(live.update(costly(12)).run.steps) == 12


def test_a_run_that_has_ended_is_diagnosed_at_once(costly: Callable[[int], Run], clock: Clock) -> None:
    live = LiveDiagnosis(clock=clock)
    live.update(costly(10))
    last = ended(costly(11))
    assert live.update(last).run is last


def test_an_unchanged_run_is_diagnosed_once(costly: Callable[[int], Run], clock: Clock) -> None:
    live, run = LiveDiagnosis(clock=clock), ended(costly(10))
    first = live.update(run)
    clock.now += 1000
    assert live.update(run) is first


def test_a_rule_that_fires_is_seen_one_interval_late_at_most(costly: Callable[[int], Run], clock: Clock) -> None:
    live, interval = LiveDiagnosis(share=0.1, clock=clock), SECONDS_OF_A_TABLE / 0.1
    fired_at = seen_at = None
    for points in itertools.count(50):
        run = costly(points)
        fired_at = clock.now if fired_at is None and is_seen(diagnose_free(run, clock)) else fired_at
        if is_seen(live.update(run)):
            seen_at = clock.now
            break
        clock.now += 0.25

    assert fired_at is not None
    assert seen_at - fired_at <= interval + SECONDS_OF_A_TABLE


def diagnose_free(run: Run, clock: Clock) -> Diagnosis:
    """What `diagnose` says, at no time on the clock."""
    before = clock.now
    diagnosis = diagnose(run)
    clock.now = before
    return diagnosis


def is_seen(diagnosis: Diagnosis) -> bool:
    return any(outcome.rule == "truncation-high" for outcome in diagnosis.fired)


def test_it_says_what_diagnose_says(costly: Callable[[int], Run], clock: Clock) -> None:
    run, limits = costly(80), {"truncation-high": {"critical": 0.4}}
    assert repr(LiveDiagnosis(limits, clock=clock).update(run)) == repr(diagnose(run, limits))


def test_a_limit_that_does_not_exist_is_named(costly: Callable[[int], Run], clock: Clock) -> None:
    with pytest.raises(UnknownLimitError, match="did you mean truncation-high"):
        LiveDiagnosis({"truncation-hihg": {"critical": 0.4}}, clock=clock).update(costly(10))
