"""What lies beside a training's event files: the model card, saved hyperparameters, and a name for the run."""

import re
import time
from itertools import islice
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_head, read_text
from diagnostics.foreign_files.bounds import YAML_BYTES
from diagnostics.foreign_files.documents import parse_json
from diagnostics.foreign_files.folders import folders_in, resolved
from diagnostics.readers.tensorboard.file_groups import opened_at

CARD_FILE = "README.md"
HYPERPARAMETERS_FILE = "hparams.yml"
MAX_CARD_BYTES = 1 << 16
_TELLS_NOTHING = frozenset({"out", "output", "outputs", "runs", "log", "logs", "tb", "tensorboard", "events", "trl"})
_UNIX_TIME = re.compile(r"\d{9,}(?:\.\d+)?")
_FLAT_YAML = re.compile(r"^(?P<key>[\w./-]+):[ ]?(?P<value>.*)$", re.MULTILINE)


def model_card(event_file: Path) -> str:
    """The card in the trainer's output folder (`<output>/runs/<date>/events…`); empty if there is none."""
    try:
        return read_head(_run_card(event_file), MAX_CARD_BYTES).decode(errors="replace")
    except OSError:
        return ""


def files_beside(event_file: Path) -> tuple[Path, ...]:
    """The files and folders beside an event file that these functions read, including missing ones."""
    return (_run_card(event_file), event_file.parent, *_saved_beside(event_file))


def saved_hyperparameters(event_file: Path) -> dict[str, Any]:
    """The flat `hparams.yml` that Accelerate saves in a timestamped folder right after opening an event file."""
    folders = (path.parent for path in _saved_beside(event_file))
    later = [path for path in folders if is_time_named(path) and float(path.name) >= opened_at(event_file)]
    if not later:
        return {}
    nearest = min(later, key=lambda path: float(path.name))
    try:
        return flat_yaml(read_text(nearest / HYPERPARAMETERS_FILE, YAML_BYTES, errors="replace"))
    except OSError:
        return {}


def _saved_beside(event_file: Path) -> list[Path]:
    files = (folder / HYPERPARAMETERS_FILE for folder in folders_in(event_file.parent))
    return [file for file in files if file.exists()]


def is_time_named(folder: Path) -> bool:
    """Whether a folder's name is a Unix time: `add_hparams` creates such folders, which are not runs."""
    return _UNIX_TIME.fullmatch(folder.name) is not None


def flat_yaml(text: str) -> dict[str, Any]:
    """The scalars of a YAML mapping without nesting; anything but a number, boolean or null is text."""
    return {match["key"]: _yaml_scalar(match["value"].strip()) for match in _FLAT_YAML.finditer(text)}


def run_name(path: Path) -> str:
    """A distinguishing name: of the output folder, or of its parent if `out` or `runs` says nothing."""
    if not path.is_dir():
        return f"{run_name(path.parent)} {time.strftime('%b%d %H:%M:%S', time.gmtime(opened_at(path)))}"
    if path.parent.name != "runs":
        return _descriptive_name(path)
    output = _descriptive_name(path.parent.parent)
    siblings = islice((sibling for sibling in path.parent.iterdir() if sibling.is_dir()), 2)
    return output if len(list(siblings)) == 1 else f"{output} {path.name}"


def _run_card(event_file: Path) -> Path:
    folder = event_file.parent
    return (folder.parent.parent if folder.parent.name == "runs" else folder) / CARD_FILE


def _descriptive_name(folder: Path) -> str:
    folder = resolved(folder)
    return f"{folder.parent.name}/{folder.name}" if folder.name.lower() in _TELLS_NOTHING else folder.name


def _yaml_scalar(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return None if text in ("", "~") else text.strip("'\"")
