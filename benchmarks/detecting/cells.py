"""The cells of the detection benchmark: each one's run, its part of the corpus, and the training order."""

import random
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Literal, cast

from trainer.config.recipes import demo_recipe
from trainer.faults import FAULTS
from trainer.faults.fault import Case

Part = Literal["measured", "known", "tune", "engine"]
PARTS: tuple[Part, ...] = ("measured", "known", "tune", "engine")
CORPUS = Path(__file__).with_name("corpus.toml")
_OF_THE_BENCHMARK = ("from_seed", "resume_step", "switch_step", "average_over", "steps")
"""Keys of a control that the benchmark handles itself; all others are options of `train`."""
_OF_ALGORITHM = ("ppo", "grpo")


@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a fault active from its onset (1: from the start), or a healthy control.

    `name` is also the name of its folder in the cache. `size` names a model of `detecting.models`; empty: the shipped
    one.
    """

    part: Part
    algorithm: str
    task: str
    seed: int
    fault: str | None
    control: str | None
    onset: int
    steps: int
    size: str = ""

    @property
    def name(self) -> str:
        what = self.control or f"{self.fault}-{'start' if self.onset == 1 else 'mid'}"
        return f"{self.algorithm}-{self.task}-{what}-{self.seed}"

    @property
    def is_healthy(self) -> bool:
        return self.fault is None

    @property
    def case(self) -> Case:
        """The library's entry for the fault. Raises LookupError for a healthy control."""
        case = FAULTS[self.fault].case(self.algorithm, self.task) if self.fault else None
        if case is None:
            raise LookupError(f"{self.name} has no fault")
        return case

    @property
    def resume_step(self) -> int:
        """The step at which the run is stopped and resumed; 0: never."""
        return self._of_control("resume_step") or self.switch_step

    @property
    def switch_step(self) -> int:
        """The step after which the run continues with different prompts; 0: never."""
        return self._of_control("switch_step")

    @property
    def average_over(self) -> int:
        """The number of steps averaged into one logged point, as with `logging_steps`."""
        return self._of_control("average_over") or 1

    @property
    def words(self) -> list[str]:
        """The arguments for `rlvitals train`."""
        corpus = read_corpus()
        common = {**corpus["values"], **corpus["algorithm_values"][self.algorithm]}
        values = {**common, **values_of_seed(self.part, self.seed), **self._own_values()}
        return [word for name, value in values.items() for word in (f"--{name}", str(value).lower())]

    def _of_control(self, key: str) -> int:
        return int(_healthy_control(self.control).get(key, 0)) if self.control else 0

    def _learning_rate(self) -> dict[str, Any]:
        """The control's learning rate, else the recipe's, scaled to the cell's model; a fault sets its own."""
        recipe = demo_recipe(self.algorithm, self.task)
        if not self.size or recipe is None:
            return {}
        values = {**recipe.values, **self._values_of_control()}
        times = read_corpus()["models"][self.size]["learning_rate_times"]
        return {"learning_rate": float(f"{values['learning_rate'] * times:.2g}")}

    def _values_of_control(self) -> dict[str, Any]:
        entry = _healthy_control(self.control) if self.control else {}
        common = {name: value for name, value in entry.items() if name not in (*_OF_ALGORITHM, *_OF_THE_BENCHMARK)}
        return {**common, **entry.get(self.algorithm, {})}

    def _own_values(self) -> dict[str, Any]:
        fault = {"fault": self.fault, "fault_step": self.onset} if self.fault else {}
        named = {"task": self.task, "seed": self.seed, "max_steps": self.steps}
        return {**self._values_of_control(), **self._learning_rate(), **fault, **named}


@cache
def read_corpus() -> Mapping[str, Any]:
    """The committed table of the corpus."""
    return tomllib.loads(CORPUS.read_text("utf-8"))


def cells(part: Part, subset: str | None = None) -> list[Cell]:
    """The cells of a part, seed by seed, so that any time budget covers faults and controls evenly."""
    entry, wanted = read_corpus()["parts"][part], read_corpus()["subsets"][subset] if subset else tuple(FAULTS)
    faults = [name for name in _named_by(part, "faults", FAULTS) if name in wanted]
    mixed = chain.from_iterable(_of_seed(part, seed, faults) for seed in entry["seeds"])
    return [*mixed, *chain.from_iterable(_healthy(part, seed) for seed in entry.get("healthy_seeds", ()))]


def values_of_seed(part: str, seed: int) -> Mapping[str, Any]:
    """The options that all runs of a seed have."""
    return cast("Mapping[str, Any]", read_corpus()["parts"][part].get("values", {}).get(str(seed), {}))


def controls_of(part: Part) -> list[str]:
    """The controls of a part; its faulty runs differ from the first one in the fault alone."""
    return _named_by(part, "controls", read_corpus()["controls"])


def _named_by(part: Part, what: Literal["faults", "controls"], names: Iterable[str]) -> list[str]:
    """The faults or controls that a part names; those that no part names where it names none."""
    parts = read_corpus()["parts"]
    of_others = {name for entry in parts.values() for name in entry.get(what, ())}
    return parts[part].get(what) or [name for name in names if name not in of_others]


def _of_seed(part: Part, seed: int, faults: Sequence[str]) -> Iterator[Cell]:
    """Documented faults first, interleaved with controls, the standard one first, in a seeded order."""
    sick, healthy = list(_faulty_cells(part, seed, faults)), list(_healthy(part, seed))
    order = random.Random(seed)
    order.shuffle(sick)
    order.shuffle(healthy)
    healthy.sort(key=lambda cell: cell.control != controls_of(part)[0])
    sick.sort(key=lambda cell: cell.fault not in read_corpus()["subsets"]["documents"])
    per_healthy = max(1, round(len(sick) / len(healthy)))
    stretches = [sick[first : first + per_healthy] for first in range(0, len(sick), per_healthy)]
    for stretch, control in zip_longest(stretches, healthy):
        yield from stretch or ()
        if control:
            yield control


def _faulty_cells(part: Part, seed: int, faults: Sequence[str]) -> Iterator[Cell]:
    steps, entry = read_corpus()["steps"], read_corpus()["parts"][part]
    for name in faults:
        for case in FAULTS[name].cases:
            on = f"{case.algorithm} {case.task}"
            is_later = seed < read_corpus()["later_cases"].get(f"{name} {on}", 0)
            if is_later or on not in entry["tasks"] or _is_left_out(part, name, on):
                continue
            drawn = random.Random(f"{name} {on} {seed}").randint(*steps["onset"])
            for onset, least in ((1, steps["from_start"]), (drawn, drawn - 1 + steps["after_onset"])):
                total = max(least, onset - 1 + case.steps + 5)
                yield Cell(part, case.algorithm, case.task, seed, name, None, onset, total, _size(part, seed))


def _healthy(part: Part, seed: int) -> Iterator[Cell]:
    """The controls of a seed; a control that was added later exists only for later seeds."""
    is_new = seed in read_corpus()["parts"][part].get("healthy_seeds", ())
    for on in read_corpus()["parts"][part]["tasks"]:
        algorithm, task = on.split()
        for control in controls_of(part):
            if _is_left_out(part, control, on):
                continue
            entry = _healthy_control(control)
            if is_new or seed >= entry.get("from_seed", 0):
                steps = entry.get("steps", read_corpus()["steps"]["healthy"])
                yield Cell(part, algorithm, task, seed, None, control, 1, steps, _size(part, seed))


def _is_left_out(part: Part, name: str, on: str) -> bool:
    """Whether a part has no runs of this fault or control on this algorithm and task."""
    return f"{name} {on}" in read_corpus()["parts"][part].get("without", ())


def _size(part: Part, seed: int) -> str:
    """The size of the model trained with this seed; empty: the shipped one."""
    return str(read_corpus()["parts"][part].get("models", {}).get(str(seed), ""))


def _healthy_control(name: str) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", read_corpus()["controls"][name])
