"""Telling samples: those of an episode that show best what a rule found.

A rule names a kind in `telling_samples` and the engine picks the samples, so that no rule of series reads them. Only
the last, the middle and the first table of the episode are read.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from diagnostics.model.messages import Message, Value, shortened
from diagnostics.model.outcome import MOST_SHOWN_SAMPLES, ShownSample
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.rules.rewards import is_unscored
from diagnostics.rules.samples.text_measures import repetition

QUOTED = 70  # characters of a response that a report repeats
MOST_ROWS = 512  # of one table are searched

Pick = tuple[int, Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class SampleKind:
    """One kind of telling sample: `pick` finds them in a table, the most telling first; `why` is its sentence."""

    pick: Callable[[Sequence[Sample]], Iterator[Pick]]
    why: str
    from_start: bool = False  # show the episode's first table first, not its last
    marks_each: bool = False  # each such sample shows the finding, whatever the others of its table are

    def is_shown_by(self, sample: Sample) -> bool:
        """Whether a single sample is of this kind."""
        return next(self.pick([sample]), None) is not None


def telling_samples(run: Run, kind: str, first_step: int, last_step: int) -> tuple[ShownSample, ...]:
    """At most three samples of that kind from these steps; none for an empty kind or a run without samples there.

    Answers to held-out prompts are shown where a table holds no others: they may be scored by other functions.
    """
    if not kind:
        return ()
    wanted = SAMPLE_KINDS[kind]
    return few_of(
        ShownSample(step, row, Message(f"telling-samples.{kind}", values), quoted(rows[row].response))
        for step in _steps(run, first_step, last_step, wanted.from_start)
        for rows in (run.samples.at(step)[:MOST_ROWS],)
        for places in ([row for row, sample in enumerate(rows) if sample.split == "train"] or range(len(rows)),)
        for place, values in wanted.pick([rows[row] for row in places])
        for row in (places[place],)
    )


def few_of(found: Iterable[ShownSample]) -> tuple[ShownSample, ...]:
    """The first three, of different texts where possible: the same text three times shows no more than once."""
    by_text: dict[str, ShownSample] = {}
    others: list[ShownSample] = []
    for shown in islice(found, MOST_ROWS):
        if shown.quote in by_text:
            others.append(shown)
        by_text.setdefault(shown.quote, shown)
        if len(by_text) == MOST_SHOWN_SAMPLES:
            break
    return (*by_text.values(), *others)[:MOST_SHOWN_SAMPLES]


def quoted(text: str) -> str:
    """A response on one line, shortened."""
    return shortened(text, QUOTED)


def _steps(run: Run, first_step: int, last_step: int, from_start: bool) -> list[int]:
    steps = run.samples.steps
    inside = steps[bisect_left(steps, first_step) : bisect_right(steps, last_step)]
    if not inside:
        return []
    chosen = dict.fromkeys((inside[-1], inside[len(inside) // 2], inside[0]))
    return list(reversed(chosen)) if from_start else list(chosen)


def _top_scored(rows: Sequence[Sample]) -> Iterator[Pick]:
    scored = [row for row, sample in enumerate(rows) if _is_finite(sample.score)]
    for row in sorted(scored, key=lambda row: (rows[row].score or 0.0, repetition(rows[row].response)), reverse=True):
        yield row, {"score": rows[row].score or 0.0}


def _lowest_scored(rows: Sequence[Sample]) -> Iterator[Pick]:
    scored = [row for row, sample in enumerate(rows) if _is_finite(sample.score)]
    for row in sorted(scored, key=lambda row: rows[row].score or 0.0):
        yield row, {"score": rows[row].score or 0.0}


def _cut_off(rows: Sequence[Sample]) -> Iterator[Pick]:
    cut = [row for row, sample in enumerate(rows) if sample.terminated is False]
    for row in sorted(cut, key=lambda row: -repetition(rows[row].response)):
        yield row, {}


def _not_finite(rows: Sequence[Sample]) -> Iterator[Pick]:
    for row, sample in enumerate(rows):
        judged = {"score": sample.score, "advantage": sample.advantage, **sample.rewards}
        bad = next((name for name, value in judged.items() if value is not None and not math.isfinite(value)), None)
        if bad is not None:
            yield row, {"name": bad, "value": float(judged[bad] or 0.0)}


def _equal_groups(rows: Sequence[Sample]) -> Iterator[Pick]:
    """The first row of each group in which all scores are equal."""
    groups: dict[object, list[int]] = {}
    for row, sample in enumerate(rows):
        groups.setdefault(sample.query if sample.group is None else sample.group, []).append(row)
    for members in groups.values():
        scores = {rows[row].score for row in members}
        if len(members) > 1 and len(scores) == 1 and (score := scores.pop()) is not None:
            yield members[0], {"count": len(members), "score": score}


def _unscored(rows: Sequence[Sample]) -> Iterator[Pick]:
    yield from ((row, {}) for row, sample in enumerate(rows) if is_unscored(sample))


def _longest(rows: Sequence[Sample]) -> Iterator[Pick]:
    for row in sorted(range(len(rows)), key=lambda row: -len(rows[row].response)):
        yield row, {}


def _shortest(rows: Sequence[Sample]) -> Iterator[Pick]:
    for row in sorted(range(len(rows)), key=lambda row: len(rows[row].response)):
        yield row, {}


def _below_zero(rows: Sequence[Sample]) -> Iterator[Pick]:
    """The rows whose own KL is logged and negative; none where the log has no KL of single answers."""
    logged = {row: sample.extra.get("kl") for row, sample in enumerate(rows)}
    negative = {row: float(kl) for row, kl in logged.items() if isinstance(kl, int | float) and kl < 0}
    for row in sorted(negative, key=lambda row: negative[row]):
        yield row, {"kl": negative[row]}


def _any_rows(rows: Sequence[Sample]) -> Iterator[Pick]:
    yield from ((row, {}) for row in range(len(rows)))


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


SAMPLE_KINDS: Mapping[str, SampleKind] = {
    "top-scored": SampleKind(_top_scored, "Among the highest scores of its step: {score}."),
    "lowest-scored": SampleKind(_lowest_scored, "Among the lowest scores of its step: {score}."),
    "cut-off": SampleKind(_cut_off, "Cut off at the length limit."),
    "not-finite": SampleKind(_not_finite, "Its {name} is {value}.", from_start=True, marks_each=True),
    "equal-groups": SampleKind(_equal_groups, "All {count} logged answers to its prompt got {score}."),
    "unscored": SampleKind(_unscored, "No function gave it a reward.", marks_each=True),
    "longest": SampleKind(_longest, "Among the longest of its step."),
    "shortest": SampleKind(_shortest, "Among the shortest of its step."),
    "below-zero": SampleKind(_below_zero, "Its KL to the reference is {kl} nats.", marks_each=True),
    "any": SampleKind(_any_rows, "What the policy wrote then."),
}
TEXTS: Mapping[str, str] = {f"telling-samples.{name}": kind.why for name, kind in SAMPLE_KINDS.items()}
