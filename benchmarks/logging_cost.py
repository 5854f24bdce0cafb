"""What it costs to log one step of 40 metrics: the run log, TensorBoard's SummaryWriter and Weights & Biases offline.

    python -m benchmarks.logging_cost [--steps 1000] [--output FILE]

"Training thread" is what a training waits for, in CPU microseconds per step; "process" adds its other threads. The rows
with a queue are what this trainer does: it hands the row over, and the sink's own thread writes it. CPU time of other
processes, such as W&B's service, is not counted.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.machine import machine, versions
from diagnostics.runlog import RunLog
from trainer.run.sinks import Origin, Sinks, TensorBoardSink, WandbSink

METRICS = {f"group/metric_{index}": index / 7 for index in range(40)}
Log = Callable[[int, Mapping[str, float]], None]


def cost(log: Log, close: Callable[[], None], steps: int) -> tuple[float, float]:
    """Microseconds per step of the calling thread and of the whole process, after ten warm-up steps."""
    for step in range(10):
        log(step, METRICS)
    thread, process = time.thread_time(), time.process_time()
    for step in range(10, steps + 10):
        log(step, METRICS)
    in_thread = time.thread_time() - thread
    close()
    return in_thread / steps * 1e6, (time.process_time() - process) / steps * 1e6


def log_writers(folder: Path) -> dict[str, tuple[Log, Callable[[], None]]]:
    """For each way to log: a function that logs a row and one that closes."""
    (folder / "wandb").mkdir()
    log = RunLog(folder / "run")
    tensorboard, wandb = TensorBoardSink(Origin(folder / "direct", {})), WandbSink(Origin(folder / "wandb", {}))
    queued = Sinks(["tensorboard"], Origin(folder / "queued", {}))
    return {
        "run directory": (log.log, log.close),
        "TensorBoard, called directly": (lambda step, row: tensorboard.log(step, row, {}), tensorboard.close),
        "TensorBoard, through the queue": (queued.log, queued.close),
        "W&B offline, called directly": (lambda step, row: wandb.log(step, row, {}), wandb.close),
    }


def table(folder: Path, steps: int) -> Iterator[str]:
    """The results as Markdown, line by line as they become available."""
    yield "# The cost of logging"
    yield ""
    yield f"Printed by `make speed` on {datetime.now(UTC):%Y-%m-%d}; {machine()}."
    yield f"{versions(sys.executable, ('orjson', 'tensorboard', 'wandb'))}."
    yield ""
    yield f"One step of {len(METRICS)} metrics, CPU µs per step, over {steps} steps; a process is all of its threads."
    yield ""
    yield "| | training thread | process |"
    yield "|---|---:|---:|"
    for way, (call, close) in log_writers(folder).items():
        in_thread, in_process = cost(call, close, steps)
        yield f"| {way} | {in_thread:.1f} | {in_process:.1f} |"


def main() -> None:
    """Print one line for each way to log, and write them to a file if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--output", type=Path, help="write the table to this file too")
    chosen = parser.parse_args()
    os.environ["WANDB_MODE"] = "offline"
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for line in table(Path(name), chosen.steps):
            lines.append(f"{line}\n")
            sys.stdout.write(lines[-1])
            sys.stdout.flush()
    if chosen.output:
        chosen.output.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
