"""The token that opens the dashboard: one for each user, kept in a file that nobody else can read."""

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from diagnostics.cli.command import CommandError, print_note
from diagnostics.language import _
from diagnostics.user_data import user_data_folder

VARIABLE = "RLVITALS_TOKEN"
_FEWEST_CHARACTERS = 16
_MOST_BYTES = 4096
_PATTERN = re.compile(r"[A-Za-z0-9._~-]+")  # stands in an address as it is
_FOR_THE_OWNER_ALONE = 0o077


def access_token() -> str:
    """The token of RLVITALS_TOKEN, else the user's own, which is made at the first start.

    Raises CommandError when RLVITALS_TOKEN holds none that is long enough.
    """
    given = os.environ.get(VARIABLE)
    if given is None:
        return _kept_or_made(token_file())
    if len(given) < _FEWEST_CHARACTERS or not _PATTERN.fullmatch(given):
        raise CommandError(
            _(
                "{variable} holds no token: it takes {least} or more of the letters, digits "
                "and . _ ~ - (python -c 'import secrets; print(secrets.token_urlsafe())' makes one)"
            ).format(variable=VARIABLE, least=_FEWEST_CHARACTERS)
        )
    return given


def token_file() -> Path:
    """The file of the user's token; `XDG_DATA_HOME` moves it."""
    return user_data_folder() / "token"


def _kept_or_made(path: Path) -> str:
    made = secrets.token_urlsafe()
    try:
        with _locked(path.parent):
            if kept := _read(path):
                return kept
            _write(path, made)
    except OSError as error:
        print_note(
            _("rlvitals: {path} cannot keep the token ({why}); this one lasts until the dashboard ends").format(
                path=path, why=error.strerror
            )
        )
    return made


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder, so that two dashboards which start at once agree on a token."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read(path: Path) -> str | None:
    """The token in the file; None where there is none, or where somebody else may know it or have put it there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a FIFO must not be waited for
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if problem := _problem(found):
            print_note(
                _(
                    "rlvitals: {path} {problem}; a new token is made, and browsers have to open the new address once"
                ).format(path=path, problem=problem)
            )
            return None
        text = file.read(_MOST_BYTES).decode("ascii", "replace").strip()
    return text if len(text) >= _FEWEST_CHARACTERS and _PATTERN.fullmatch(text) else None


def _problem(found: os.stat_result) -> str:
    if not stat.S_ISREG(found.st_mode):
        return _("is no regular file")
    if found.st_uid != os.geteuid():
        return _("belongs to another user")
    if found.st_mode & _FOR_THE_OWNER_ALONE:
        return _("can be used by other users (mode {mode})").format(mode=f"{stat.S_IMODE(found.st_mode):o}")
    return ""


def _write(path: Path, token: str) -> None:
    """Put a file in place that has been complete and private from its first moment."""
    scratch = path.with_name(f".token.{secrets.token_hex(8)}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{token}\n")
    scratch.replace(path)
