"""The samples of one step as rows: filtered, sorted and grouped by prompt."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from diagnostics.model.messages import format_value
from diagnostics.model.samples import Sample
from diagnostics.visible_text import one_line, visible
from diagnostics.wording.values import optional_value

Order = Literal["highest score", "lowest score", "as logged"]
ORDERS: tuple[Order, ...] = ("highest score", "lowest score", "as logged")


@dataclass(frozen=True, slots=True)
class Group:
    """The samples that share a prompt."""

    query: str
    samples: tuple[Sample, ...]

    @property
    def summary(self) -> str:
        """`8 samples · mean 0.25 · 2 cut off`."""
        scores = [s.score for s in self.samples if s.score is not None]
        parts = [f"{len(self.samples)} samples"]
        parts += [f"mean score {format_value(sum(scores) / len(scores))}"] if scores else []
        cut = sum(sample.terminated is False for sample in self.samples)
        return " · ".join([*parts, f"{cut} cut off"] if cut else parts)


def filtered_and_sorted(
    samples: Sequence[Sample], order: Order, find: str = "", only_cut: bool = False
) -> list[Sample]:
    """The samples that contain the text, ignoring case, and are cut off if `only_cut`; those without a score last."""
    wanted = find.lower()
    found = [s for s in samples if wanted in s.query.lower() or wanted in s.response.lower()]
    found = [s for s in found if s.terminated is False] if only_cut else found
    if order == "as logged":
        return found
    sign = -1.0 if order == "highest score" else 1.0
    return sorted(found, key=lambda sample: _rank(sample.score, sign))


def _rank(score: float | None, sign: float) -> tuple[int, float]:
    if score is None:
        return 2, 0.0
    return (1, 0.0) if math.isnan(score) else (0, sign * score)


def group_samples(samples: Sequence[Sample]) -> list[Group]:
    """The samples grouped by their group id, else by their query, in the order of their first sample."""
    members: dict[object, list[Sample]] = {}
    for sample in samples:
        members.setdefault(sample.query if sample.group is None else sample.group, []).append(sample)
    return [Group(found[0].query, tuple(found)) for found in members.values()]


def sample_frame(samples: Sequence[Sample], with_query: bool) -> pd.DataFrame:
    """One row a sample: query, model response, score, each reward function, advantage, length, how it ended."""
    functions = sorted({name for sample in samples for name in sample.rewards})
    columns: dict[str, list[str]] = {"query": [visible(s.query) for s in samples]} if with_query else {}
    columns["model response"] = [visible(s.response) for s in samples]
    columns["score"] = [optional_value(s.score) for s in samples]
    if len(functions) > 1:
        columns |= {one_line(name): [optional_value(s.rewards.get(name)) for s in samples] for name in functions}
    optional = {
        "advantage": [optional_value(s.advantage) for s in samples],
        "tokens": ["" if s.length is None else str(s.length) for s in samples],
        "end": [_end(s) for s in samples],
    }
    return pd.DataFrame(columns | {name: cells for name, cells in optional.items() if any(cells)})


def sample_facts(sample: Sample) -> str:
    """Everything about a sample but its texts, in one line."""
    parts = [f"step {sample.step}", f"score {optional_value(sample.score) or 'not logged'}"]
    parts += [f"{name} {format_value(value)}" for name, value in sample.rewards.items()]
    parts += [] if sample.advantage is None else [f"advantage {format_value(sample.advantage)}"]
    parts += [] if sample.length is None else [f"{sample.length} tokens"]
    return " · ".join([*parts, _end(sample)] if _end(sample) else parts)


def _end(sample: Sample) -> str:
    return {True: "ends", False: "cut off", None: ""}[sample.terminated]
