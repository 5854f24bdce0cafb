"""A short run of the readers' fuzzer, and checks that it detects failures and repeats itself."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from diagnostics.readers.base import FORMATS
from diagnostics.readers.tables import metric_rows
from tests.fuzz import processes
from tests.fuzz.kinds import KINDS, Case, case
from tests.fuzz.look import Outcome, look
from tests.fuzz.processes import Result, results_of
from tests.fuzz.readers import selected
from tests.fuzz.seeds import SEEDS
from tests.fuzz.summary import Summary, failure_lines
from tests.pace import MOST_STRETCH, slowness

LARGE = {
    2083: "a row of 100,000 names",  # of CSV
    4566: "a row of 100,000 names",  # of JSON
}
"""Cases of size that take the longest, by number."""
SAMPLE = dict.fromkeys(KINDS, 30) | {"sizes": 6}  # a case of size takes seconds


def sample(kind: str) -> Iterator[Case]:
    return islice(selected(0, kind), SAMPLE[kind])


def test_every_format_has_a_seed() -> None:
    assert {form.name for form in FORMATS} == set(SEEDS)


@pytest.mark.process
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_run_becomes_a_run_or_the_documented_error(kind: str) -> None:
    failures = [result for result in results_of(sample(kind), processes=2) if result.outcome.is_failure]
    assert list(failure_lines(failures)) == []


@pytest.mark.process
@pytest.mark.parametrize("number", LARGE)
def test_a_large_run_is_read_within_the_limits(number: int) -> None:
    before = slowness()
    (result,) = results_of([case(number)], processes=1, most=MOST_STRETCH * processes.SECONDS)
    assert (result.what, result.outcome) == (LARGE[number], Outcome.RUN)
    assert result.seconds < processes.SECONDS * max(before, slowness())


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "sizes"])
def test_a_number_stands_for_the_same_damage_each_time(kind: str, tmp_path: Path) -> None:
    for chosen in sample(kind):
        if chosen.form != "rlvitals":  # its seed writes the time
            once, again = tmp_path / f"{chosen.number}-once", tmp_path / f"{chosen.number}-again"
            assert chosen.make(once).what == chosen.make(again).what
            assert contents(once) == contents(again)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_reader_that_raises_anything_else_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in SEEDS["table"]:
        seed(tmp_path)
    monkeypatch.setattr(metric_rows, "STEP_NAMES", None)

    outcome, detail = look(tmp_path)

    assert (outcome, detail.split()[0]) == (Outcome.RAISED, "TypeError")


@pytest.mark.process
@pytest.mark.parametrize(("limit", "outcome"), [("SECONDS", Outcome.SLOW), ("BYTES", Outcome.LARGE)])
def test_a_case_beyond_a_limit_is_ended_and_reported(
    limit: str, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, limit, -1)
    (result,) = results_of([case(0)], processes=1)
    assert (result.case.number, result.outcome) == (0, outcome)


def test_the_summary_counts_each_outcome_and_names_the_cases_that_fail() -> None:
    summary = Summary()
    summary.add(Result(case(0), "a", Outcome.RUN, seconds=1.0))
    summary.add(Result(case(0), "b", Outcome.RAISED, "ValueError in line 1 of a.py: 'x'", seconds=2.0, bytes=3_000_000))
    *_, row = summary.table()
    assert f"| {case(0).kind} | 2 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 2.0 (0) | 3 (0) |" == row
    assert list(failure_lines(summary.failures)) == [
        "- 1 × other exception: ValueError in line 1 of a.py: 'x' (case 0: b)"
    ]
