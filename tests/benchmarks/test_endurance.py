"""Tests of the endurance run's judgement: what holds, and each bound that can break."""

from dataclasses import replace

import pytest

from benchmarks.endurance import WARM_UP, Findings, broken_bounds
from benchmarks.enduring.dashboard import Holdings

HELD = Holdings(memory=200.0, threads=20, files=60, processes=2)


def findings(last: Holdings = HELD) -> Findings:
    """What was measured: the first three quarters hold HELD, the last one `last`."""
    times = [second / 100 for second in range(100)]
    taken = [(at, last if at >= 1 - (1 - WARM_UP) / 4 else HELD) for at in times]
    states = {"a": "running", "b": "died"}
    return Findings(taken, None, states, {"rlvitals runs": dict(states)})


def test_what_stays_within_a_tenth_is_flat() -> None:
    assert list(broken_bounds(findings())) == []
    assert list(broken_bounds(findings(replace(HELD, memory=219.0)))) == []
    assert list(broken_bounds(findings(replace(HELD, memory=181.0)))) == []


def test_a_warm_up_does_not_count() -> None:
    measured = findings()
    measured.taken[:10] = [(at, replace(HELD, memory=50.0)) for at, _ in measured.taken[:10]]
    assert list(broken_bounds(measured)) == []


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (replace(HELD, memory=221.0), "memory, MiB went from 200.0 to 221.0"),
        (replace(HELD, memory=179.0), "memory, MiB went from 200.0 to 179.0"),
        (replace(HELD, processes=3), "processes went from 2.0 to 3.0"),
    ],
)
def test_what_grows_is_said(last: Holdings, said: str) -> None:
    assert list(broken_bounds(findings(last))) == [said]


def test_threads_and_files_may_come_and_go_but_not_stay() -> None:
    measured = findings(replace(HELD, threads=40, files=90))
    assert list(broken_bounds(measured)) == []
    measured.at_rest = HELD
    assert list(broken_bounds(measured)) == []
    measured.at_rest = replace(HELD, threads=21, files=61)
    assert list(broken_bounds(measured)) == [
        "threads: 21 at rest, 20.0 with pages open",
        "open files: 61 at rest, 60.0 with pages open",
    ]


def test_a_wrong_state_and_a_leftover_are_said() -> None:
    measured = findings()
    measured.shown["page"] = {"a": "silent"}
    measured.leftovers.append("123 python")
    assert list(broken_bounds(measured)) == [
        "page shows a as silent; it is running",
        "page shows b as nothing; it is died",
        "left behind: 123 python",
    ]
