"""The pages on supported logs: file formats, and the names that each producer logs."""

from collections.abc import Iterator, Sequence

from diagnostics.model.vocabulary import metric
from diagnostics.producers.canonical_settings import SETTINGS
from diagnostics.producers.key_lists import LISTED, ignored_patterns, key_lists
from diagnostics.producers.producer import Producer
from diagnostics.producers.table import PRODUCERS as TABLE
from diagnostics.producers.translation import Entry, glossary
from docs.generate.commands import listing
from docs.generate.markup import anchor, code, page, table, text

KEYS = """\
What a run logs by the producer's newest source. **Mapped** is the share of its keys that is a metric of the
vocabulary, **known** the share that is mapped or left out with a reason; keys that are the step itself are not counted.
A second name of one metric counts as mapped, and stays in the run under its own name.
"""

FORMATS = """\
The file formats that rlvitals reads. Of several logs that one run left, the first in this list leads. A format that was
checked on no real log follows its writer's source code. Which names are understood in them is a second axis:
[producers](producers.md). How to open them: [Your logs](../guide/your-logs.md).
"""

PRODUCERS = """\
The trainers whose names are understood, in every [format](formats.md). Tags are without the prefixes `train/` and
`eval/`, and `{name}` stands for a reward function. A producer that was checked on no real log follows its source code.
Of several names of a setting the first that is given counts. Names of your own:
[Your logs](../guide/your-logs.md#tags-of-your-own).
"""


def formats() -> str:
    """Every file format: how it is recognised, and which parts are not read."""
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
    """Every producer with its tags, each with its metric, and the names of its settings."""
    known = {row["name"]: row["verified"] for row in listing("formats")["formats"] if row["kind"] == "producer"}
    named = [producer for producer in TABLE if any(trainer.name in known for trainer in producer.trainers)]
    overview = table(
        ("Producer", "Its logs", "Tags", "Checked on a real log"),
        (
            (
                f"[{code(producer.name)}](#{anchor(producer.name)})",
                ", ".join(code(trainer.name) for trainer in producer.trainers),
                str(len(_tags_of(producer))),
                ", ".join(dict.fromkeys(known[trainer.name] for trainer in producer.trainers)),
            )
            for producer in named
        ),
    )
    sections = (part for producer in named for part in _sections(producer))
    return page("Producers", PRODUCERS, overview, "## What runs log", KEYS, _shares(), *sections)


def _shares() -> str:
    """How many keys of each kind of run are mapped and known."""
    return table(
        ("Producer", "Its source", "Run", "By default", "Keys", "Mapped", "Known"),
        (
            (
                f"[{code(log.producer)}](#{anchor(log.producer)})",
                f"[{log.version}]({log.source})",
                text(log.title),
                "yes" if log.is_default else "no",
                str(log.count),
                f"{log.mapped_share:.0%}",
                f"{log.known_share:.0%}",
            )
            for producer in LISTED
            for log in key_lists(producer)
        ),
    )


def _sections(producer: Producer) -> Iterator[str]:
    several = len(producer.trainers) > 1
    yield f"## {producer.name}"
    titles = ("Tag", "Metric", *(("Logged by",) if several else ()), "Caveat")
    yield table(titles, (_tag_row(entry, logs, several) for entry, logs in _tags_of(producer).items()))
    if patterns := ignored_patterns(producer.name):
        yield table(("Left out", "Why"), ((code(pattern), text(reason)) for pattern, reason in patterns.items()))
    if producer.settings:
        yield table(("Setting", "What it is", "Its name here"), _settings(producer))


def _tags_of(producer: Producer) -> dict[Entry, list[str]]:
    """Every tag, once for each of its meanings, with the logs that contain it."""
    found: dict[Entry, list[str]] = {}
    for entry in glossary():
        if entry.producer == producer.name:
            found.setdefault(entry._replace(trainer=""), []).append(entry.trainer)
    return found


def _tag_row(entry: Entry, logs: list[str], several: bool) -> Sequence[str]:
    known = metric(entry.metric)
    name = f"[{code(entry.metric)}](metrics.md#{anchor(known.name if known else entry.metric)})"
    by = (", ".join(map(code, logs)),) if several else ()
    return code(entry.tag), name, *by, text(" ".join(entry.caveats))


def _settings(producer: Producer) -> Iterator[Sequence[str]]:
    for setting, arguments in producer.settings.items():
        yield code(setting), text(SETTINGS.get(setting, "")), ", ".join(map(code, arguments))
