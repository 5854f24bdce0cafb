"""What is said of the runs of a cache, kept beside them as long as the sources that it came from are the same.

To watch a run grow takes a second, and to look at it once a twentieth of that. So the two are kept apart: a change of
causes alone does not make anyone watch again.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.detecting import judging, replay
from benchmarks.detecting.cells import Cell
from benchmarks.detecting.training import run_folder

ROOT = Path(__file__).resolve().parents[2]
WATCHING = ("producers", "model", "detectors", "rules")
JUDGING = (*WATCHING, "causes")
"""Packages of `diagnostics`: what decides which rules fire, and what decides which causes are named."""


def judged(folder: Path, cells: Sequence[Cell], processes: int) -> Iterator[dict[str, Any]]:
    """Each run's result, in the order of the cells."""
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(_result, folder), cells, chunksize=4)


def _result(folder: Path, cell: Cell) -> dict[str, Any]:
    def watch() -> list[dict[str, Any]]:
        return judging.watch(folder, cell)

    def judge() -> dict[str, Any]:
        return judging.judge(folder, cell, _kept(folder, cell, "watched", _version(WATCHING), watch)).to_dict()

    return dict(_kept(folder, cell, "judged", _version(JUDGING), judge))


def _kept(folder: Path, cell: Cell, room: str, version: str, find: Callable[[], Any]) -> Any:
    """What was found by this version of the sources in this run, from its file, or found now and kept there."""
    file = folder / room / f"{cell.name}.json"
    key = [version, run_folder(folder, cell).stat().st_mtime_ns]
    text = file.read_text("utf-8") if file.exists() else "{}"
    if json.loads(text).get("key") != key:
        text = json.dumps({"key": key, "found": find()})
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_text(text, "utf-8")
        unfinished.replace(file)
    return json.loads(text)["found"]


@cache
def _version(names: tuple[str, ...]) -> str:
    """A digest of the sources of these packages of `diagnostics`, and of those that reduce what they say to figures."""
    of_ours = [path for name in names for path in (ROOT / "diagnostics" / name).rglob("*.py")]
    sources = [*of_ours, *map(Path, (judging.__file__, replay.__file__))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sorted(sources))).hexdigest()
