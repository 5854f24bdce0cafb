"""The table of log formats, and what every reader provides; a format's module is loaded when a run of it is found."""

import functools
import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from typing import Protocol, cast

from diagnostics.model.recording import Recording


@dataclass(frozen=True, slots=True)
class Format:
    """One log format; `marks` are glob patterns of file names that identify a folder of this format.

    `module` provides its `Reader` and `runs_in`. `install` says what to install if the format needs a library that the
    base install lacks. `loss` names what files of this format may contain that is not read, or that the producer never
    wrote.
    """

    name: str
    title: str
    marks: tuple[str, ...]
    module: str
    install: str = ""
    loss: str = ""
    is_verified: bool = (
        True  # against a file written by a producer; otherwise only against its source code and documentation
    )
    has_runs_below: bool = True  # whether folders with this mark, and those below, may contain further logs
    names_its_run: bool = False  # whether its file names or first bytes are those of one training alone

    def fits(self, file_name: str) -> bool:
        """Whether a file with this name may belong to this format."""
        return _pattern(self.marks).match(file_name) is not None


@functools.cache
def _pattern(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, marks)))


FORMATS: tuple[Format, ...] = (
    Format(
        "rlvitals",
        "Run directory of rlvitals",
        ("run.json",),
        "diagnostics.readers.run_directory.reader",
        has_runs_below=False,
        names_its_run=True,
    ),
    Format(
        "wandb-export",
        "A run of the W&B cloud, imported",
        ("wandb-export.json",),
        "diagnostics.readers.wandb.cloud_export",
        loss="the machine's metrics come as W&B's sample of them",
        has_runs_below=False,
    ),
    Format(
        "tensorboard",
        "TensorBoard event files",
        ("events.out.tfevents.*",),
        "diagnostics.readers.tensorboard.reader",
        loss="pictures and sounds; of a text under one tag all but the last",
        names_its_run=True,
    ),
    Format(
        "wandb",
        "Weights & Biases, local files",
        ("run-*.wandb",),
        "diagnostics.readers.wandb.offline",
        loss="media beside tables; of the machine's metrics all but the last in each step",
        names_its_run=True,
    ),
    Format(
        "trackio", "trackio database", ("*.db",), "diagnostics.readers.databases.trackio", loss="media, spans of traces"
    ),
    Format("mlflow", "MLflow database", ("*.db",), "diagnostics.readers.databases.mlflow", loss="artifacts"),
    Format(
        "mlflow-files",
        "MLflow file store",
        ("meta.yaml",),
        "diagnostics.readers.databases.mlflow_files",
        loss="artifacts",
    ),
    Format(
        "swanlab",
        "SwanLab, local files",
        ("run-*.swanlab",),
        "diagnostics.readers.wandb.swanlab",
        install="pip install PyYAML reads the settings of the run",
        loss="media and the machine's metrics",
        names_its_run=True,
    ),
    Format("torchtune", "torchtune's log file", ("log_*.txt",), "diagnostics.readers.tables.torchtune"),
    Format(
        "rl4lms",
        "RL4LMs' logs",
        ("rollout_info.jsonl",),
        "diagnostics.readers.tables.rl4lms",
        loss="the predictions of its evaluations",
        is_verified=False,
    ),
    Format(
        "trainer-state",
        "transformers' trainer_state.json",
        ("trainer_state.json",),
        "diagnostics.readers.tables.trainer_state",
        loss="what came after the last checkpoint, and the time of each row, which the file does not hold",
    ),
    Format(
        "log-history",
        "A log history as JSON: rows or columns of a training, below any key",
        ("*.json",),
        "diagnostics.readers.tables.log_history",
        loss="values that are no numbers",
    ),
    Format(
        "completions",
        "Sampled completions, a file or a folder for each step",
        ("*[0-9].parquet", "*.jsonl"),
        "diagnostics.readers.samples.completions",
        install="pip install 'rlvitals[data]' reads the parquet files of TRL",
        loss="pictures; TRL itself replaces a step's file by that of its evaluation",
    ),
    Format(
        "samples",
        "Sampled completions, a step in each row",
        ("*.jsonl",),
        "diagnostics.readers.samples.json_lines",
        loss="text where the trainer kept token ids alone, which are shown",
        is_verified=False,
    ),
    Format(
        "samples-parquet",
        "Sampled completions in parquet, a step in each row",
        ("*.parquet",),
        "diagnostics.readers.samples.parquet",
        install="pip install 'rlvitals[data]' reads parquet",
        is_verified=False,
    ),
    Format(
        "trajectories",
        "Episodes of agents, in folders by step",
        ("traces.jsonl", "episode_hash*.json", "[0-9][0-9][0-9][0-9]*.yaml"),
        "diagnostics.readers.samples.trajectories",
        install="pip install PyYAML reads the trajectories of ART",
        loss="of prime-rl's branching traces all but the last branch; tool definitions and timings",
        is_verified=False,
    ),
    Format(
        "wandb-csv",
        "CSV files exported from the W&B page",
        ("*.csv",),
        "diagnostics.readers.wandb.csv_export",
        loss="what the page did not draw: it exports sampled curves",
        is_verified=False,
    ),
    Format(
        "table",
        "JSON lines, CSV, TSV or parquet: a row for each step",
        ("*.jsonl", "*.csv", "*.tsv", "*.parquet", "progress.json"),
        "diagnostics.readers.tables.metric_tables",
        install="pip install 'rlvitals[data]' reads parquet",
        loss="cells that are no numbers",
    ),
    Format(
        "progress",
        "Lines of progress that a trainer of one's own printed: a step, then names with numbers",
        ("*.log", "*.out", "*.txt"),
        "diagnostics.readers.progress.reader",
        loss="lines that no pattern fits, which are counted; units",
    ),
    Format(
        "notebook",
        "Jupyter notebooks: tables of steps and printed rows in the outputs of cells",
        ("*.ipynb",),
        "diagnostics.readers.notebooks.reader",
        loss="digits after the sixth of a table; outputs that were cleared or replaced; the settings, which are code",
    ),
    Format(
        "console",
        "What a trainer printed: TRL and its kin, verl",
        ("*.log", "*.out", "*.txt"),
        "diagnostics.readers.console.reader",
        loss="what was not printed: digits after the fourth by transformers 5, TRL's settings; tables of completions",
    ),
)
"""Every format; of the logs that one run left in several, the first one leads."""


@dataclass(frozen=True, slots=True)
class RunRef:
    """A run that was found but not read yet.

    `home` is the folder that its trainer wrote everything into, if the format says so. `parts` are other logs of the
    same run, read together with this one. `files` are further files that identify the run, besides `path`.
    """

    path: Path
    format: str
    name: str
    home: Path | None = None
    parts: tuple["RunRef", ...] = ()
    files: tuple[Path, ...] = ()


class UnreadableRun(Exception):  # noqa: N818 - named for what the path is
    """A path cannot be read as a run; `sentence` says what was looked for, what was found and what to do."""

    def __init__(self, path: Path, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path
        self.sentence = sentence


class Reader(Protocol):
    """Reads one run of one format and follows it as it grows; each refresh reads only appended bytes."""

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        ...


class FormatModule(Protocol):
    """What a format's module provides."""

    def Reader(self, path: Path) -> Reader:
        """A reader of the run at this path, which is one that `runs_in` returned."""
        ...

    def runs_in(self, folder: Path) -> tuple[RunRef, ...]:
        """The runs in a folder with this format's mark: the folder itself, or files in it."""
        ...

    def start_time(self, path: Path) -> float | None:
        """When the run at this path began, in seconds since the epoch, according to its name or its first records."""
        ...


class TextModule(FormatModule, Protocol):
    """What the module of a format of printed text provides."""

    def runs_of(self, file: Path) -> Iterable[RunRef]:
        """The runs in a text, whatever it is called."""
        ...


@functools.cache
def format_named(name: str) -> Format:
    """The format with this name."""
    return next(form for form in FORMATS if form.name == name)


def load(form: Format) -> FormatModule:
    """The module of a format. Raises ImportError with the install sentence if its library is missing."""
    try:
        return cast(FormatModule, importlib.import_module(form.module))
    except ImportError as error:
        raise ImportError(form.install or str(error)) from error
