"""Writers of logs that trainers append to line by line."""

import csv
import json
from pathlib import Path
from typing import Any, ClassVar, TextIO

from diagnostics.readers.base import Reader
from diagnostics.readers.console import reader as console
from diagnostics.readers.databases import mlflow_files
from diagnostics.readers.progress import reader as progress
from diagnostics.readers.tables import metric_tables, rl4lms, torchtune
from tests.diagnostics.readers.writers.writer import AppendingWriter, Metrics


class MlflowFilesWriter(AppendingWriter):
    """A run of MLflow's file store: a file for each metric."""

    form, mark = "mlflow-files", "meta.yaml"
    most_names = 50_000  # a file for each

    def __init__(self, path: Path) -> None:
        super().__init__()
        (path / "metrics").mkdir(parents=True)
        (path / "meta.yaml").write_text("run_id: abc\nrun_name: nightly\nstatus: 1\nstart_time: 1700000000000\n")
        self.path = path
        self.file = path / "metrics" / "loss"
        self.file.touch()

    def log(self, step: int, metrics: Metrics) -> None:
        for name, value in metrics.items():
            file = self.path / "metrics" / name
            file.parent.mkdir(exist_ok=True)
            with file.open("a") as lines:
                lines.write(f"{1700000000000 + step} {value} {step}\n")

    def reader(self) -> Reader:
        return mlflow_files.Reader(self.path)


class OneFileWriter(AppendingWriter):
    """A log that is one file in a folder."""

    file_name: ClassVar[str]

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / self.file_name
        self.file.touch()


class TorchtuneWriter(OneFileWriter):
    """The log of torchtune's DiskLogger."""

    form, mark, file_name = "torchtune", "log_*.txt", "log_1700000000.txt"

    def log(self, step: int, metrics: Metrics) -> None:
        values = "".join(f"{name}:{value} " for name, value in metrics.items())
        with self.file.open("a") as file:
            file.write(f"Step {step} | {values}\n")

    def reader(self) -> Reader:
        return torchtune.Reader(self.file)


class ConsoleWriter(OneFileWriter):
    """verl's console output, in a file."""

    form, mark, file_name = "console", "*.log", "train.log"
    prefix: ClassVar[str] = ""
    form_of_number: ClassVar[str] = "{}"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.vulnerable = len(f"{self.prefix}step:1 - loss".encode())

    def log(self, step: int, metrics: Metrics) -> None:
        pairs = (f"{name}:{self.form_of_number.format(value)}" for name, value in metrics.items())
        with self.file.open("a") as file:
            file.write(f"{self.prefix}step:{step} - {' - '.join(pairs)}\n")

    def reader(self) -> Reader:
        return console.Reader(self.file)


class RayConsoleWriter(ConsoleWriter):
    """The same as printed by Ray's driver, in colour."""

    mark, file_name, prefix = "*.out", "slurm-17.out", "\x1b[36m(TaskRunner pid=7)\x1b[0m "


class NumpyConsoleWriter(ConsoleWriter):
    """The same with numbers as numpy 2 prints them."""

    mark, file_name, form_of_number = "*.txt", "log.txt", "np.float64({})"


class ProgressWriter(OneFileWriter):
    """What a trainer of one's own prints."""

    form, mark, file_name = "progress", "*.log", "train.log"
    fewest_rows = 3
    most_names = 10_000  # it is recognised by whole rows in the first MiB of the text
    before, between, of_value = "[run] Step {}/100", " | ", "="

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.vulnerable = len(f"{self.before.format(1)}{self.between}loss{self.of_value}".encode())

    def log(self, step: int, metrics: Metrics) -> None:
        pairs = (f"{name}{self.of_value}{value}" for name, value in metrics.items())
        with self.file.open("a") as file:
            file.write(self.between.join([self.before.format(step), *pairs]) + "\n")

    def reader(self) -> Reader:
        return progress.Reader(self.file)


class EpochProgressWriter(ProgressWriter):
    """The same with the epoch in front of the step."""

    mark, file_name = "*.out", "nohup.out"
    before, between, of_value = "Epoch:[1/1]({}/100)", ", ", ": "


class BarredProgressWriter(ProgressWriter):
    """The same with the step as one name among others."""

    mark, file_name = "*.txt", "training.txt"
    before, between, of_value = "epoch: 0|step: {}", "|", ": "


class Rl4lmsWriter(OneFileWriter):
    """RL4LMs' log of its rollouts, as its tracker writes it: one row per rollout, without naming it."""

    form, mark, file_name = "rl4lms", "rollout_info.jsonl", "rollout_info.jsonl"
    names_steps = False

    def log(self, step: int, metrics: Metrics) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps(dict(metrics)) + "\n")

    def reader(self) -> Reader:
        return rl4lms.Reader(self.path)


class JsonLinesWriter(OneFileWriter):
    """A metric log of JSON lines, as most trainers' file loggers write it."""

    form, mark, file_name = "table", "*.jsonl", "metrics.jsonl"
    step_column: ClassVar[str] = "step"

    def log(self, step: int, metrics: Metrics) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps({self.step_column: step, **metrics}) + "\n")

    def reader(self) -> Reader:
        return metric_tables.Reader(self.file)


class ProgressJsonWriter(JsonLinesWriter):
    """Stable-Baselines3's log of JSON lines."""

    mark, file_name, step_column = "progress.json", "progress.json", "total_timesteps"


class CsvWriter(AppendingWriter):
    """A CSV as Stable-Baselines3 writes it: a new name makes it rewrite the file from the start, one column wider."""

    form, mark = "table", "*.csv"
    file_name, between = "progress.csv", ","

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / self.file_name
        self.file.touch()
        self._names: list[str] = []

    def log(self, step: int, metrics: Metrics) -> None:
        row = {"step": step, **metrics}
        if new := [name for name in row if name not in self._names]:
            self._widen(new)
        with self.file.open("a", newline="") as file:
            self._rows(file).writerow([row.get(name, "") for name in self._names])

    def _widen(self, new: list[str]) -> None:
        with self.file.open(newline="") as file:
            _, *before = [*csv.reader(file, delimiter=self.between)] or [[]]
        self._names += new
        with self.file.open("w", newline="") as file:
            rows = self._rows(file)
            rows.writerow(self._names)
            rows.writerows([*row, *[""] * len(new)] for row in before)
        self._starts[-1] = self.file.stat().st_size

    def _rows(self, file: TextIO) -> Any:
        return csv.writer(file, delimiter=self.between, lineterminator="\n")

    def reader(self) -> Reader:
        return metric_tables.Reader(self.file)


class TsvWriter(CsvWriter):
    """The same between tabs."""

    mark, file_name, between = "*.tsv", "progress.tsv", "\t"
    most_names = 50_000  # by the reader of CSV, which is tried with more
