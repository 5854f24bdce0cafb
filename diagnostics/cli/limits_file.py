"""Limits files: TOML in which `field = value` below `[rule-name]` overrides one of that rule's limits."""

from pathlib import Path

from diagnostics.cli.command import CommandError
from diagnostics.foreign_files.documents import read_toml
from diagnostics.model.diagnosis import LimitOverrides


def read_limits(path: Path) -> LimitOverrides:
    """The overridden limits; the rules check that names exist and values fit.

    Raises CommandError when the file cannot be read, is not TOML, or holds something beside tables.
    """
    try:
        document = read_toml(path)
    except OSError as error:
        raise CommandError(f"cannot read the limits file {path}: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(f"the limits file {path} is not TOML: {error}") from error
    for name, table in document.items():
        if not isinstance(table, dict):
            raise CommandError(f"{path}: {name} stands outside a rule; write [rule-name] above it")
    return document
