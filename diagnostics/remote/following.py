"""Following what lies elsewhere: whoever reads a path in the folder of copies asks here for what is to be in it."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from diagnostics.addresses import address_of, cache_folder, shown
from diagnostics.foreign_files.bounds import size_in_words
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.told import told

if TYPE_CHECKING:
    from diagnostics.remote.store import Store

_stores: dict[Path, "Store"] = {}
_lock = Lock()
_usual_patience: list[float] = []  # at most one
_patience: ContextVar[float | None] = ContextVar("seconds to wait for what lies elsewhere")


class NotHereYet(UnreadableRun):
    """A run lies elsewhere and has not been copied whole; asking again later may find it here."""


class _Copied(NamedTuple):
    """A path in the folder of copies: the store that fills it, and its name there."""

    store: "Store"
    name: str


def wait_at_most(seconds: float) -> None:
    """From now on, whoever asks in this process waits this long for what lies elsewhere; else while it comes."""
    _usual_patience[:] = [seconds]


@contextmanager
def waiting_at_most(seconds: float) -> Iterator[None]:
    """Whoever asks inside waits this long."""
    token = _patience.set(seconds)
    try:
        yield
    finally:
        _patience.reset(token)


def copied_paths(run: Path | RunRef) -> tuple[Path, ...]:
    """The paths of a run's logs that lie in the folder of copies; none for a run of this machine."""
    paths = [run] if isinstance(run, Path) else [path for ref in (run, *run.parts) for path in (ref.path, *ref.files)]
    return tuple(dict.fromkeys(_on_disk(path) for path in paths if address_of(path)))


def find_there(path: Path) -> None:
    """Have the runs at or below a path found: what describes them, and the beginnings of their logs, come here."""
    with suppress(UnreadableRun):  # it is said when a run is opened
        _bring((path,) if address_of(path) else (), is_whole=False)


def bring(paths: Iterable[Path]) -> None:
    """Have everything at these paths here, as it is now, and followed from then on; without a word on what fails."""
    with suppress(UnreadableRun):
        _bring(filter(address_of, paths), is_whole=True)


def bring_run(path: Path, copied: Iterable[Path]) -> None:
    """Have a run's logs here and followed.

    Raises NotHereYet where they are not, with how far that is and why; UnreadableRun where no copy can be kept.
    """
    copied = tuple(copied)
    bring(copied)
    for each in copied:
        store, name = _copied(each)
        progress = store.progress(name)
        if progress.files and not progress.missing:
            continue
        if sentence := silence_of(each):
            raise NotHereYet(path, sentence)
        if not progress.files and store.look(name).listed:
            raise NotHereYet(path, told("there is nothing at {address}; check the address", address=shown(each)))
        here, whole = progress.bytes - progress.missing_bytes, progress.bytes
        raise NotHereYet(
            path,
            told(
                "{path} is being fetched: {here} of {whole} are here",
                path=path,
                here=size_in_words(here),
                whole=size_in_words(whole),
            ),
        )


def keep_following(copied: Iterable[Path]) -> None:
    """Have these paths followed for some more seconds; costs microseconds, unless they were left alone for long."""
    for path in copied:
        store, name = _copied(path)
        if store.want(name, is_whole=True):
            store.wait(name, _patience_now())


def silence_of(path: Path) -> str:
    """Since when the address of a path has not answered, and why; empty where it does, and for any other path."""
    if address_of(path) is None:
        return ""
    try:
        store, name = _copied(path)
    except UnreadableRun as error:
        return error.sentence
    look = store.look(name)
    if look.silent_since is None:
        return ""
    if look.answered is None:
        return look.reason
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(look.answered))
    return told(
        "{address} has not answered since {since}: {reason}. What was read by then is shown.",
        address=shown(path),
        since=since,
        reason=look.reason,
    )


def _bring(paths: Iterable[Path], *, is_whole: bool) -> None:
    copied = list(map(_copied, paths))
    for store, name in copied:
        store.want(name, is_whole=is_whole)
    for store, name in copied:
        store.wait(name, _patience_now())


def _patience_now() -> float | None:
    return _patience.get(_usual_patience[0] if _usual_patience else None)


def _copied(path: Path) -> _Copied:
    from diagnostics.remote.store import Store  # noqa: PLC0415 - most runs lie on this machine

    root = cache_folder()
    scheme, host, *parts = path.relative_to(root).parts
    folder = root / scheme / host
    with _lock:
        if folder not in _stores:
            try:
                _stores[folder] = Store(folder)
            except OSError as error:
                raise UnreadableRun(path, _no_room(path, error)) from error
        return _Copied(_stores[folder], "/".join(parts))


def _no_room(path: Path, error: OSError) -> str:
    return told(
        "no copy of {path} can be kept in {folder}: {why}; XDG_CACHE_HOME names another folder",
        path=path,
        folder=str(cache_folder()),
        why=error.strerror or error,
    )


def _on_disk(path: Path) -> Path:
    """The file that a run lies in, where its path names one of several in a database or a text."""
    return path.parent if path.parent.is_file() else path
