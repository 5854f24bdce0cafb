"""Opening what the command line names: every run below a path, and one sentence for what cannot be read."""

import argparse
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from diagnostics.addresses import AddressError, address_of, local_path, shown
from diagnostics.api import RunRef, UnreadableRun, find_runs, open_run
from diagnostics.cli.command import CommandError, print_note
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.producers.names_file import NamesError, read_names
from diagnostics.producers.own_names import OwnNames
from diagnostics.remote.following import bring, bring_run, copied_paths, silence_of
from diagnostics.report.report import Problem
from diagnostics.told import reason, said

_log = logging.getLogger(__name__)


def add_map(arguments: argparse.ArgumentParser) -> None:
    """The option of every command that reads runs of a trainer with names of its own."""
    arguments.add_argument(
        "--map",
        metavar="FILE.toml",
        type=Path,
        help=_("what your own tags mean: {example}").format(example='[metrics] "my/tag" = "kl_per_token"'),
    )


def log_path(text: str) -> Path:
    """A path of the command line; of an address such as s3://bucket/runs, the folder of its copy."""
    try:
        return local_path(text)
    except AddressError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def names_of(file: Path | None) -> OwnNames | None:
    """The names that --map gives; None where it was not given. Raises CommandError."""
    try:
        return read_names(file) if file else None
    except NamesError as error:
        raise CommandError(reason(error)) from error


def path_here(text: str) -> Path:
    """A path of the command line for what is written, or what runs: on this machine, not at an address."""
    path = log_path(text)
    if address := address_of(path):
        sentence = _("{address} lies elsewhere, and nothing is written or stopped there; name a path of this machine")
        raise argparse.ArgumentTypeError(sentence.format(address=address))
    return path


def bring_file(path: Path) -> None:
    """Have a file or a folder of an address here before it is read; nothing for a path of this machine.

    Raises CommandError where it is not there, or does not come.
    """
    try:
        bring_run(path, copied_paths(path))
    except UnreadableRun as error:
        raise CommandError(said(error.sentence)) from error


def open_runs(paths: Iterable[Path], names: OwnNames | None = None) -> Iterator[Run | Problem]:
    """Every run found below the paths, read, or the reason why not; a path without runs is a problem too.

    So is an address that does not answer: its runs are read as they were when it did.
    """
    paths = list(paths)
    bring(paths)
    for path in paths:
        silence = silence_of(path)
        found = find_runs(path)
        runs: Sequence[RunRef | Path] = found or ([] if silence else [path])
        yield from (_read(run, names) for run in runs)
        if silence:
            yield Problem(shown(path), said(silence))


def open_single_run(path: Path, names: OwnNames | None = None) -> Run:
    """The single run at a path.

    Raises CommandError when there is none that can be read, or when there are several.
    """
    found = _read(path, names)
    if isinstance(found, Problem):
        raise CommandError(found.error)
    if silence := silence_of(path):
        print_note(f"rlvitals: {said(silence)}")
    return found


def _read(run: RunRef | Path, names: OwnNames | None) -> Run | Problem:
    try:
        return open_run(run, names)
    except UnreadableRun as error:
        return Problem(shown(error.path), said(error.sentence))
    except Exception as error:  # a bug in one reader must not hide the other runs
        path = run if isinstance(run, Path) else run.path
        _log.debug("reading %s", path, exc_info=True)
        words = _("{path} cannot be read, which is a mistake of rlvitals; please report it: {error}")
        sentence = words.format(path=shown(path), error=repr(error))
        return Problem(shown(path), sentence)
