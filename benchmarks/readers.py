"""How fast logs are read: ours against EventAccumulator, tbparse and TensorBoard's Rust data server, in one run.

    python -m benchmarks.readers [--peers .venv-readers/bin/python] [--quick] [--output FILE]

`--peers` is the Python of an environment with `benchmarks/readers-requirements.txt`; without it only ours is measured.
Every figure is the CPU time of a separate process, excluding imports, from the first byte to the last array, and its
peak memory. The readers take turns; each one's best reading counts. All verify every checksum. `--quick` uses a tenth
of the data. `make read-speed` runs it: about ten minutes on an otherwise idle machine.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.event_files import LAYOUTS, regular, resumed, write
from benchmarks.machine import machine, versions
from benchmarks.reading import wandb_file
from benchmarks.reading.measuring import OURS, RUST, SLOW, Measured, in_turn, ours, peer

REPETITIONS = 5  # for ours and the Rust server; the slow readers run once
STEPS, LONG_STEPS, RUNS, RUN_STEPS, ROWS, LISTED = 10_000, 100_000, 100, 1000, 10_000, 1000
PEERS = ("tensorboard", "tensorboard-data-server", "tbparse", "protobuf", "numpy")
LONG = "regular, ten times as long"

Write = Callable[[Path], object]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the tables line by line as they become available."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, help="the Python of an environment with the other readers")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data")
    parser.add_argument("--output", type=Path, help="write the tables to this file too")
    options = parser.parse_args(arguments)
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for line in _report(Path(scratch), options.peers, 10 if options.quick else 1):
            lines.append(f"{line}\n")
            sys.stdout.write(lines[-1])
            sys.stdout.flush()
    if options.output:
        options.output.write_text("".join(lines), "utf-8")
    return 0


def _report(scratch: Path, peers: Path | None, share: int) -> Iterator[str]:
    yield "# Reading logs"
    yield ""
    yield f"Printed by `make read-speed` on {datetime.now(UTC):%Y-%m-%d}; {machine()},"
    yield f"load {os.getloadavg()[0]:.1f} at the start. Ours: {versions(sys.executable, ('numpy', 'google-crc32c'))}."
    yield f"Theirs: {versions(str(peers), PEERS)}." if peers else "Theirs were not measured."
    yield ""
    yield "CPU seconds and peak MiB of a process, imports left out of the seconds; checksums are checked by all."
    yield f"The best of {REPETITIONS} readings in turn; EventAccumulator and tbparse are read with once."
    yield ""
    yield "| file | points | ours | EventAccumulator | tbparse | Rust server | × Rust | × EventAccumulator |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for name, make in _workloads(share).items():
        yield _row(name, make, scratch / name.replace(" ", "_"), peers)
    yield ""
    yield "| what | CPU |"
    yield "|---|---:|"
    yield from _other_tables(scratch, share)
    yield ""
    yield f"Load {os.getloadavg()[0]:.1f} at the end."


def _workloads(share: int) -> dict[str, Write]:
    steps = STEPS // share
    made: dict[str, Write] = {
        name: lambda folder, layout=layout: write(folder, layout(steps))  # type: ignore[misc]
        for name, layout in LAYOUTS.items()
    }
    made["resumed"] = lambda folder: resumed(folder, steps)
    made[f"{RUNS // share} runs of {RUN_STEPS:,} steps"] = partial(_write_runs, share=share)
    made[LONG] = lambda folder: write(folder, regular(LONG_STEPS // share))
    return made


def _write_runs(folder: Path, share: int) -> None:
    for number in range(RUNS // share):
        write(folder / str(number), regular(RUN_STEPS))


def _row(name: str, make: Write, folder: Path, peers: Path | None) -> str:
    make(folder)
    readings = {OURS: (partial(ours, "read", folder), REPETITIONS)}
    if peers:
        readings |= {name: (partial(peer, peers, name, folder), 1) for name in SLOW}
        readings[RUST] = partial(peer, peers, RUST, folder), REPETITIONS
    found = in_turn(readings)
    if name != LONG:  # LONG is measured again below
        shutil.rmtree(folder)
    cells = [_cell(found.get(reader)) for reader in (OURS, *SLOW, RUST)]
    ratios = [f"{found[one].cpu / found[OURS].cpu:.1f}" if one in found else "–" for one in (RUST, SLOW[0])]
    return f"| {name} | {found[OURS].events:,} | {' | '.join([*cells, *ratios])} |"


def _cell(measured: Measured | None) -> str:
    return "–" if measured is None else f"{measured.cpu:.3f} s, {measured.peak:.0f} MiB"


def _other_tables(scratch: Path, share: int) -> Iterator[str]:
    """A second opening, one more step of a growing run, a long list of runs, and W&B's offline files."""
    long, cache, listed, wandb = (
        scratch / LONG.replace(" ", "_"),
        scratch / "cache",
        scratch / "list",
        scratch / "wandb",
    )
    first = ours("open", long, cache)
    again, step, step_to_run = (
        _best_of_ours(what, long, cache) for what, cache in (("open", cache), ("grow", None), ("grow_run", None))
    )
    yield f"| first opening of the run of {LONG_STEPS // share:,} steps, to a Run | {first.cpu * 1e3:.0f} ms |"
    yield f"| second opening, from the cache | {again.cpu * 1e3:.1f} ms |"
    yield f"| one more step of 40 tags, to arrays | {step.cpu * 1e3:.2f} ms |"
    yield f"| one more step of 40 tags, to a Run | {step_to_run.cpu * 1e3:.2f} ms |"
    for number in range(LISTED):
        write(listed / str(number), regular(2))
    found = _best_of_ours("list", listed)
    yield f"| listing {found.events:,} runs | {found.cpu:.2f} s |"
    wandb_file.write(wandb, ROWS // share)
    mine, plain = in_turn({what: (partial(ours, what, wandb), REPETITIONS) for what in ("read", "wandb_loop")}).values()
    name = f"W&B offline, {ROWS // share:,} rows of {wandb_file.KEYS}"
    yield f"| {name}: a loop of wandb's protobuf and json | {plain.cpu:.2f} s |"
    yield f"| {name}: ours, {plain.cpu / mine.cpu:.1f} × as fast | {mine.cpu:.3f} s |"


def _best_of_ours(what: str, folder: Path, cache: Path | None = None) -> Measured:
    return in_turn({what: (partial(ours, what, folder, cache), REPETITIONS)})[what]


if __name__ == "__main__":
    sys.exit(main())
