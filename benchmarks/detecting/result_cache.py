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
WATCHING = (
    "addresses",
    "language",
    "told",
    "visible_text",
    "foreign_files",
    "producers",
    "derivations",
    "model",
    "last_words",
    "detectors",
    "time_budget",
    "rules",
)
JUDGING = (*WATCHING, "causes")
"""Packages and modules of `diagnostics` that decide which rules fire, and which causes are named."""


def judge_runs(folder: Path, cells: Sequence[Cell], processes: int) -> Iterator[dict[str, Any]]:
    """Each run's result, in the order of the cells."""
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(_result, folder), cells, chunksize=4)


def _result(folder: Path, cell: Cell) -> dict[str, Any]:
    def watch() -> list[dict[str, Any]]:
        return judging.watch(folder, cell)

    def judge() -> dict[str, Any]:
        watched = cached(folder / "watched" / f"{cell.name}.json", key(run, WATCHING), watch)
        return judging.judge(folder, cell, watched).to_dict()

    run = run_folder(folder, cell)
    return dict(cached(folder / "judged" / f"{cell.name}.json", key(run, JUDGING), judge))


def key(run: Path, names: tuple[str, ...], *others: Path) -> list[str | int]:
    """What a result depends on: the run, these parts of `diagnostics`, and the modules that evaluate it."""
    return [version(names, others), run.stat().st_mtime_ns]


def cached(file: Path, key: Sequence[str | int], find: Callable[[], Any]) -> Any:
    """The result that depends on `key`: read from its file, or computed and stored there."""
    text = file.read_text("utf-8") if file.exists() else "{}"
    if json.loads(text).get("key") != list(key):
        text = json.dumps({"key": list(key), "found": find()})
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_text(text, "utf-8")
        unfinished.replace(file)
    return json.loads(text)["found"]


def sources_of(name: str) -> list[Path]:
    """The files of a package or a module of `diagnostics`."""
    place = ROOT / "diagnostics" / name
    return [*place.rglob("*.py")] or [place.with_suffix(".py")]


def rules_version() -> str:
    """A digest of all that decides a result, apart from the run."""
    return version(JUDGING, ())


@cache
def version(names: tuple[str, ...], others: tuple[Path, ...]) -> str:
    """A digest of these sources of `diagnostics` and of the benchmark modules that evaluate them."""
    of_ours = [path for name in names for path in sources_of(name)]
    sources = [*of_ours, *others, *map(Path, (judging.__file__, replay.__file__))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sorted(sources))).hexdigest()
