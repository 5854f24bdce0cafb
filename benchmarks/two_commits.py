"""Checks out an earlier commit beside this tree, so that one run can compare both."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Tree:
    """One commit's files; `environment` makes Python import from them and keep its cache separate."""

    name: str
    path: Path
    cache: Path

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.path), "XDG_CACHE_HOME": str(self.cache)}


@contextmanager
def before_and_after(revision: str, scratch: Path) -> Iterator[tuple[Tree, Tree]]:
    """The files of a commit, checked out into the scratch folder, and those of this tree as they are."""
    checkout = scratch / "before"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", checkout, revision], cwd=ROOT, check=True)
    try:
        yield Tree("before", checkout, scratch / "before.cache"), Tree("after", ROOT, scratch / "after.cache")
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", checkout], cwd=ROOT, check=True)
