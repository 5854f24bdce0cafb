"""The samples of one step as rows: filtered, sorted and grouped by prompt."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from diagnostics.model.messages import format_value, shortened
from diagnostics.model.samples import Sample
from diagnostics.visible_text import one_line
from diagnostics.wording.values import counted, optional_value

Order = Literal["as logged", "highest score", "lowest score", "longest"]
ORDERS: tuple[Order, ...] = ("as logged", "highest score", "lowest score", "longest")
_LONGEST_CELL = 240  # characters of a text in a row


@dataclass(frozen=True, slots=True)
class Numbered:
    """A sample and its row among all samples of its step, from 0."""

    row: int
    sample: Sample


@dataclass(frozen=True, slots=True)
class Flag:
    """What a check of samples says of one sample: in two words, and as a sentence."""

    rule: str
    words: str
    sentence: str
    severity: str


@dataclass(frozen=True, slots=True)
class Row:
    """One sample as cells. `heat` is its score's place on the run's scale, 0 to 1; None without a finite score."""

    row: int
    step: int
    query: str
    response: str
    score: str
    heat: float | None
    rewards: tuple[str, ...]
    advantage: str
    tokens: str
    end: str
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """The samples that share a prompt."""

    query: str
    samples: tuple[Numbered, ...]

    @property
    def facts(self) -> str:
        """`8 answers · mean 0.25 · 2 of 8 right · 2 cut off`."""
        scores = [item.sample.score for item in self.samples if item.sample.score is not None]
        parts = [counted(len(self.samples), "answer")]
        parts += [f"mean {format_value(sum(scores) / len(scores))}"] if scores else []
        parts += [f"{scores.count(1.0)} of {len(scores)} right"] if scores and set(scores) <= {0.0, 1.0} else []
        cut = sum(item.sample.terminated is False for item in self.samples)
        return " · ".join([*parts, f"{cut} cut off"] if cut else parts)


def numbered(samples: Sequence[Sample]) -> list[Numbered]:
    """All samples of a step with their rows."""
    return [Numbered(row, sample) for row, sample in enumerate(samples)]


def filtered_and_sorted(
    samples: Sequence[Numbered], order: Order, find: str = "", only_cut: bool = False
) -> list[Numbered]:
    """The samples that contain the text, ignoring case, and are cut off if `only_cut`; those without a score last."""
    wanted = find.lower()
    found = [item for item in samples if wanted in item.sample.query.lower() or wanted in item.sample.response.lower()]
    found = [item for item in found if item.sample.terminated is False] if only_cut else found
    if order == "as logged":
        return found
    if order == "longest":
        return sorted(found, key=lambda item: -(item.sample.length or len(item.sample.response)))
    sign = -1.0 if order == "highest score" else 1.0
    return sorted(found, key=lambda item: _rank(item.sample.score, sign))


def _rank(score: float | None, sign: float) -> tuple[int, float]:
    if score is None:
        return 2, 0.0
    return (1, 0.0) if math.isnan(score) else (0, sign * score)


def group_samples(samples: Sequence[Numbered]) -> list[Group]:
    """The samples grouped by their group id, else by their query, in the order of their first sample."""
    members: dict[object, list[Numbered]] = {}
    for item in samples:
        members.setdefault(item.sample.query if item.sample.group is None else item.sample.group, []).append(item)
    return [Group(found[0].sample.query, tuple(found)) for found in members.values()]


def reward_functions(samples: Sequence[Sample]) -> tuple[str, ...]:
    """The names of their reward functions; none where there is but one, which is the score."""
    names = sorted({name for sample in samples for name in sample.rewards})
    return tuple(names) if len(names) > 1 else ()


def row_of(
    item: Numbered, functions: Sequence[str], scale: tuple[float, float], flags: Mapping[int, Sequence[Flag]]
) -> Row:
    """The cells of one sample."""
    sample = item.sample
    return Row(
        row=item.row,
        step=sample.step,
        query=_cell(sample.query),
        response=_cell(sample.response),
        score=optional_value(sample.score),
        heat=_heat(sample.score, scale),
        rewards=tuple(optional_value(sample.rewards.get(name)) for name in functions),
        advantage=signed(sample.advantage),
        tokens="" if sample.length is None else str(sample.length),
        end=end_of(sample),
        flags=tuple(flags.get(item.row, ())),
    )


def signed(value: float | None) -> str:
    """A number with its sign, plus too; empty for None."""
    plus = "+" if value is not None and value > 0 else ""
    return plus + optional_value(value)


def end_of(sample: Sample) -> str:
    """How a sample ended; empty where the log does not say."""
    return {True: "ends", False: "cut", None: ""}[sample.terminated]


def _cell(text: str) -> str:
    return one_line(shortened(text, _LONGEST_CELL))


def _heat(score: float | None, scale: tuple[float, float]) -> float | None:
    if score is None or not math.isfinite(score):
        return None
    low, high = scale
    return min(1.0, max(0.0, (score - low) / (high - low)))
