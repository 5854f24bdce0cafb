"""The foreign code that this machine's user trusts: a file in the user's data folder, keyed by the code's hash."""

import fcntl
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import open_regular
from diagnostics.foreign_files.documents import parse_json
from diagnostics.told import told
from diagnostics.user_data import user_data_folder
from trainer.config.options import ConfigError
from trainer.trust.foreign_code import ForeignCode

_SCHEMA_VERSION = 1
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class TrustError(ConfigError):
    """The list of trusted code cannot be read or written; the message is one sentence."""


def default_place() -> Path:
    """Where the list is kept; `XDG_DATA_HOME` moves it."""
    return user_data_folder() / "trusted.json"


@dataclass(frozen=True, slots=True)
class TrustStore:
    """The list at a place. Every question reads it anew, so that processes share it."""

    place: Path

    @classmethod
    def of_user(cls) -> "TrustStore":
        """The list of the user who runs this process."""
        return cls(default_place())

    @property
    def problem(self) -> str:
        """Why nothing is trusted although there is a list; empty where it can be read or there is none."""
        try:
            self._read()
        except TrustError as error:
            return str(error.args[0])
        return ""

    def untrusted(self, code: Iterable[ForeignCode]) -> tuple[ForeignCode, ...]:
        """The code that is not in the list; all of it where the list cannot be read."""
        try:
            trusted = self._read()
        except TrustError:
            trusted = {}
        return tuple(item for item in code if item.sha256 not in trusted)

    def remember(self, code: Iterable[ForeignCode]) -> None:
        """Add this code to the list; its content counts, wherever it lies.

        Raises:
            TrustError: The list cannot be read or written.
        """
        new = {item.sha256: {"place": item.place, "kind": item.kind, "trusted": time.time()} for item in code}
        if not new:
            return
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._alone():
                self._replace({**self._read(), **new})
        except OSError as error:
            raise TrustError(
                told(
                    "the trusted code cannot be remembered in {place}: {problem}",
                    place=self.place,
                    problem=error.strerror,
                )
            ) from error

    def _read(self) -> dict[str, Any]:
        try:
            with open_regular(self.place) as file:
                self._check_owner(os.fstat(file.fileno()))
                content = file.read()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise TrustError(
                told(
                    "the list of trusted code {place} cannot be read: {problem}",
                    place=self.place,
                    problem=error.strerror,
                )
            ) from error
        try:
            trusted = parse_json(content)["trusted"]
        except (ValueError, KeyError, TypeError):
            trusted = None
        if not isinstance(trusted, dict):
            raise TrustError(
                told(
                    "the list of trusted code {place} is broken, so nothing is trusted; remove it to begin a new one",
                    place=self.place,
                )
            )
        return trusted

    def _check_owner(self, found: os.stat_result) -> None:
        """Raise TrustError if somebody else could have written the list."""
        if found.st_uid != os.geteuid() or found.st_mode & _WRITABLE_BY_OTHERS:
            raise TrustError(
                told(
                    "others may write the list of trusted code {place}, so nothing is trusted; make it yours alone: "
                    "chmod 600",
                    place=self.place,
                )
            )

    def _replace(self, trusted: dict[str, Any]) -> None:
        """Write the list beside itself and rename it, readable by its user alone."""
        descriptor, name = tempfile.mkstemp(dir=self.place.parent, prefix=".trusted-")  # of mode 600
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"schema_version": _SCHEMA_VERSION, "trusted": trusted}, file, indent=1)
            Path(name).replace(self.place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While no other process adds to the list."""
        with self.place.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
