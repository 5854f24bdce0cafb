"""Times several readers on one folder in turn, each in its own process; each one's best reading counts."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

OURS, RUST, SLOW = "ours", "rust", ("accumulator", "tbparse")
PEERS_SCRIPT = Path(__file__).parents[1] / "peers" / "event_readers.py"
_LONGEST_SECONDS = {RUST: 60.0}  # it needs ten at most, and occasionally hangs
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds, peak memory (MiB), and the number of points or runs found, if the reader reports it."""

    cpu: float
    peak: float
    events: int = 0


Reading = Callable[[], Measured]


def ours(what: str, folder: Path, cache: Path | None = None) -> Measured:
    """One reading by ours; without a cache folder the cache is neither written nor read."""
    command = [sys.executable, "-m", "benchmarks.reading.ours", what, str(folder)]
    return _measured(command, os.environ | {"XDG_CACHE_HOME": str(cache or os.devnull)})


def peer(python: Path, name: str, folder: Path) -> Measured:
    """One reading by another reader, under the Python of its environment."""
    return _measured([str(python), str(PEERS_SCRIPT), name, str(folder)], os.environ, _LONGEST_SECONDS.get(name))


def in_turn(readings: Mapping[str, tuple[Reading, int]]) -> dict[str, Measured]:
    """The best reading of each, taken the given number of times, in rounds of one each."""
    found: dict[str, list[Measured]] = {name: [] for name in readings}
    for repetition in range(max(times for _, times in readings.values())):
        for name, (reading, times) in readings.items():
            if repetition < times:
                found[name].append(reading())
    return {name: best(measured) for name, measured in found.items()}


def best(measured: list[Measured]) -> Measured:
    """The lowest CPU time and memory of several readings."""
    return Measured(min(one.cpu for one in measured), min(one.peak for one in measured), measured[0].events)


def _measured(command: list[str], environment: Mapping[str, str], seconds: float | None = None) -> Measured:
    """The output of a process; one that takes too long is restarted."""
    for _ in range(_ATTEMPTS):
        with suppress(subprocess.TimeoutExpired):
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=seconds)
            return Measured(**json.loads(done.stdout))
    raise TimeoutError(f"{' '.join(command)} did not end within {seconds:.0f} s, {_ATTEMPTS} times in a row")
