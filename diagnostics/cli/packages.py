"""The packages beside diagnostics, `app` and `trainer`: started as processes of their own and never imported here."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import diagnostics
from diagnostics.cli.command import CommandError
from diagnostics.language import _

_HOME = Path(diagnostics.__file__).resolve().parents[1]


def folder_of(package: str, extra: str, needs: Sequence[str]) -> Path:
    """The folder of a sibling package, sure to be ours and to have its libraries.

    Raises CommandError when a module of the same name hides it, or when a library in `needs` is not installed.
    """
    check_not_hidden(package)
    missing = [library for library in needs if find_spec(library) is None]
    if missing:
        raise CommandError(
            _("this needs {packages}, which {python} lacks; run: pip install 'rlvitals[{extra}]'").format(
                packages=", ".join(missing), python=sys.executable, extra=extra
            )
        )
    return _HOME / package


def python_command(module: str, *words: str) -> list[str]:
    """The command that runs a module as a process; -P keeps modules of the working folder out."""
    return [sys.executable, "-P", "-m", module, *words]


def check_not_hidden(package: str) -> None:
    """Raise CommandError when a module of the same name would be started in place of our package."""
    spec = find_spec(package)
    found = Path(spec.origin).resolve() if spec and spec.origin else None
    if found is not None and not found.is_relative_to(_HOME / package):
        raise CommandError(
            _("{path} hides rlvitals' own package {package}; rename it, or take its folder off PYTHONPATH").format(
                path=found, package=repr(package)
            )
        )
