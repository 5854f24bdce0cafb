"""The runs as `benchmarks.detecting.peers` takes them: the rows that the trainer logged, and its settings."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.trl_runs.cells import Cell
from benchmarks.trl_runs.training import run_folder

FOLDER = "rows"
"""Where in the cache they lie, a folder per run."""
ROWS_FILE = "rows.jsonl"
"""The rows of a training without a Trainer, in its folder."""


def write_rows(cache: Path, cells: Sequence[Cell]) -> None:
    """Write what is missing. Completions are left out: no peer needs them for a metric."""
    for cell in cells:
        folder = cache / FOLDER / cell.name
        if not folder.is_dir():
            folder.mkdir(parents=True)
            rows = [_event(row) for row in _logged_rows(run_folder(cache, cell))]
            (folder / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            (folder / "samples.jsonl").touch()
            (folder / "run.json").write_text(json.dumps({"config": cell.plan()["settings"]}), "utf-8")


def _logged_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of the trainer's state, or where there is no Trainer those that were kept for this."""
    if (rows := folder / ROWS_FILE).is_file():
        return [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    state = json.loads((folder / "state" / "trainer_state.json").read_text("utf-8"))
    return [row for row in state["log_history"] if "train_runtime" not in row]


def _event(row: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: value for name, value in row.items() if isinstance(value, int | float) and name != "step"}
    return {"step": row["step"], "metrics": numbers}
