"""`rlvitals formats`: the two axes of what can be read, file formats and the producers whose names are understood."""

from collections.abc import Iterator, Sequence
from typing import Any

from diagnostics.cli.table_command import print_table
from diagnostics.producers.producer import Producer
from diagnostics.producers.table import PRODUCERS
from diagnostics.producers.trainer import Trainer
from diagnostics.readers.base import FORMATS, Format
from diagnostics.report.table_forms import Table

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
    rows = [*map(_format, FORMATS), *_trainers()]
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


def _trainers() -> Iterator[dict[str, Any]]:
    """A row for each trainer of each producer that has tags of its own."""
    for producer in PRODUCERS:
        yield from (_trainer(producer, trainer) for trainer in producer.trainers if trainer.tags)


def _trainer(producer: Producer, trainer: Trainer) -> dict[str, Any]:
    source = "" if trainer.is_verified else "; unverified: from its source code"
    return {
        "kind": "producer",
        "name": trainer.name,
        "recognised_by": "the names that it logs",
        "title": f"{len(trainer.tags) + len(trainer.families)} names of {producer.name}{source}",
        "loss": "",
        "verified": _YES_NO[trainer.is_verified],
    }
