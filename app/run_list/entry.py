"""The entries of the list: every run found, under a name of its own, with what its user says of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.load.listing import Listed
from app.run_list.summary import Summary
from diagnostics.addresses import shown
from diagnostics.annotations import Annotation
from diagnostics.run_filter.facts import RunFacts
from diagnostics.wording.run_names import distinct_names


@dataclass(frozen=True, slots=True)
class Entry:
    """One run of the list; `summary` is None until it was read.

    `written` is when its log says that it was last written to, `newest` the same or, where it does not say, the age of
    its files; in seconds since the epoch.
    """

    path: Path
    name: str
    facts: RunFacts
    written: float | None
    newest: float
    summary: Summary | None = None

    @property
    def verdict(self) -> str:
        """The verdict's id; empty before the run was read."""
        return self.summary.verdict if self.summary else ""


def entries(
    listed: Sequence[Listed[Summary]], annotations: Sequence[Annotation], is_sample: Callable[[Path], bool]
) -> list[Entry]:
    """The runs that can be read or were not read yet, in the order given."""
    pairs = [(item, said) for item, said in zip(listed, annotations, strict=True) if not item.error]
    names = distinct_names([(_own_name(item), item.ref.path) for item, _ in pairs])
    return [_entry(item, said, name, is_sample) for (item, said), name in zip(pairs, names, strict=True)]


def _own_name(item: Listed[Summary]) -> str:
    return item.summary.facts.name if item.summary else item.ref.name


def _entry(item: Listed[Summary], said: Annotation, name: str, is_sample: Callable[[Path], bool]) -> Entry:
    facts = item.summary.facts if item.summary else RunFacts(item.ref.name, shown(item.ref.path))
    facts = replace(
        facts,
        name=name,
        tags=said.tags,
        note=said.note,
        is_archived=said.is_archived,
        is_sample=is_sample(item.ref.path),
    )
    newest = item.newest if item.written is None else item.written
    return Entry(item.ref.path, name, facts, item.written, newest, item.summary)
