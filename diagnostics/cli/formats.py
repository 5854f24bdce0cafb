"""`rlvitals formats`: the two axes of what can be read, file formats and the producers whose names are understood."""

from collections.abc import Sequence

from diagnostics.cli.listing import print_table
from diagnostics.dialects import DIALECTS
from diagnostics.readers import FORMATS
from diagnostics.report.tables import Table

_COLUMNS = {"kind": "Kind", "name": "Name", "recognised_by": "Recognised by", "title": "What it is"}


def run(words: Sequence[str]) -> int:
    """Print file formats, then producers; every producer is understood in every format."""
    return print_table(words, "formats", "List the file formats and the producers that are understood.", _table)


def _table() -> Table:
    formats = [
        {
            "kind": "file format",
            "name": form.name,
            "recognised_by": ", ".join(form.marks),
            "title": form.title,
            "install": form.install,
        }
        for form in FORMATS
    ]
    producers = [
        {
            "kind": "producer",
            "name": dialect.name,
            "recognised_by": "the names that it logs",
            "title": f"{len(dialect.tags) + len(dialect.families)} names of {dialect.producer}"
            + ("" if dialect.is_verified else ", from its source code: not checked on a log of its own"),
        }
        for dialect in DIALECTS
        if dialect.tags
    ]
    return Table("formats", _COLUMNS, [*formats, *producers], codes=frozenset({"name"}))
