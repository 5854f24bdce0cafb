"""Logs one run of noisy curves into trackio's database, in the environment of the other dashboards.

TRACKIO_DIR=FOLDER python trackio_log.py PROJECT STEPS TAG...
"""

import math
import random
import sys

from trackio.sqlite_storage import SQLiteStorage

_AT_ONCE = 1000  # steps


def main(project: str, steps: int, tags: list[str]) -> None:
    """Write all steps, many in one transaction."""
    draw = random.Random(0)
    for first in range(1, steps + 1, _AT_ONCE):
        numbers = list(range(first, min(first + _AT_ONCE, steps + 1)))
        levels = [0.05 + 0.5 * (1 - math.exp(-step / 2000)) for step in numbers]
        rows = [{tag: level + 0.1 * draw.random() for tag in tags} for level in levels]
        SQLiteStorage.bulk_log(project, "run", rows, steps=numbers)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
