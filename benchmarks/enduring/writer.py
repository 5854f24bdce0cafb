"""A training that only logs: writes one run directory through the run log at a given pace, until a signal or the end.

python -m benchmarks.enduring.writer DIRECTORY --pace 2.5 [--steps N] [--resume]
"""

import argparse
import math
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from diagnostics.runlog import RunLog

TAGS = 30
SAMPLES_EVERY = 10
NEVER = 10**9


def main(words: Sequence[str] | None = None) -> int:
    """Log until the steps are done (finished), SIGTERM comes (stopped) or the disk is full (failed)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--pace", type=float, default=2.5, help="steps per second")
    parser.add_argument("--steps", type=int, default=NEVER)
    parser.add_argument("--resume", action="store_true", help="go on with the run that is there")
    given = parser.parse_args(words)
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    first = _last_step(given.directory) + 1 if given.resume else 1
    with _open(given.directory, given.steps, first - 1 if given.resume else None) as log:
        for step in range(first, given.steps + 1):
            log.log(step, _metrics(step), _samples(step) if step % SAMPLES_EVERY == 0 else None)
            time.sleep(1 / given.pace)
            if stopped:
                log.close("stopped")
                return 0
    return 0


def _open(directory: Path, steps: int, resumed_after: int | None) -> RunLog:
    if resumed_after is None:
        return RunLog(directory, algorithm="grpo", task="addition", config={"learning_rate": 1e-4}, total=steps)
    return RunLog.resume(directory, step=resumed_after, total=steps)


def _last_step(directory: Path) -> int:
    """The number of whole lines, since every step is one."""
    return (directory / "events.jsonl").read_bytes().count(b"\n")


def _metrics(step: int) -> dict[str, float]:
    wave = math.sin(step / 7)
    named = {"reward": 0.5 + 0.1 * wave, "kl": 0.02 + 0.005 * wave, "entropy": 1.2, "completions/mean_length": 6.0}
    return named | {f"extra/{number}": wave * number for number in range(TAGS - len(named))}


def _samples(step: int) -> list[dict[str, object]]:
    return [{"query": f"{step}+{row}=", "response": str(step + row), "score": 1.0} for row in range(4)]


if __name__ == "__main__":
    sys.exit(main())
