"""The cells of the TRL corpus: each one's settings, drawn at random but the same each time, and its fault or none."""

import math
import random
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import accumulate, chain, cycle, zip_longest
from pathlib import Path
from typing import Any, Literal

from benchmarks.trl_runs.faults import FAULTS, faults_for, with_fault

Part = Literal["measured", "tune"]
PARTS: tuple[Part, ...] = ("measured", "tune")
CORPUS = Path(__file__).with_name("corpus.toml")


@dataclass(frozen=True, slots=True)
class Cell:
    """One training. `base` counts the settings drawn for a part: a sick run and its healthy twin share them.

    `settings` are TRL's arguments by name, before the fault. `form` is what the run is read from for the headline.
    """

    part: Part
    base: int
    algorithm: str
    task: str
    architecture: str
    fault: str | None
    steps: int
    logging_steps: int
    room: float
    form: str
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Also the name of its folder in the cache."""
        of = f"{self.algorithm}-{self.task}-{self.architecture}"
        return f"{self.part}-{self.base:03d}-{of}-{self.fault or 'healthy'}"

    @property
    def producer(self) -> str:
        """The TRL that trains it."""
        return str(read_corpus()["producers"][self.algorithm])

    @property
    def seed(self) -> int:
        return self.base

    @property
    def twin(self) -> "Cell":
        """The same training without the fault."""
        return replace(self, fault=None)

    def plan(self) -> dict[str, Any]:
        """What TRL's side is told: plain data."""
        fault = asdict(FAULTS[self.fault]) if self.fault else {}
        variants = {name: fault.get(name, "") for name in ("reward", "data", "end")}
        return {
            **{name: getattr(self, name) for name in ("name", "algorithm", "task", "architecture", "steps", "seed")},
            **variants,
            "weights": fault.get("weights", "float32"),
            "room": fault.get("room") or self.room,
            "logging_steps": self.logging_steps,
            "settings": with_fault(self.fault, self.algorithm, self.settings),
        }


@cache
def read_corpus() -> Mapping[str, Any]:
    """The committed table of the corpus."""
    return tomllib.loads(CORPUS.read_text("utf-8"))


@cache
def cells(part: Part) -> tuple[Cell, ...]:
    """The cells of a part in training order: each base's healthy run, then its sick ones."""
    return tuple(chain.from_iterable(_planned(part, entry) for entry in _entries(part)))


def in_training_order() -> list[Cell]:
    """The cells of all parts, base by base in turns, so that any time budget covers each; the latest draws first."""
    entries = [(part, entry) for part in PARTS for entry in _entries(part)]
    draws = sorted({entry["draws_after"] for _, entry in entries})
    drawn = ([(part, entry) for part, entry in entries if entry["draws_after"] == after] for after in draws)
    return list(chain.from_iterable(map(_in_turns, drawn)))


def _in_turns(drawn: Iterable[tuple[Part, Mapping[str, Any]]]) -> Iterator[Cell]:
    of_all = [_by_base(part, entry) for part, entry in drawn]
    turns = chain.from_iterable(zip_longest(*of_all, fillvalue=[]))
    yield from chain.from_iterable(turns)


def _by_base(part: Part, entry: Mapping[str, Any]) -> Iterator[list[Cell]]:
    for base in _numbers(entry):
        yield [cell for cell in cells(part) if cell.base == base]


def _entries(part: Part) -> Iterator[Mapping[str, Any]]:
    """What is planned of a part, and from what it is drawn: newer TRLs and the old API, and what was drawn later."""
    corpus = read_corpus()
    common = {"shares": corpus["shares"], "forms": corpus["forms"], **corpus["steps"]}
    for entry in (
        {**common, **corpus["parts"][part]},
        {**common, **corpus["old_api"], **corpus["old_api"]["parts"][part]},
    ):
        later = entry.get("later", [])
        tasks = accumulate((draw["new_tasks"] for draw in later), initial=entry["tasks"])
        for after, draw, known in zip(range(len(later), -1, -1), ({}, *later), tasks, strict=True):
            yield {**entry, **draw, "tasks": known, "draws_after": after}


def _planned(part: Part, entry: Mapping[str, Any]) -> Iterator[Cell]:
    """Each base's healthy run and its sick ones. Of faults used as often, those of one algorithm alone come first."""
    used = Counter[str]()
    for healthy in _bases(part, entry):
        usable = faults_for(healthy.algorithm, healthy.task, healthy.settings)
        order = random.Random(f"{healthy.name} faults")
        by_use = sorted(usable, key=lambda name: (used[name], len(FAULTS[name].algorithms) > 1, order.random()))
        chosen = by_use[: entry["faults_per_base"]]
        used.update(chosen)
        yield healthy
        yield from (replace(healthy, fault=fault) for fault in chosen)


def _numbers(entry: Mapping[str, Any]) -> range:
    return range(entry["first_base"], entry["first_base"] + entry["bases"])


def _bases(part: Part, entry: Mapping[str, Any]) -> Iterator[Cell]:
    """The healthy cells: algorithms, tasks and architectures in turns, everything else drawn."""
    rng = random.Random(part)
    algorithms = [name for name, share in entry["shares"].items() for _ in range(share)]
    rng.shuffle(algorithms)
    turns = zip(cycle(algorithms), cycle(entry["tasks"]), cycle(_unequal(entry)), strict=False)
    for base, (algorithm, task, architecture) in zip(_numbers(entry), turns, strict=False):
        yield _drawn(entry, part, base, algorithm, task, architecture)


def _unequal(entry: Mapping[str, Any]) -> list[str]:
    """The architectures in an order whose length shares no factor with the number of tasks: all pairs occur."""
    names, tasks = list(entry["architectures"]), len(entry["tasks"])
    return names if math.gcd(len(names), tasks) == 1 else [*names, *names, names[0]]


def _drawn(entry: Mapping[str, Any], part: Part, base: int, algorithm: str, task: str, architecture: str) -> Cell:
    corpus, rng = read_corpus(), random.Random(f"{part} {base}")
    settings = {name: _draw(rng, how) for name, how in corpus["settings"][algorithm].items()}
    rate = settings["learning_rate"] * corpus["learning_rate_times"][architecture]
    steps = _draw(rng, entry["steps"])
    logged = _draw(rng, entry["logging_steps"])
    return Cell(
        part,
        base,
        algorithm,
        task,
        architecture,
        None,
        steps,
        logged if steps // logged >= entry["rows"] else 1,
        _draw(rng, corpus["room"]),
        _draw(rng, entry["forms"]),
        {**settings, "learning_rate": float(f"{rate:.2g}")},
    )


def _draw(rng: random.Random, how: Mapping[str, Any]) -> Any:
    if "choices" in how:
        return rng.choice(how["choices"])
    low, high = how["log_uniform"]
    value = math.exp(rng.uniform(math.log(low), math.log(high)))
    return round(value) if how.get("whole") else float(f"{value:.2g}")
