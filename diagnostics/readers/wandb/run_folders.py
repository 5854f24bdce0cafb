"""The folders of W&B's local runs: one for each start of a run, its log in it, and what W&B keeps beside the log."""

import re
import time
from pathlib import Path

from diagnostics.foreign_files.folders import files_in, resolved

LOGS = "run-*.wandb"
FILES, OUTPUT = "files", "output.log"  # where W&B keeps a run's files, and its copy of the console among them
LATEST = "latest-run"  # a link to the newest run's folder, or a copy where links were not kept
_FOLDER = re.compile(r"(?:offline-)?run-(?P<started>\d{8}_\d{6})-(?P<id>.+)")
_OWN_LOGS = frozenset({"debug.log", "debug-internal.log", "debug-core.log", "debug-cli.log"})
_OWN_LOGS_FOLDER, _TOP_FOLDERS = "logs", frozenset({"wandb", ".wandb"})


def parts_of(folder: Path) -> tuple[Path, ...]:
    """The folders of one run, oldest first: W&B creates a new one each time a run is resumed."""
    match = _FOLDER.fullmatch(resolved(folder).name)
    if match is None:
        return (folder,)
    beside = (path for path in resolved(folder).parent.glob(f"*run-*-{_escaped(match['id'])}") if not path.is_symlink())
    same = [path for path in beside if (found := _FOLDER.fullmatch(path.name)) and found["id"] == match["id"]]
    with_log = [path for path in same if files_in(path, LOGS)]
    return tuple(sorted(with_log or same, key=_started))


def run_id_of(folder: Path) -> str:
    """W&B's id of the run, from its log's name, else from the folder's."""
    file = next(iter(files_in(folder, LOGS)), None)
    if file is not None:
        return file.stem.removeprefix("run-")
    match = _FOLDER.fullmatch(folder.name)
    return match["id"] if match else folder.name


def run_of_output(file: Path) -> Path | None:
    """The folder of the run whose console W&B copied into this file; None for any other file."""
    folder = file.parent.parent
    if file.name != OUTPUT or file.parent.name != FILES:
        return None
    is_of_run = _FOLDER.fullmatch(folder.name) is not None or bool(files_in(folder, LOGS))
    return folder if is_of_run else None


def is_own_log(file: Path) -> bool:
    """Whether a file is what W&B's client wrote about itself: it repeats a run's settings, but is not a run's log."""
    folder = file.parent
    is_among_runs = folder.name in _TOP_FOLDERS or (
        folder.name == _OWN_LOGS_FOLDER and (folder.parent.name == LATEST or _is_run(folder.parent))
    )
    return file.name in _OWN_LOGS and is_among_runs


def _is_run(folder: Path) -> bool:
    return _FOLDER.fullmatch(folder.name) is not None


def started(folder: Path) -> float | None:
    """When W&B made the folder, by its name; the clock is taken for this machine's. None for another name."""
    try:
        return time.mktime(time.strptime(_started(folder), "%Y%m%d_%H%M%S"))
    except (ValueError, OverflowError):
        return None


def _started(folder: Path) -> str:
    match = _FOLDER.fullmatch(folder.name)
    return match["started"] if match else ""


def _escaped(text: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", text)
