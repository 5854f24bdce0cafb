"""Reads a folder of event files once with another reader, in its own environment; prints CPU and memory as JSON.

python event_readers.py accumulator|tbparse|rust FOLDER
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path


def accumulator(folder: str) -> None:
    """TensorBoard's own reader, keeping all points."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    start = time.process_time()
    for path in sorted({path.parent for path in Path(folder).rglob("events.out.tfevents.*")}):
        EventAccumulator(str(path), {"scalars": 0, "tensors": 0, "histograms": 0}).Reload()
    print_measurement(time.process_time() - start, peak_of("self"))


def tbparse(folder: str) -> None:
    """tbparse's tables of all scalars and tensors."""
    from tbparse import SummaryReader  # noqa: PLC0415 - one peer a process

    start = time.process_time()
    reader = SummaryReader(folder)
    assert len(reader.scalars) + len(reader.tensors)
    print_measurement(time.process_time() - start, peak_of("self"))


def rust(folder: str) -> None:
    """TensorBoard's data server until everything is loaded, verifying checksums; the cost of a client is excluded."""
    import tensorboard_data_server  # noqa: PLC0415

    kept = "scalars=all,histograms=all,text=all"
    command = [tensorboard_data_server.server_binary(), "--logdir", folder, "--port", "0", "--reload", "once"]
    options = ["--samples-per-plugin", kept, "--checksum", "-v", "--die-after-stdin"]
    with subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        for line in server.stderr:
            if "Finished load cycle" in line:
                break
        peak = peak_of(server.pid)
        server.kill()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print_measurement(used.ru_utime + used.ru_stime, peak)


def peak_of(process: int | str) -> float:
    """Peak memory of a process in MiB; unlike `ru_maxrss`, excludes that of the process that started it."""
    status = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def print_measurement(cpu: float, peak: float) -> None:
    """Print one measurement: seconds and MiB."""
    sys.stdout.write(json.dumps({"cpu": cpu, "peak": peak}) + "\n")


if __name__ == "__main__":
    {"accumulator": accumulator, "tbparse": tbparse, "rust": rust}[sys.argv[1]](sys.argv[2])
