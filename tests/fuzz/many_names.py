"""A step of a million names, in every format that supports it: `python -m tests.fuzz.many_names`, part of `make fuzz`.

Each is written by the writer of the conformance suite and read whole, in a separate process with a memory limit; no
dashboard could draw it, but no reader may crash on it.
"""

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from diagnostics.api import open_run
from tests.diagnostics.readers.writers.catalog import METRIC_WRITERS
from tests.diagnostics.readers.writers.writer import MetricWriter

NAMES = 1_000_000
MOST_BYTES = 16 << 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Write, read and compare each format; returns 1 if one differs from what was written."""
    kinds = {kind.__name__.removesuffix("Writer"): kind for kind in METRIC_WRITERS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", type=int, default=NAMES)
    parser.add_argument("--format", choices=kinds, action="append")
    options = parser.parse_args(arguments)
    wrong = 0
    for form in options.format or kinds:
        process = multiprocessing.get_context("spawn").Process(
            target=read_one_format, args=(kinds[form], options.names)
        )
        process.start()
        process.join()
        wrong += process.exitcode != 0
    return min(wrong, 1)


def read_one_format(kind: type[MetricWriter], names: int) -> None:
    """Write and read one format and print the result; exits with 1 if something is missing or wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    count = min(names, kind.most_names)
    with tempfile.TemporaryDirectory() as place:
        writer = kind(Path(place) / "run")
        for step in range(1, kind.fewest_rows + 1):
            writer.write(step, {"loss": 1.0, **{f"name/{number}": float(number) for number in range(1, count)}})
        writer.close()
        began = time.process_time()
        series = open_run(writer.path).series
        spent = time.process_time() - began
    right = len(series) == count and all(
        series[f"name/{n}"].values.tolist() == [n] * kind.fewest_rows for n in range(1, count, 997)
    )
    sys.stdout.write(f"{kind.__name__}: {count:,} names in {spent:.1f} CPU s, {'whole' if right else 'not whole'}\n")
    sys.exit(not right)


if __name__ == "__main__":
    sys.exit(main())
