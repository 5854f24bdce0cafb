"""What it costs to log one step of 40 metrics: the run log, TensorBoard's SummaryWriter and Weights & Biases offline.

    python benchmarks/logging_cost.py [--steps 1000]

"Training thread" is what a training waits for, in CPU microseconds per step; "process" adds the threads beside it. The
rows with a queue are what this trainer does: the row is handed over, and a thread of the sink's own writes it. CPU of
other processes, such as W&B's service, is not counted.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from diagnostics.runlog import RunLog
from trainer.sinks import Origin, Sinks, TensorBoardSink, WandbSink

METRICS = {f"group/metric_{index}": index / 7 for index in range(40)}
Log = Callable[[int, Mapping[str, float]], None]


def cost(log: Log, close: Callable[[], None], steps: int) -> tuple[float, float]:
    """Microseconds of the calling thread and of the whole process, per step, after ten steps of warm-up."""
    for step in range(10):
        log(step, METRICS)
    thread, process = time.thread_time(), time.process_time()
    for step in range(10, steps + 10):
        log(step, METRICS)
    in_thread = time.thread_time() - thread
    close()
    return in_thread / steps * 1e6, (time.process_time() - process) / steps * 1e6


def main() -> None:
    """Print one line for each way to log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    steps = parser.parse_args().steps
    os.environ["WANDB_MODE"] = "offline"
    sys.stdout.write("40 metrics per step, CPU us per step   training thread   process\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "wandb").mkdir()
        log = RunLog(folder / "run")
        tensorboard, wandb = TensorBoardSink(Origin(folder / "direct", {})), WandbSink(Origin(folder / "wandb", {}))
        queued = Sinks(["tensorboard"], Origin(folder / "queued", {}))
        ways: dict[str, tuple[Log, Callable[[], None]]] = {
            "run directory": (log.log, log.close),
            "TensorBoard, called directly": (lambda step, row: tensorboard.log(step, row, {}), tensorboard.close),
            "TensorBoard, through the queue": (queued.log, queued.close),
            "W&B offline, called directly": (lambda step, row: wandb.log(step, row, {}), wandb.close),
        }
        for way, (call, close) in ways.items():
            in_thread, in_process = cost(call, close, steps)
            sys.stdout.write(f"{way:36} {in_thread:17.1f} {in_process:9.1f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
