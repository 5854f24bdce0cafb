"""Reads Jupyter notebooks: each training that the outputs of their cells show is a run."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from diagnostics.foreign_files import read_whole
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files.json_lines import parse_value
from diagnostics.readers.notebooks.outputs import cells_of
from diagnostics.readers.notebooks.trainings import Training, trainings_of
from diagnostics.readers.single_file import name_of
from diagnostics.readers.whole_file import WholeFileReader, seen
from diagnostics.told import told

MARK = "*.ipynb"
MOST_NOTEBOOKS = 1 << 10  # whose trainings are remembered


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The trainings of every notebook directly in the folder: one at its file, several by their cells below it."""
    return tuple(ref for file in files_in(folder, MARK) for ref in _runs_of(file))


def start_time(path: Path) -> float | None:
    """Unknown: outputs have no time."""


def _runs_of(file: Path) -> list[RunRef]:
    try:
        names = _names_in(file, *seen(file))
    except OSError:  # gone just now, or not ours to read
        return []
    if len(names) == 1:
        return [RunRef(file, "notebook", name_of(file), file.parent)]
    return [RunRef(file / name, "notebook", f"{name_of(file)} {name}", file.parent) for name in names]


@lru_cache(MOST_NOTEBOOKS)
def _names_in(file: Path, inode: int, size: int, changed: int) -> tuple[str, ...]:
    """The names of a notebook's trainings; an unchanged file is not read again."""
    return tuple(_trainings(read_whole(file)) or {})


def _trainings(content: bytes) -> dict[str, Training] | None:
    """The trainings of a notebook by name, each by its cell; None if this is not a complete notebook."""
    try:
        cells = cells_of(parse_value(content))
    except ValueError:
        return None
    return None if cells is None else _by_name(trainings_of(cells))


def _by_name(trainings: Sequence[Training]) -> dict[str, Training]:
    """Each training as `cell-15`; the second one in a cell is `cell-15-2`."""
    found: dict[str, Training] = {}
    for training in trainings:
        before = sum(other.cell == training.cell for other in found.values())
        found[f"cell-{training.cell}" + (f"-{before + 1}" if before else "")] = training
    return found


class Reader(WholeFileReader):
    """Reads one training of a notebook, and rereads it when the notebook was saved again."""

    kind = "Jupyter notebook"

    def __init__(self, path: Path) -> None:
        super().__init__(path, next((parent for parent in (path, *path.parents) if parent.is_file()), path))
        self._name = None if path == self.file else path.name

    def to_recording(self, content: bytes, written: float) -> Recording | None:
        found = _trainings(content)
        return None if found is None else self._recording(self._chosen(found), written)

    def _chosen(self, found: Mapping[str, Training]) -> Training:
        """The training at the path; a notebook with only one is known by its file, also when another one joins it."""
        if self._name is None and len(found) == 1:
            (self._name,) = found
        if self._name is not None and self._name in found:
            return found[self._name]
        below = ", ".join(f"{self.file}/{name}" for name in found)
        instead = told("; open one of those in the notebook: {names}", names=below) if found else ""
        raise UnreadableRun(self.path, told("{path} shows no training{instead}", path=self.path, instead=instead))

    def _recording(self, training: Training, written: float) -> Recording:
        cell = () if self.path == self.file else (self.path.name,)
        return Recording(
            path=self.path,
            sources=(Source("notebook", self.file),),
            run_id=" ".join((self.file.stem, *cell)),
            name=" ".join((name_of(self.file), *cell)),
            tags=training.tags,
            config=training.config,
            status=Status(training.state, training.step, training.total, written, training.error),
            malformed=training.malformed,
            rounded_to=training.rounded_to,
            is_printed=True,
            notes=training.remarks,
        )
