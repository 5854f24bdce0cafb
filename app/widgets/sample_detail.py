"""One sample in full, and two steps side by side, as data: figures, turns, where it was cut, what differs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from app.widgets.sample_table import Flag, Numbered, end_of, signed
from app.widgets.transcript import Turn, turns
from diagnostics.language import N_, _
from diagnostics.model.messages import format_value
from diagnostics.model.samples import Sample
from diagnostics.visible_text import one_line, visible
from diagnostics.wording.values import optional_value

_MOST_WORDS = 1500  # of a text that is compared word by word
_WORD = re.compile(r"\s+|[^\s]+")
_ENDED = {"ends": N_("yes"), "cut": N_("no"), "": ""}


@dataclass(frozen=True, slots=True)
class Detail:
    """A sample in full: its figures by name, its texts as turns, and the words at the place where it was cut."""

    step: int
    row: int
    figures: tuple[tuple[str, str], ...]
    query: tuple[Turn, ...]
    response: tuple[Turn, ...]
    cut: str
    copied: str
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A part of a text that is the same at both steps, or only at one of them."""

    kind: Literal["same", "then", "now"]
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Another step beside the chosen one: figures there and here, and an answer to the same prompt word by word."""

    step: int
    figures: tuple[tuple[str, str, str], ...]
    words: tuple[Changed, ...]


def detail(item: Numbered, flags: Sequence[Flag], limit: int | None) -> Detail:
    """A sample in full; `limit` is the most tokens that an answer may have, where that is known."""
    sample = item.sample
    return Detail(
        step=sample.step,
        row=item.row,
        figures=tuple((one_line(name), value) for name, value in _figures(sample) if value),
        query=turns(sample.query),
        response=turns(sample.response),
        cut=_cut(sample, limit) if sample.terminated is False else "",
        copied=visible(sample.response),
        flags=tuple(flags),
    )


def _figures(sample: Sample) -> Iterator[tuple[str, str]]:
    yield _("score"), optional_value(sample.score) or _("not logged")
    yield _("advantage"), signed(sample.advantage)
    yield _("tokens"), "" if sample.length is None else str(sample.length)
    yield _("ended by itself"), _(_ENDED[end_of(sample)])
    if len(sample.rewards) > 1:
        yield from ((name, format_value(value)) for name, value in sample.rewards.items())


def _cut(sample: Sample, limit: int | None) -> str:
    if sample.length is None:
        return _("cut off here")
    if limit:
        return _("cut off here, {count} of {limit} tokens").format(count=sample.length, limit=limit)
    return _("cut off here, {count} tokens").format(count=sample.length)


def difference(then: Sequence[Sample], now: Sequence[Sample], chosen: Sample) -> Difference | None:
    """What changed between two steps; None where one of them has no samples."""
    if not then or not now:
        return None
    figures = tuple((name, there, here) for (name, there), (_name, here) in zip(_means(then), _means(now), strict=True))
    same_prompt = next((sample for sample in then if sample.query == chosen.query), None)
    words = () if same_prompt is None else tuple(_by_word(same_prompt.response, chosen.response))
    return Difference(then[0].step, tuple(row for row in figures if row[1] or row[2]), words)


def _means(samples: Sequence[Sample]) -> list[tuple[str, str]]:
    """Figures of a step: each is the mean of those samples that have it."""
    ended = [sample.terminated for sample in samples if sample.terminated is not None]
    cut = f"{format_value(round(100 * ended.count(False) / len(ended)))} %" if ended else ""
    different = len({sample.response for sample in samples})
    return [
        (_("samples"), str(len(samples))),
        (_("mean score"), _mean([s.score for s in samples if s.score is not None])),
        (_("mean tokens"), _mean([float(s.length) for s in samples if s.length is not None])),
        (_("cut off"), cut),
        (_("different responses"), str(different)),
    ]


def _mean(values: Sequence[float]) -> str:
    return format_value(sum(values) / len(values)) if values else ""


def _by_word(then: str, now: str) -> Iterator[Changed]:
    """The two texts word by word; whole where they are too long for that."""
    old, new = _WORD.findall(visible(then)), _WORD.findall(visible(now))
    if max(len(old), len(new)) > _MOST_WORDS:
        yield Changed("then", visible(then))
        yield Changed("now", visible(now))
        return
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Changed("same", "".join(new[start:end]))
            continue
        if first < last:
            yield Changed("then", "".join(old[first:last]))
        if start < end:
            yield Changed("now", "".join(new[start:end]))
