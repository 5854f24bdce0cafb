"""The folders below a path, each once: real ones first, links last, and none of the kernel's own."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files.bounds import FOLDER_DEPTH, FOLDERS, SEARCH_SECONDS
from diagnostics.foreign_files.cancellation import check_cancelled
from diagnostics.foreign_files.door import read_text
from diagnostics.foreign_files.omissions import note_omission

_MOUNTS = Path("/proc/self/mountinfo")
_OF_THE_KERNEL = frozenset(
    {
        *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs"),
        *("fusectl", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs"),
    }
)
"""File systems without anybody's logs: what looks like a file there may never end, or act when it is read."""


class Folder(NamedTuple):
    """A folder, the names in it, and the folders in it; whoever clears `below` goes no deeper, as with `os.walk`."""

    path: Path
    names: list[str]
    below: list[Path]


def folders_below(root: Path) -> Iterator[Folder]:
    """A folder and all folders below it, as deep and as long as the bounds allow; what is cut off is an omission.

    A linked folder comes last, so that it gets its real path if that is below the root too.
    """
    waiting, links = [root], list[Path]()
    seen, kernel, started = set[tuple[int, int]](), _devices_of_the_kernel(), time.monotonic()
    while waiting or links:
        check_cancelled()
        if len(seen) >= FOLDERS or time.monotonic() - started > SEARCH_SECONDS:
            note_omission(f"the search of {root} ended early, after {len(seen):,} folders")
            return
        path = waiting.pop() if waiting else links.pop()
        try:
            identity = path.stat()
            if (identity.st_dev, identity.st_ino) in seen or identity.st_dev in kernel:
                continue
            found = _listed(path)
        except OSError:  # gone, not a folder, or no permission
            continue
        seen.add((identity.st_dev, identity.st_ino))
        yield found
        if len(path.parts) - len(root.parts) < FOLDER_DEPTH:
            links += filter(Path.is_symlink, found.below)
            waiting += filter(lambda path: not path.is_symlink(), found.below)
        elif found.below:
            note_omission(f"the search of {root} went {FOLDER_DEPTH} folders deep; what lies deeper was not looked at")


def _listed(path: Path) -> Folder:
    names, below = list[str](), list[Path]()
    with os.scandir(path) as entries:
        for entry in entries:
            names.append(entry.name)
            if not entry.name.startswith(".") and _is_folder(entry):
                below.append(path / entry.name)
    return Folder(path, sorted(names), sorted(below))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a loop of links
        return False


def _devices_of_the_kernel() -> frozenset[int]:
    """The devices of mounted file systems that hold nobody's files; none where Linux does not list its mounts."""
    try:
        mounts = [line.split() for line in read_text(_MOUNTS, errors="replace").splitlines()]
    except OSError:
        return frozenset()
    numbers = (words[2].split(":") for words in mounts if words[words.index("-") + 1] in _OF_THE_KERNEL)
    return frozenset(os.makedev(int(major), int(minor)) for major, minor in numbers)
