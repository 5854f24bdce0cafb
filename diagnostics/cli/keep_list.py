"""The keep-list: the rows of the data that an untrained policy sometimes solves, as a dataset of their own."""

import json
from argparse import Namespace
from pathlib import Path

from diagnostics.cli.command import CommandError
from diagnostics.language import _
from diagnostics.rules.config.pass_rates import PassRates


def check_keep_list(arguments: Namespace) -> None:
    """Raise CommandError where the list could not be written anyway, before anything is tried."""
    if not arguments.probe or len(arguments.paths) > 1:
        raise CommandError(
            _("--keep-list writes the rows of one configuration by their pass rates: add --probe, name one")
        )
    if not arguments.keep_list.absolute().parent.is_dir():
        raise CommandError(
            _("cannot write {file}: its folder does not exist; make it, or name another").format(
                file=arguments.keep_list
            )
        )


def write_keep_list(path: Path, rates: PassRates | None) -> None:
    """Write the rows whose pass rate is 20 to 80 % as JSONL, each with its `pass_rate`.

    Raises:
        CommandError: There are no pass rates, or the file cannot be written.
    """
    if rates is None:
        raise CommandError(
            _(
                "--keep-list needs pass rates, and there are none: draw two answers or more to a prompt "
                "(--probe-generations), and where all earn the same say what passes (--pass-at)"
            )
        )
    lines = [json.dumps({**prompt.row, "pass_rate": rate}) for prompt, rate in rates.kept]
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise CommandError(
            _("cannot write {path}: {why}; name a file in a folder that exists").format(path=path, why=error.strerror)
        ) from error
