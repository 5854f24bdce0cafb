"""Reads what a trainer printed: console output in a file, from `> train.log`, tee, nohup or Slurm.

It is the only log of a training without a tracker, which is the default of TRL with transformers 5.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef
from diagnostics.readers.console.count import count_of_trainings
from diagnostics.readers.console.recognition import is_console
from diagnostics.readers.console.text_log import TextLog
from diagnostics.readers.console_end import WELL_ENDED
from diagnostics.readers.progress.recognition import is_progress
from diagnostics.readers.single_file import FileReader, name_of
from diagnostics.readers.wandb.run_folders import is_own_log, parts_of, run_id_of, run_of_output
from diagnostics.readers.wandb.settings_file import CONFIG, settings_in

MARKS = "*.log", "*.out", "*.txt"


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every text file directly in the folder with a row of metrics, or with signs that a training started."""
    return tuple(ref for file in files_in(folder, *MARKS) for ref in runs_of(file))


def runs_of(file: Path) -> Iterator[RunRef]:
    """The trainings in a text, whatever it is called: the only one is the file itself; of several each has its number
    below the file."""
    is_ours = not is_own_log(file) and is_console(file) and not is_progress(file)
    count = count_of_trainings(file) if is_ours else 0
    for number in range(1, count + 1):
        path, name = (file, _name(file)) if count == 1 else (file / str(number), f"{_name(file)} {number}")
        yield RunRef(path, "console", name, _home(file))


def start_time(path: Path) -> float | None:
    """Unknown: printed rows have no time."""


class Reader(FileReader[TextLog]):
    """Follows one training in a text file."""

    def __init__(self, path: Path) -> None:
        is_file = path.is_file() or not path.name.isdecimal()
        self._number = 0 if is_file else int(path.name)
        super().__init__(path, file=path if is_file else path.parent)

    def name(self) -> str:
        return f"{_name(self.file)} {self._number}" if self._number else _name(self.file)

    def files(self) -> tuple[Path, ...]:
        """The file, and the settings that W&B keeps beside its copy of the console."""
        return (self.file, self.file.with_name(CONFIG)) if run_of_output(self.file) else (self.file,)

    def open_log(self) -> TextLog:
        return TextLog(self.file, self._number)

    def to_recording(self, log: TextLog, status: Status) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("console", self.path),),
            run_id=f"{_run_id(self.file)} {self._number}" if self._number else _run_id(self.file),
            name=self.name(),
            tags=log.training.series(),
            config=_settings_kept(self.file) or log.training.settings.found,
            status=status,
            console=self.file,
            console_tail="\n".join(log.ending.lines) if status.state not in WELL_ENDED else "",
            malformed=log.malformed,
            rounded_to=log.training.rounded_to,
            is_printed=True,
            notes=log.notes(),
        )


def _home(file: Path) -> Path:
    """The folder of the run: W&B's for its copy of the console, else that of the text."""
    run = run_of_output(file)
    return run.parent / parts_of(run)[0].name if run else file.parent


def _settings_kept(file: Path) -> Mapping[str, Any]:
    """The settings that W&B kept beside its copy of the console, which are those of the run."""
    return settings_in(file.with_name(CONFIG)) if run_of_output(file) else {}


def _name(file: Path) -> str:
    return _run_id(file) if run_of_output(file) else name_of(file)


def _run_id(file: Path) -> str:
    run = run_of_output(file)
    return run_id_of(run) if run else file.stem
