"""Compares our PPO, GRPO and RLOO with TRL's: number by number on the same rollouts, and as learning curves.

python -m benchmarks.trl_parity [--trl-python PYTHON] [--seeds 0 1 2 3] [--curves NAME ...] [--output FILE.md]

Prints the tables as Markdown; exits with 1 if something that should agree does not. `make parity` runs it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from benchmarks.machine import machine, versions
from benchmarks.parity.compare import Comparison, compare_all
from benchmarks.parity.curves import METRICS, SETTINGS, Block, blocks, run_theirs, train_both
from benchmarks.parity.report import curve_heading, curve_table, identical_table, on_purpose_table

ROOT = Path(__file__).resolve().parents[1]


def identical_rollouts(folder: Path, trl_python: str) -> list[Comparison]:
    """Record our cases, replay them in TRL, and compare."""
    recorder = [sys.executable, "-P", "-m", "benchmarks.parity.record", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(recorder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"our side failed:\n{done.stderr[-4000:]}")
    for algorithm in METRICS:
        run_theirs(trl_python, f"benchmarks.trl_side.{algorithm}_replay", folder)
    return compare_all(folder)


def learning_curves(folder: Path, trl_python: str, seeds: Sequence[int], curves: Sequence[str]) -> list[Block]:
    """Train both sides with every seed."""
    folders = {curve: [folder / f"{curve}-{seed}" for seed in seeds] for curve in curves}
    for curve, places in folders.items():
        for seed, place in zip(seeds, places, strict=True):
            place.mkdir()
            train_both(curve, seed, place, trl_python)
    return list(blocks(folders)) if seeds else []


def report(
    comparisons: Sequence[Comparison], curves: Sequence[Block], trl_python: str, page: str = ""
) -> Iterator[str]:
    """The whole output, line by line; curves that were not trained keep their tables from an earlier page."""
    yield "# Parity with TRL"
    yield ""
    yield f"Printed by `make parity` on {datetime.now(UTC):%Y-%m-%d}; {machine()}, one thread per training."
    yield f"{versions(sys.executable, ('torch', 'transformers'))} · TRL's side: "
    yield f"{versions(trl_python, ('trl', 'torch', 'transformers'))}."
    for algorithm, found in groupby(comparisons, lambda comparison: comparison.case.algorithm):
        of_algorithm = list(found)
        yield from identical_table(algorithm, of_algorithm)
        yield from on_purpose_table(algorithm, of_algorithm)
    trained = {curve: list(points) for curve, points in groupby(curves, lambda block: block.curve)}
    for curve in SETTINGS:
        yield from curve_table(curve, trained[curve]) if curve in trained else earlier_section(page, curve)


def earlier_section(page: str, curve: str) -> Iterator[str]:
    """A curve's section of a page; empty if the page has none."""
    heading = curve_heading(curve)
    _, found, rest = page.partition(f"{heading}\n")
    if found:
        yield from ("", heading, *rest.partition("\n## ")[0].rstrip().splitlines())


def main() -> int:
    """Run everything, print the tables and report whether the sides agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trl-python", default=str(ROOT / ".venv-trl" / "bin" / "python"))
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2, 3], help="none: no learning curves")
    parser.add_argument("--curves", nargs="*", choices=SETTINGS, default=[*SETTINGS], help="the other ones stay")
    parser.add_argument("--output", type=Path, help="write the tables to this file too")
    chosen = parser.parse_args()
    if not Path(chosen.trl_python).is_file():
        parser.error(f"{chosen.trl_python} is no Python with TRL; make one with: make .venv-trl/.ready")
    with tempfile.TemporaryDirectory() as name:
        comparisons = identical_rollouts(Path(name), chosen.trl_python)
        curves = learning_curves(Path(name), chosen.trl_python, chosen.seeds, chosen.curves)
    page = chosen.output.read_text("utf-8") if chosen.output and chosen.output.is_file() else ""
    text = "\n".join(report(comparisons, curves, chosen.trl_python, page)) + "\n"
    sys.stdout.write(text)
    if chosen.output:
        chosen.output.write_text(text, "utf-8")
    return int(not all(result.holds for result in (*comparisons, *curves)))


if __name__ == "__main__":
    sys.exit(main())
