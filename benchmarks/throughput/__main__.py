"""Simulates random trainings and prints how often the time budget names what holds them up.

python -m benchmarks.throughput [--trainings 250] [--steps 120] [--seed 0] [--output docs/benchmarks/throughput.md]
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.throughput.judging import judged
from benchmarks.throughput.layout import KINDS, random_layout
from benchmarks.throughput.page import page


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trainings", type=int, default=250, help="random trainings, in turn of each kind")
    parser.add_argument("--steps", type=int, default=120, help="steps of each of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="write the page there instead of printing it")
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    layouts = [random_layout(generator, KINDS[number % len(KINDS)]) for number in range(options.trainings)]
    with tempfile.TemporaryDirectory() as folder:
        found = [
            judged(layout, options.steps, number, Path(folder) / str(number)) for number, layout in enumerate(layouts)
        ]
    words = f"--trainings {options.trainings} --steps {options.steps} --seed {options.seed}"
    text = page(found, f"python -m benchmarks.throughput {words}", options.steps)
    if options.output:
        options.output.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


main()
