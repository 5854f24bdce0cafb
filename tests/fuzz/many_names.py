"""A step of a million names, in each form that may hold one: `python -m tests.fuzz.many_names`, part of `make fuzz`.

It is read whole, within a bound of memory; no dashboard could draw it, and no reader may fall over it.
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from diagnostics.api import open_run

NAMES = 1_000_000
IN_A_RECORD = 10_000
MOST_BYTES = 12 << 30


def event_file(folder: Path) -> None:
    """TensorBoard's form: ten thousand values in each record."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.summary.writer.record_writer import RecordWriter

    with (folder / "events.out.tfevents.1.host").open("wb") as file:
        writer = RecordWriter(file)
        writer.write(Event(wall_time=1.0, file_version="brain.Event:2").SerializeToString())
        for first in range(0, NAMES, IN_A_RECORD):
            event = Event(wall_time=2.0, step=1)
            for number in range(first, first + IN_A_RECORD):
                event.summary.value.add(tag=f"name/{number}", simple_value=number)
            writer.write(event.SerializeToString())


def json_lines(folder: Path) -> None:
    """One row of everything."""
    row = {"step": 1, **{f"name/{number}": float(number) for number in range(NAMES)}}
    (folder / "metrics.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")


FORMS: Mapping[str, Callable[[Path], None]] = {"TensorBoard": event_file, "JSON lines": json_lines}


def main() -> int:
    """Write, read and compare each form; 1 where one is not what was written."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    wrong = 0
    for form, write in FORMS.items():
        with tempfile.TemporaryDirectory() as place:
            write(Path(place))
            began = time.process_time()
            series = open_run(Path(place)).series
            spent = time.process_time() - began
        right = len(series) == NAMES and all(series[f"name/{n}"].values.tolist() == [n] for n in range(0, NAMES, 997))
        wrong += not right
        sys.stdout.write(f"{form}: {len(series):,} names in {spent:.0f} CPU s, {'whole' if right else 'not whole'}\n")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
