"""Limits files: TOML in which `field = value` below `[rule-name]` overrides one of that rule's limits."""

from pathlib import Path

from diagnostics.cli.command import CommandError
from diagnostics.foreign_files.documents import read_toml
from diagnostics.language import _
from diagnostics.model.diagnosis import LimitOverrides
from diagnostics.told import reason


def read_limits(path: Path) -> LimitOverrides:
    """The overridden limits; the rules check that names exist and values fit.

    Raises CommandError when the file cannot be read, is not TOML, or holds something beside tables.
    """
    try:
        document = read_toml(path)
    except OSError as error:
        sentence = _("cannot read the limits file {file}: {error}")
        raise CommandError(sentence.format(file=path, error=error.strerror)) from error
    except ValueError as error:
        sentence = _("the limits file {file} is not TOML: {error}")
        raise CommandError(sentence.format(file=path, error=reason(error))) from error
    for name, table in document.items():
        if not isinstance(table, dict):
            sentence = _("{file}: {name} stands outside a rule; write {header} above it")
            raise CommandError(sentence.format(file=path, name=name, header="[rule-name]"))
    return document
