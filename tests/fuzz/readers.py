"""The fuzzer of the readers: damaged runs of every format, each of which must become a run or the documented error.

    python -m tests.fuzz.readers [--cases 50000] [--first 0] [--kind NAME] [--format NAME] [--output FILE]
    python -m tests.fuzz.readers --case NUMBER [--keep FOLDER]

A case is its number: the same damage each time, whatever else is selected. Each runs in a process of its own, for
at most ten seconds and 500 MB. Prints a table, then every kind of failure with cases that show it, and exits with 1
if there is any.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from tests.fuzz.kinds import KINDS, Case, case
from tests.fuzz.processes import results_of
from tests.fuzz.seeds import SEEDS
from tests.fuzz.summary import Summary, failure_lines, page

CASES = 50_000
MINUTES = 240.0
SECONDS_BETWEEN_WORDS = 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz and report; returns 1 if anything failed."""
    options = _parser().parse_args(arguments)
    if options.case is not None:
        return _alone(case(options.case), options.keep)
    begun, summary = time.monotonic(), Summary()
    chosen = islice(selected(options.first, options.kind, options.format), options.cases)
    told = begun
    for result in results_of(_until(begun + 60 * options.minutes, chosen), options.processes):
        summary.add(result)
        if time.monotonic() - told > SECONDS_BETWEEN_WORDS:
            told = time.monotonic()
            sys.stderr.write(f"{summary.count:,} of {options.cases:,} cases, {len(summary.failures)} failures\n")
    _say(*summary.table(), *failure_lines(summary.failures))
    if options.output:
        options.output.write_text("\n".join([*page(summary, time.monotonic() - begun), ""]), "utf-8")
    return 1 if summary.failures else 0


def selected(first: int, kind: str | None = None, form: str | None = None) -> Iterator[Case]:
    """The cases from a number on, without an end, of one kind or format if it is given."""
    every = map(case, count(first))
    return (found for found in every if kind in (None, found.kind) and form in (None, found.form))


def _alone(chosen: Case, keep: Path | None) -> int:
    """Run one case, or only write what it damages to a folder."""
    if keep:
        keep.mkdir(parents=True)
        path, what = chosen.make(keep)
        _say(f"{chosen.kind}, {chosen.form}: {what}", f"rlvitals runs {str(path)[:200]!r}")
        return 0
    (result,) = results_of([chosen], 1)
    measured = f"{result.seconds:.2f} s, {result.bytes / 1e6:.0f} MB"
    _say(f"{chosen.kind}, {chosen.form}: {result.what}", f"{result.outcome}, {measured} {result.detail}")
    return 1 if result.outcome.is_failure else 0


def _until(end: float, cases: Iterable[Case]) -> Iterator[Case]:
    for found in cases:
        if time.monotonic() > end:
            return
        yield found


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join([*lines, ""]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--format", choices=SEEDS)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="begin no case after so long")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, help="write the page of results to this file")
    parser.add_argument("--case", type=int, metavar="NUMBER", help="run this one alone")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="only write the damaged run of --case there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
