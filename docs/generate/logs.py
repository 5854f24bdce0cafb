"""The pages of what can be read: file formats, and the names that each producer logs."""

from collections.abc import Iterator
from itertools import groupby

from diagnostics.producers.translation import Entry, glossary
from docs.generate.commands import Row, listing
from docs.generate.markup import anchor, code, page, table, text

FORMATS = """\
The file formats that rlvitals reads. Of several logs that one run left, the first in this list leads. A format that was
checked on no real log follows its writer's source code. Which names are understood in them is a second axis:
[producers](producers.md). How to open them: [Your logs](../guide/your-logs.md).
"""

PRODUCERS = """\
The trainers whose names are understood, in every [format](formats.md). Tags are without the prefixes `train/` and
`eval/`, and `{name}` stands for a reward function. A producer that was checked on no real log follows its source code.
Names of your own: [Your logs](../guide/your-logs.md#tags-of-your-own).
"""


def formats() -> str:
    """Every file format: how it is recognised, and what of it is not read."""
    rows = [row for row in listing("formats")["formats"] if row["kind"] == "file format"]
    overview = table(
        ("Format", "What it is", "Recognised by", "Not read", "Checked on a real log", "Needs"),
        (
            (
                code(row["name"]),
                text(row["title"]),
                ", ".join(map(code, row["recognised_by"].split(", "))),
                text(row["loss"]),
                row["verified"],
                text(row["install"]),
            )
            for row in rows
        ),
    )
    return page("Formats", FORMATS, overview)


def producers() -> str:
    """Every producer and its names, each with the metric that it is and where its meaning differs."""
    rows = [row for row in listing("formats")["formats"] if row["kind"] == "producer"]
    overview = table(
        ("Producer", "What it is", "Checked on a real log"),
        ((f"[{code(row['name'])}](#{anchor(row['name'])})", text(row["title"]), row["verified"]) for row in rows),
    )
    return page("Producers", PRODUCERS, overview, *_names_of(rows))


def _names_of(rows: list[Row]) -> Iterator[str]:
    known = {row["name"] for row in rows}
    for name, entries in groupby(glossary(), key=lambda entry: entry.trainer):
        if name in known:
            yield f"## {name}"
            yield table(("Tag", "Metric", "Caveat"), map(_tag, entries))


def _tag(entry: Entry) -> tuple[str, str, str]:
    metric = f"[{code(entry.metric)}](metrics.md#{anchor(entry.metric.removeprefix('eval/'))})"
    return code(entry.tag), metric, text(" ".join(entry.caveats))
