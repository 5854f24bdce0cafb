"""Where a training's run directory lies: beside what the trainer writes; a resumed training goes on in the last one."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

from diagnostics.runlog import BESIDE_OUTPUTS, RUN_FILE, RunLog, RunLogError


def default_folder(output_dir: str) -> Path:
    """`<output_dir>/rlvitals`."""
    return Path(output_dir) / BESIDE_OUTPUTS


def open_log(wanted: Path, step: int, total: int | None, begin: Callable[[Path], RunLog]) -> RunLog:
    """The log of a training that goes on from `step`, else one in the first free folder: rlvitals, rlvitals-2, …

    Raises RunLogError.
    """
    if step and (taken := list(_taken(wanted))):
        try:
            return RunLog.resume(taken[-1], step=step, total=total)
        except RunLogError:  # it is another's, or a living process writes it
            pass
    return begin(next(folder for folder in _names(wanted) if not (folder / RUN_FILE).exists()))


def _taken(wanted: Path) -> Iterator[Path]:
    return itertools.takewhile(lambda folder: (folder / RUN_FILE).exists(), _names(wanted))


def _names(wanted: Path) -> Iterator[Path]:
    yield wanted
    for number in itertools.count(2):
        yield wanted.with_name(f"{wanted.name}-{number}")
