"""The kinds of damage, how often each is drawn, and the case that a number stands for."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.containers import CONTAINERS
from tests.fuzz.damage import Damage, Damaged
from tests.fuzz.databases import DATABASES
from tests.fuzz.mutations import mutate
from tests.fuzz.records import RECORDS
from tests.fuzz.seeds import SEEDS
from tests.fuzz.sizes import SIZES
from tests.fuzz.values import VALUES


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of damage; `share` is how many of 1,000 cases are of it, `formats` those that it fits."""

    what: str
    share: int
    damages: Sequence[Damage]
    formats: tuple[str, ...] = tuple(SEEDS)


KINDS: dict[str, Kind] = {
    "bytes": Kind("flipped, lost, repeated and odd bytes in one file", 400, (mutate,)),
    "values": Kind(
        "odd values and keys in JSON, YAML, CSV and printed text, the syntax intact",
        300,
        VALUES,
    ),
    "containers": Kind("special files, links and folders in a file's place and the other way round", 120, CONTAINERS),
    "records": Kind(
        "odd fields in binary records, the checksums valid", 90, RECORDS, ("tensorboard", "wandb", "swanlab")
    ),
    "databases": Kind("odd cells, schemas, views and pages in SQLite", 80, DATABASES, ("trackio", "mlflow")),
    "sizes": Kind("sparse terabytes, huge lines, many rows, files, names and bins, deep nesting", 10, SIZES),
}
"""By name. A case of size takes seconds, the others milliseconds: hence the shares."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a number stands for, before anything is damaged."""

    number: int
    kind: str
    form: str

    def make(self, folder: Path) -> Damaged:
        """Write the intact run below an empty folder and damage it, the same way each time."""
        draw = random.Random(f"damage {self.number}")
        run = folder / self.form
        draw.choice(SEEDS[self.form])(run)
        return draw.choice(KINDS[self.kind].damages)(draw, run)


def case(number: int) -> Case:
    """The case of this number."""
    draw = random.Random(number)
    (kind,) = draw.choices(list(KINDS), [found.share for found in KINDS.values()])
    return Case(number, kind, draw.choice(KINDS[kind].formats))
