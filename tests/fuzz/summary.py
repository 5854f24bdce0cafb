"""The fuzzer's results as a table: how the cases of each kind ended, and the slowest and the largest."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from benchmarks.machine import machine
from tests.fuzz.kinds import KINDS
from tests.fuzz.look import Outcome
from tests.fuzz.processes import BYTES, SECONDS, Result


class Summary:
    """Counts results as they come; keeps the failures, and of each kind the slowest and the largest."""

    def __init__(self) -> None:
        self.failures: list[Result] = []
        self._counts: Counter[tuple[str, Outcome]] = Counter()
        self._slowest: dict[str, Result] = {}
        self._largest: dict[str, Result] = {}

    @property
    def count(self) -> int:
        """How many cases there were."""
        return self._counts.total()

    def add(self, result: Result) -> None:
        """Count one."""
        kind = result.case.kind
        self._counts[kind, result.outcome] += 1
        if result.outcome.is_failure:
            self.failures.append(result)
        self._slowest[kind] = max(self._slowest.get(kind, result), result, key=lambda one: one.seconds)
        self._largest[kind] = max(self._largest.get(kind, result), result, key=lambda one: one.bytes)

    def table(self) -> Iterator[str]:
        """Lines of a Markdown table, a row for each kind."""
        head = ("kind", "cases", *Outcome, "slowest, s", "largest, MB")
        yield _row(head)
        yield _row(["---", *["---:"] * (len(head) - 1)])
        for kind in (name for name in KINDS if name in self._slowest):
            counts = [self._counts[kind, outcome] for outcome in Outcome]
            slowest, largest = self._slowest[kind], self._largest[kind]
            measured = (
                f"{slowest.seconds:.1f} ({slowest.case.number})",
                f"{largest.bytes / 1e6:.0f} ({largest.case.number})",
            )
            yield _row([kind, f"{sum(counts):,}", *(f"{count:,}" for count in counts), *measured])


def page(summary: Summary, seconds: float) -> Iterator[str]:
    """Lines of the page of results."""
    yield "# Damaged logs"
    yield ""
    command = f"python -m tests.fuzz.readers --cases {summary.count}"
    yield f"Printed by `{command}` on {datetime.now(UTC):%Y-%m-%d}; {machine()}; {seconds / 60:.0f} minutes."
    yield ""
    yield "Every case damages a small run of one format, then lists and diagnoses it, as `rlvitals runs` and"
    yield "`rlvitals diagnose` do, in a process of its own. It must end as a run or as the documented error, within"
    yield f"{SECONDS:.0f} s of CPU time and {BYTES // 1_000_000} MB of further memory."
    yield "Of a folder of many runs 50 are read."
    yield "Behind the slowest and the largest case stands its number, which runs it alone:"
    yield "`python -m tests.fuzz.readers --case NUMBER`."
    yield ""
    yield from summary.table()
    yield ""
    yield from (f"- **{name}**, {kind.share / 10:g} % of the cases: {kind.what}." for name, kind in KINDS.items())
    if summary.failures:
        yield ""
        yield "## Failures"
        yield ""
        yield from failure_lines(summary.failures)


def failure_lines(failures: Iterable[Result]) -> Iterator[str]:
    """One line for each way to fail, the most frequent first, with its first cases."""
    alike: dict[tuple[Outcome, str], list[Result]] = {}
    for failure in failures:
        alike.setdefault((failure.outcome, _shown(failure)), []).append(failure)
    for (outcome, shown), found in sorted(alike.items(), key=lambda item: -len(item[1])):
        cases = ", ".join(str(result.case.number) for result in sorted(found, key=lambda one: one.case.number)[:3])
        yield f"- {len(found)} × {outcome}: {found[0].detail or shown} (case {cases}: {found[0].what})"


def _shown(failure: Result) -> str:
    """What is alike about failures: the place of an exception, the rule, or else the format."""
    is_told = failure.outcome in (Outcome.RAISED, Outcome.BROKEN)
    return failure.detail.partition(":")[0] if is_told else failure.case.form


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
