"""Summaries that outlive the process: the list of runs that nobody has written since is there at once next time."""

import hashlib
import json
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import app
import diagnostics
from app.figures.sparkline import Sparkline
from app.run_list.summary import Said, Summary
from diagnostics.readers.cache import Entry, Identity, identities, load, save
from diagnostics.run_filter.facts import RunFacts


class KeptSummaries:
    """Keeps summaries in the user's cache folder, by the run's path and what tells that its files have changed.

    An entry counts on the day on which it was written, in UTC, since a mute may end with that; and for the code that
    wrote it.
    """

    def find(self, path: str, stamp: Identity) -> tuple[Summary, float | None] | None:
        """The summary, and when the run was last written by its own account; None if there is none that still holds."""
        entry = load(_key(path), _holds_for(path, stamp))
        try:
            return None if entry is None else _revived(json.loads(entry.facts))
        except (ValueError, KeyError, TypeError, AttributeError):  # the entry is damaged
            return None

    def keep(self, path: str, stamp: Identity, summary: Summary, written: float | None) -> None:
        """Keep a summary of the run as it was with these stamps."""
        facts = json.dumps({"written": written, **_document(summary)})
        save(_key(path), _holds_for(path, stamp), Entry(facts, ()))


def _document(summary: Summary) -> dict[str, Any]:
    """The summary as JSON, with NaN and Infinity as Python writes them."""
    facts = {name: dict(value) if name == "settings" else value for name, value in _fields(summary.facts).items()}
    translated = {code: asdict(said) for code, said in summary.translated.items()}
    own = {"facts": facts, "sparkline": asdict(summary.sparkline), "translated": translated}
    return {**_fields(summary), **own}


def _revived(document: dict[str, Any]) -> tuple[Summary, float | None]:
    written = document.pop("written")
    facts, sparkline = document.pop("facts"), document.pop("sparkline")
    verdict, causes, tags = (tuple(facts.pop(name)) for name in ("verdict", "causes", "tags"))
    lines = tuple(tuple((x, y) for x, y in line) for line in sparkline["lines"])
    translated = {code: Said(**said) for code, said in document.pop("translated").items()}
    return (
        Summary(
            facts=RunFacts(**facts, verdict=verdict, causes=causes, tags=tags),
            sparkline=Sparkline(lines, tuple(sparkline["marks"]), sparkline["missing"]),
            translated=translated,
            **document,
        ),
        written,
    )


def _fields(item: Any) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}


def _key(path: str) -> str:
    return f"summary of {path}"


def _holds_for(path: str, stamp: Identity) -> list[Identity]:
    return [[path, *stamp], [f"{datetime.now(UTC):%Y-%m-%d}", _code()]]


@cache
def _code() -> str:
    """Changes with any module that reads, judges or words a run."""
    rooms = [Path(room.__file__ or "").parent for room in (app, diagnostics)]
    files = sorted(file for room in rooms for file in room.rglob("*") if file.suffix in (".py", ".mo"))
    return hashlib.blake2b(repr(identities(files)).encode(errors="surrogateescape"), digest_size=16).hexdigest()
