"""`rlvitals formats`: the two axes of what can be read, file formats and the producers whose names are understood."""

from collections.abc import Iterator, Sequence
from typing import Any

from diagnostics.cli.table_command import print_table
from diagnostics.language import N_, _
from diagnostics.producers.producer import Producer
from diagnostics.producers.table import PRODUCERS
from diagnostics.producers.trainer import Trainer
from diagnostics.readers.base import FORMATS, Format
from diagnostics.report.table_forms import Table

_YES_NO = {True: N_("yes"), False: N_("no")}
_COLUMNS = {
    "kind": N_("Kind"),
    "name": N_("Name"),
    "recognised_by": N_("Recognised by"),
    "title": N_("What it is"),
    "loss": N_("Not read"),
    "verified": N_("Checked on a real log"),
}


def run(words: Sequence[str]) -> int:
    """Print file formats, then producers; every producer is understood in every format."""
    return print_table(words, "formats", _("List the file formats and the producers that are understood."), _table)


def _table() -> Table:
    rows = [*map(_format, FORMATS), *_trainers()]
    return Table("formats", _COLUMNS, rows, codes=frozenset({"name"}), wide=frozenset({"recognised_by", "verified"}))


def _format(form: Format) -> dict[str, Any]:
    return {
        "kind": _("file format"),
        "name": form.name,
        "recognised_by": ", ".join(form.marks),
        "title": _(form.title),
        "loss": _(form.loss),
        "verified": _(_YES_NO[form.is_verified]),
        "install": form.install,
    }


def _trainers() -> Iterator[dict[str, Any]]:
    """A row for each trainer of each producer that has tags of its own."""
    for producer in PRODUCERS:
        yield from (_trainer(producer, trainer) for trainer in producer.trainers if trainer.tags)


def _trainer(producer: Producer, trainer: Trainer) -> dict[str, Any]:
    title = _("{count} names of {producer}")
    if not trainer.is_verified:
        title = _("{count} names of {producer}; unverified: from its source code")
    return {
        "kind": _("producer"),
        "name": trainer.name,
        "recognised_by": _("the names that it logs"),
        "title": title.format(count=len(trainer.tags) + len(trainer.families), producer=producer.name),
        "loss": "",
        "verified": _(_YES_NO[trainer.is_verified]),
    }
