"""Writers of files that are written whole and rewritten to add more: checkpoints, exports and tables."""

import csv
import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from diagnostics.readers.base import Reader
from diagnostics.readers.notebooks import reader as notebooks
from diagnostics.readers.tables import log_history, metric_tables, trainer_state
from diagnostics.readers.wandb import cloud_export as wandb_export
from diagnostics.readers.wandb import csv_export as wandb_csv
from tests.diagnostics.readers.writers.writer import WholeWriter


class WandbExportWriter(WholeWriter):
    """A run of the W&B cloud as `rlvitals import` writes it: its rows, then the manifest."""

    form, mark = "wandb-export", "wandb-export.json"

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / wandb_export.MANIFEST
        self.save()

    def save(self) -> None:
        self.file.unlink(missing_ok=True)
        rows = ({"_step": step, **metrics} if step is not None else [] for step, metrics in self.rows)
        (self.path / wandb_export.HISTORY).write_text("".join(json.dumps(row) + "\n" for row in rows))
        manifest = {"schema_version": 1, "address": "wandb://lab/tuning/abc", "run_id": "abc", "name": "nightly"}
        self.file.write_text(json.dumps(manifest | {"state": "finished", "config": {}, "summary": {}}, indent=1) + "\n")

    def reader(self) -> Reader:
        return wandb_export.Reader(self.path)


class TrainerStateWriter(WholeWriter):
    """transformers' state in a training's output folder, as `TrainerState.save_to_json` writes it."""

    form, mark = "trainer-state", "trainer_state.json"

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / "trainer_state.json"
        self.save()

    def save(self) -> None:
        history = [{**metrics, **({} if step is None else {"step": step})} for step, metrics in self.rows]
        last = max((step for step, _ in self.rows if step is not None), default=0)
        state = {"global_step": last, "log_history": history, "max_steps": 0}
        self.file.write_text(json.dumps(state, indent=2, sort_keys=True) + "\n")

    def reader(self) -> Reader:
        return trainer_state.Reader(self.path)


class LogHistoryWriter(WholeWriter):
    """The log history of a Trainer that a script saved with `json.dump`."""

    form, mark = "log-history", "*.json"
    most_names = 10_000  # it is recognised by a whole row in its first MiB
    begins_empty = False  # a list without rows is no history

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / "step_logs.json"

    def save(self) -> None:
        history = [{**metrics, **({} if step is None else {"step": step})} for step, metrics in self.rows]
        self.file.write_text(json.dumps(history, indent=2))

    def reader(self) -> Reader:
        return log_history.Reader(self.file)


class NotebookWriter(WholeWriter):
    """A notebook in which a cell trained, with the table that transformers' callback draws."""

    form, mark = "notebook", "*.ipynb"
    most_names = 100_000  # a notebook of more than 64 MB is not read
    begins_empty = False  # until a cell shows something

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / "train.ipynb"

    def save(self) -> None:
        names = _names(self)
        rows = [
            [str(step), *(f"{metrics[name]:.6f}" if name in metrics else "No Log" for name in names)]
            for step, metrics in self.rows
        ]
        table = training_table(["Step", *names], rows)
        self.file.write_text(json.dumps(notebook([[{"output_type": "display_data", "data": {"text/html": table}}]])))

    def reader(self) -> Reader:
        return notebooks.Reader(self.file)


def notebook(outputs: Iterable[list[dict[str, Any]]]) -> dict[str, Any]:
    """A notebook of nbformat 4 with a code cell for each of these lists of outputs."""
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": []}
    return {
        "cells": [cell | {"outputs": found} for found in outputs],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def training_table(header: Iterable[str], rows: Iterable[Iterable[str]], progress: str = "") -> str:
    """A table in HTML as transformers writes it, beneath its progress bar."""
    head = "".join(f"      <th>{escape(name)}</th>\n" for name in header)
    cells = ("".join(f"      <td>{cell}</td>\n" for cell in row) for row in rows)
    body = "".join(f"    <tr>\n{row}    </tr>\n" for row in cells)
    opening = '<table border="1" class="dataframe">\n  <thead>\n <tr style="text-align: left;">\n'
    return f"{progress}{opening}{head}    </tr>\n  </thead>\n  <tbody>\n{body}  </tbody>\n</table><p>"


class ParquetWriter(WholeWriter):
    """A table of metrics in parquet, written by pyarrow."""

    form, mark = "table", "*.parquet"
    most_names = 100_000  # pyarrow takes 10 KB per column, and no real file has a million

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / "metrics.parquet"
        self.save()

    def save(self) -> None:
        columns: dict[str, Any] = {"step": pyarrow.array([step for step, _ in self.rows], pyarrow.int64())}
        for name in _names(self):
            columns[name] = pyarrow.array([metrics.get(name) for _, metrics in self.rows], pyarrow.float64())
        pyarrow.parquet.write_table(pyarrow.table(columns), self.file)

    def reader(self) -> Reader:
        return metric_tables.Reader(self.file)


class WandbPageWriter(WholeWriter):
    """A panel as the W&B page exports it: every cell quoted, each metric of the run with its bounds."""

    form, mark = "wandb-csv", "*.csv"
    most_names = 100_000  # three columns each, and the page draws only a few dozen metrics
    ends_visibly = False

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / "wandb_export_2026-01-01T00_00_00.000+00_00.csv"
        self.save()

    def save(self) -> None:
        names = _names(self) or ["loss"]
        header = [f"nightly - {name}{bound}" for name in names for bound in ("", *wandb_csv.BOUNDS)]
        with self.file.open("w", newline="") as file:
            rows = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            rows.writerow(["Step", *header])
            rows.writerows([step, *_cells(metrics.get(name) for name in names)] for step, metrics in self.rows)

    def reader(self) -> Reader:
        return wandb_csv.Reader(self.file)


def _names(writer: WholeWriter) -> list[str]:
    """The metrics of all rows, in order of appearance."""
    return list(dict.fromkeys(name for _, metrics in writer.rows for name in metrics))


def _cells(values: Iterable[float | None]) -> list[str]:
    """Each value three times: the page adds its bounds."""
    return [json.dumps(value) if value is not None else "" for value in values for _ in range(3)]
