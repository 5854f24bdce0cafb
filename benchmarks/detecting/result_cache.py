"""Caches results beside their runs, valid while the sources that produced them are unchanged.

Replaying a run step by step takes a second, diagnosing it once a twentieth of that. The two are therefore cached
separately: changing only causes replays nothing.
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
WATCHING = ("foreign_files", "producers", "model", "detectors", "rules")
JUDGING = (*WATCHING, "causes")
"""Packages of `diagnostics` that decide which rules fire, and which causes are named."""


def judge_runs(folder: Path, cells: Sequence[Cell], processes: int) -> Iterator[dict[str, Any]]:
    """Each run's result, in the order of the cells."""
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(_result, folder), cells, chunksize=4)


def _result(folder: Path, cell: Cell) -> dict[str, Any]:
    def watch() -> list[dict[str, Any]]:
        return judging.watch(folder, cell)

    def judge() -> dict[str, Any]:
        return judging.judge(folder, cell, _cached(folder, cell, "watched", _version(WATCHING), watch)).to_dict()

    return dict(_cached(folder, cell, "judged", _version(JUDGING), judge))


def _cached(folder: Path, cell: Cell, kind: str, version: str, find: Callable[[], Any]) -> Any:
    """The result for this run under this version of the sources: read from its file, or computed and stored there."""
    file = folder / kind / f"{cell.name}.json"
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
    """A digest of the sources of these packages of `diagnostics` and of the benchmark modules that evaluate them."""
    of_ours = [path for name in names for path in (ROOT / "diagnostics" / name).rglob("*.py")]
    sources = [*of_ours, *map(Path, (judging.__file__, replay.__file__))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sorted(sources))).hexdigest()
