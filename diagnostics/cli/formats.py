"""`rlvitals formats`: the two axes of what can be read, file formats and the producers whose names are understood."""

from collections.abc import Sequence
from typing import Any

from diagnostics.cli.table_command import print_table
from diagnostics.producers import DIALECTS
from diagnostics.producers.producer import Dialect
from diagnostics.readers.base import FORMATS, Format
from diagnostics.report.tables import Table

_YES_NO = {True: "yes", False: "no"}
_COLUMNS = {
    "kind": "Kind",
    "name": "Name",
    "recognised_by": "Recognised by",
    "title": "What it is",
    "loss": "Not read",
    "verified": "Checked on a real log",
}


def run(words: Sequence[str]) -> int:
    """Print file formats, then producers; every producer is understood in every format."""
    return print_table(words, "formats", "List the file formats and the producers that are understood.", _table)


def _table() -> Table:
    rows = [*map(_format, FORMATS), *(_producer(dialect) for dialect in DIALECTS if dialect.tags)]
    return Table("formats", _COLUMNS, rows, codes=frozenset({"name"}), wide=frozenset({"recognised_by", "verified"}))


def _format(form: Format) -> dict[str, Any]:
    return {
        "kind": "file format",
        "name": form.name,
        "recognised_by": ", ".join(form.marks),
        "title": form.title,
        "loss": form.loss,
        "verified": _YES_NO[form.is_verified],
        "install": form.install,
    }


def _producer(dialect: Dialect) -> dict[str, Any]:
    source = "" if dialect.is_verified else "; unverified: from its source code"
    return {
        "kind": "producer",
        "name": dialect.name,
        "recognised_by": "the names that it logs",
        "title": f"{len(dialect.tags) + len(dialect.families)} names of {dialect.producer}{source}",
        "loss": "",
        "verified": _YES_NO[dialect.is_verified],
    }
