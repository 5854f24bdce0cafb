"""The fuzzer of the readers: opens damaged runs of every format, each of which must become a Run or a clear error.

    python -m tests.fuzz.readers [--files 20000] [--seed 0] [--format NAME]

A worker opens them with a memory limit, and a time limit for each. Prints a line for every kind of failure, with the
case that shows it (`--case SEED` opens only that one), and exits with 1 if there is any.
"""

import argparse
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from diagnostics.api import LiveRun, UnreadableRun, find_runs
from tests.fuzz.mutations import mutate
from tests.fuzz.seeds import SEEDS

MEMORY_BYTES = 512 << 20  # on top of the worker's memory after its imports
SECONDS_PER_FILE = 5
SECONDS_UNTIL_KILLED = 30  # for a worker that does not react to the alarm
SAMPLED_STEPS = 3
_BEGUN, _DONE = "begun", "done"


@dataclass(frozen=True, slots=True)
class Failure:
    """One case with a wrong outcome."""

    case: int
    what: str


class TooSlowError(Exception):
    """A file took longer than `SECONDS_PER_FILE`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz and report; returns 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=SEEDS)
    parser.add_argument("--case", type=int)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    cases = range(options.seed, options.seed + options.files) if options.case is None else [options.case]
    formats = [options.format] if options.format else list(SEEDS)
    if options.work:
        work(cases, formats)
        return 0
    failures = fuzz(cases, formats)
    kinds = Counter(failure.what for failure in failures)
    for what, count in kinds.most_common():
        first = next(failure.case for failure in failures if failure.what == what)
        sys.stdout.write(f"{count} times, first in case {first}: {what}\n")
    sys.stdout.write(f"{len(cases)} files of {len(formats)} formats, {len(failures)} failures\n")
    return 1 if failures else 0


def fuzz(cases: Sequence[int], formats: Sequence[str]) -> list[Failure]:
    """Open every case in a worker; a worker that dies or hangs loses only its current case."""
    failures: list[Failure] = []
    left = list(cases)
    while left:
        done, has_begun = 0, False
        for line in _worker_lines(left, formats):
            has_begun = True
            if line == _BEGUN:
                continue
            if line == _DONE:
                done += 1
            else:
                failures.append(Failure(left[done], line))
        if not has_begun:
            raise RuntimeError("the worker died before its first case; see what it wrote to stderr")
        if done < len(left):
            failures.append(Failure(left[done], "the worker died or hung"))
            done += 1
        left = left[done:]
    return failures


def _worker_lines(cases: Sequence[int], formats: Sequence[str]) -> Iterator[str]:
    """The lines that a worker prints: `done` for each case, preceded by its failure, if any."""
    selected = ["--format", formats[0]] if len(formats) == 1 else []
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.readers",
        "--work",
        "--seed",
        str(cases[0]),
        "--files",
        str(len(cases)),
    ]
    with subprocess.Popen([*command, *selected], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        watch = signal.signal(signal.SIGALRM, lambda *_: worker.kill())
        try:
            for line in worker.stdout:
                signal.alarm(SECONDS_UNTIL_KILLED)
                yield line.strip()
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, watch)


def work(cases: Sequence[int], formats: Sequence[str]) -> None:
    """Open each case and print its outcome."""
    with tempfile.TemporaryDirectory() as scratch:
        sound = Path(scratch) / "sound"
        folders = [
            (name, _make_run(seed, sound / f"{name}{n}")) for name in formats for n, seed in enumerate(SEEDS[name])
        ]
        for _, folder in folders:
            open_all_runs(folder)  # imports what the formats need before the limit applies
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY_BYTES, resource.RLIM_INFINITY))
        _print_line(_BEGUN)
        for case in cases:
            draw = random.Random(case)
            name, folder = draw.choice(folders)
            damaged = shutil.copytree(folder, Path(scratch) / "damaged")
            _damage_one_file(draw, damaged)
            if what := failure(damaged):
                _print_line(f"{name}: {what}")
            _print_line(_DONE)
            shutil.rmtree(damaged)


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def failure(folder: Path) -> str:
    """What went wrong when a folder was opened; empty if nothing did."""
    try:
        with _time_limit():
            open_all_runs(folder)
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        ours = next((place for place in reversed(places) if "diagnostics" in place.filename), places[-1])
        return f"{type(error).__name__} at {Path(ours.filename).name}:{ours.lineno}: {str(error)[:100]!r}"
    return ""


def open_all_runs(folder: Path) -> None:
    """Find the runs of a folder and open each, with a few of its samples; unreadable ones must say so in a sentence."""
    for ref in find_runs(folder):
        try:
            run = LiveRun(ref).refresh()
        except UnreadableRun:
            continue
        assert run is not None
        for step in run.samples.steps[:SAMPLED_STEPS]:
            run.samples.at(step)


def _make_run(seed: object, folder: Path) -> Path:
    assert callable(seed)
    seed(folder)
    return folder


def _damage_one_file(draw: random.Random, folder: Path) -> None:
    """Damage one file of a run."""
    file = draw.choice(sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size))
    file.write_bytes(mutate(draw, file.read_bytes(), "tfevents" in file.name))


@contextmanager
def _time_limit() -> Iterator[None]:
    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"took longer than {SECONDS_PER_FILE} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS_PER_FILE)
    try:
        yield
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    sys.exit(main())
