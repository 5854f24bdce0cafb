"""What the Samples section shows, as data: the steps, the table of one step or of one prompt, and a sample in full."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.widgets.sample_detail import Detail, Difference, detail, difference
from app.widgets.sample_table import (
    Flag,
    Group,
    Numbered,
    Order,
    Row,
    filtered_and_sorted,
    group_samples,
    numbered,
    reward_functions,
    row_of,
)
from diagnostics.curves.downsample import downsample
from diagnostics.curves.selection import main_reward
from diagnostics.language import N_, _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.rules.flags import Mark, marks_of
from diagnostics.visible_text import one_line
from diagnostics.wording.findings import in_words
from diagnostics.wording.messages import headline, message_text
from diagnostics.wording.values import counted

GROUPED_ALGORITHMS = ("grpo", "rloo")
_MOST_ROWS = 128  # sent to the browser at once
_CURVE_COLUMNS = 160


@dataclass(frozen=True, slots=True)
class Choice:
    """What a reader chose: `step` is None for the one at which the section opens, `row` for the first sample."""

    step: int | None = None
    is_newest: bool = False
    row: int | None = None
    order: Order = "as logged"
    find: str = ""
    only_cut: bool = False
    split: str = ""
    most_rows: int = _MOST_ROWS
    compared_with: int | None = None
    followed: str | None = None


@dataclass(frozen=True, slots=True)
class StepBar:
    """The step in view among those that have samples, and the ways to others; None where there is no such step."""

    current: int
    before: int | None
    after: int | None
    first: int
    newest: int
    onset: int | None
    count: int
    facts: str


@dataclass(frozen=True, slots=True)
class Curve:
    """The main reward over the steps, thinned out to its extremes, and the episode of the worst finding."""

    title: str
    first: int
    last: int
    points: tuple[tuple[int, float], ...]
    episode: tuple[int, int, str, str] | None
    """First and last step, severity, name."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The rows of one prompt, or of all where they are not grouped."""

    query: str
    facts: str
    can_be_followed: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """All that is drawn."""

    steps: StepBar
    splits: tuple[tuple[str, str], ...]
    split: str
    functions: tuple[str, ...]
    groups: tuple[RowGroup, ...]
    is_grouped: bool
    found: int
    total: int
    left: int
    detail: Detail | None
    difference: Difference | None
    curve: Curve | None


_SPLITS = {"train": N_("training"), "eval": N_("held out")}


def opening_step(diagnosis: Diagnosis, steps: Sequence[int]) -> int:
    """Where the samples open: where the worst finding broke out, if it is no mere note; else the newest step.

    That is the first step with samples in the gravest episode, else the last one before it.
    """
    found = _worst(diagnosis)
    if found is None:
        return steps[-1]
    place = bisect_right(steps, found.first_step - 1)
    is_inside = place < len(steps) and (steps[place] <= found.last_step or found.still)
    return steps[place] if is_inside or place == 0 else steps[place - 1]


def step_in_view(diagnosis: Diagnosis, steps: Sequence[int], choice: Choice) -> int:
    """The chosen step, else the last one with samples before it, else the first one."""
    if choice.is_newest:
        return steps[-1]
    if choice.step is None:
        return opening_step(diagnosis, steps)
    return steps[max(0, bisect_right(steps, choice.step) - 1)]


def section(diagnosis: Diagnosis, run: Run, choice: Choice, repeated: frozenset[str]) -> Section:
    """The samples of one step. The run must have logged some.

    Args:
        repeated: The prompts that were answered at several steps.
    """
    steps = run.samples.steps
    current = step_in_view(diagnosis, steps, choice)
    everything = numbered(run.samples.at(current))
    splits = [split for split in _SPLITS if any(item.sample.split == split for item in everything)]
    split = choice.split if choice.split in splits else next(iter(splits), "")
    rows = [item for item in everything if item.sample.split == split] if len(splits) > 1 else everything
    found = filtered_and_sorted(rows, choice.order, choice.find, choice.only_cut)
    samples = [item.sample for item in rows]
    functions, scale = reward_functions(samples), score_scale(run)
    is_grouped = run.algorithm in GROUPED_ALGORITHMS
    groups = group_samples(found) if is_grouped else [Group("", tuple(found))] if found else []
    kept = _first_rows(groups, choice.most_rows)
    chosen = _chosen(kept, choice.row)
    flags = _flags(diagnosis, [item for group in kept for item in group.samples])
    other = choice.compared_with
    return Section(
        steps=_step_bar(diagnosis, steps, current, samples),
        splits=tuple((name, _(_SPLITS[name])) for name in splits) if len(splits) > 1 else (),
        split=split,
        functions=tuple(map(one_line, functions)),
        groups=tuple(
            RowGroup(
                one_line(group.query),
                group.facts,
                group.query in repeated,
                tuple(row_of(item, functions, scale, flags) for item in group.samples),
            )
            for group in kept
        ),
        is_grouped=is_grouped,
        found=len(found),
        total=len(rows),
        left=len(found) - sum(len(group.samples) for group in kept),
        detail=detail(chosen, flags[chosen.row], length_limit(run)) if chosen else None,
        difference=_difference(run, other, samples, chosen) if other is not None else None,
        curve=curve(diagnosis, run),
    )


def followed_section(diagnosis: Diagnosis, run: Run, choice: Choice, answers: Sequence[tuple[int, Sample]]) -> Section:
    """The answers to one prompt over the steps, as one group."""
    steps = run.samples.steps
    current = step_in_view(diagnosis, steps, choice)
    samples = [sample for _row, sample in answers]
    items = [Numbered(row, sample) for row, sample in answers]
    functions, scale = reward_functions(samples), score_scale(run)
    wanted = [item for item in items if item.sample.step == current]
    chosen = next((item for item in wanted if item.row == choice.row), next(iter(wanted or items[-1:]), None))
    flags = _flags(diagnosis, [chosen] if chosen else [])
    answered = len({sample.step for sample in samples})
    facts = _("{answers} at {steps} of {count}").format(
        answers=counted(len(samples), "answer"), steps=counted(answered, "step"), count=len(steps)
    )
    rows = tuple(row_of(item, functions, scale, {}) for item in items)
    return Section(
        steps=replace(_step_bar(diagnosis, steps, chosen.sample.step if chosen else current, samples), facts=facts),
        splits=(),
        split="",
        functions=tuple(map(one_line, functions)),
        groups=(RowGroup(one_line(choice.followed or ""), facts, False, rows),),
        is_grouped=True,
        found=len(rows),
        total=len(rows),
        left=0,
        detail=detail(chosen, flags[chosen.row], length_limit(run)) if chosen else None,
        difference=None,
        curve=curve(diagnosis, run),
    )


def length_limit(run: Run) -> int | None:
    """The most tokens that an answer may have, where the run's settings tell."""
    number = run.settings.number("max_tokens")
    return None if number is None else int(number)


def score_scale(run: Run) -> tuple[float, float]:
    """The scale of the scores, the same at every step: from 0, or the lowest mean below it, to the highest, or 1.

    Means of the scores themselves, where they are logged: PPO's RLHF reward has the KL penalty in it as well.
    """
    series = run.get("score") or main_reward(run)
    finite = series.values[np.isfinite(series.values)] if series is not None else np.empty(0)
    low = min(0.0, float(finite.min())) if len(finite) else 0.0
    high = float(finite.max()) if len(finite) else 1.0
    return low, high if high > low else low + 1.0


def curve(diagnosis: Diagnosis, run: Run) -> Curve | None:
    """The main reward with the episode of the worst finding; None where no reward is logged."""
    series = main_reward(run)
    if series is None or not len(series):
        return None
    chosen = downsample(series.values, _CURVE_COLUMNS)
    points = tuple((int(series.steps[place]), float(series.values[place])) for place in chosen if series.finite[place])
    found = _worst(diagnosis)
    first, last = int(series.steps[0]), int(series.steps[-1])
    episode = (
        (found.first_step, last if found.still else found.last_step, str(found.severity), in_words(found.name))
        if found
        else None
    )
    return Curve(one_line(series.tag or series.name), first, last, points, episode)


def _worst(diagnosis: Diagnosis) -> Finding | None:
    """The worst finding, unless it is a mere note."""
    return next((item for item in diagnosis.findings if item.severity is not Severity.INFO), None)


def _step_bar(diagnosis: Diagnosis, steps: Sequence[int], current: int, samples: Sequence[Sample]) -> StepBar:
    place = steps.index(current)
    onset = opening_step(diagnosis, steps) if _worst(diagnosis) else None
    scores = [sample.score for sample in samples if sample.score is not None]
    prompts = len({sample.query for sample in samples})
    facts = [counted(len(samples), "sample"), counted(prompts, "prompt")]
    facts += [_("mean score {mean}").format(mean=format_value(sum(scores) / len(scores)))] if scores else []
    return StepBar(
        current=current,
        before=steps[place - 1] if place else None,
        after=steps[place + 1] if place + 1 < len(steps) else None,
        first=steps[0],
        newest=steps[-1],
        onset=onset,
        count=len(steps),
        facts=" · ".join(facts),
    )


def _first_rows(groups: Sequence[Group], most: int) -> list[Group]:
    """Groups with at most so many rows in all."""
    kept: list[Group] = []
    for group in groups:
        room = most - sum(len(item.samples) for item in kept)
        if room <= 0:
            break
        kept.append(replace(group, samples=group.samples[:room]))
    return kept


def _chosen(groups: Sequence[Group], row: int | None) -> Numbered | None:
    """The sample of that row, else the first one."""
    items = [item for group in groups for item in group.samples]
    return next((item for item in items if item.row == row), next(iter(items), None))


def _difference(run: Run, other: int, samples: Sequence[Sample], chosen: Numbered | None) -> Difference | None:
    if chosen is None:
        return None
    then = [sample for sample in run.samples.at(other) if sample.split == chosen.sample.split]
    return difference(then, samples, chosen.sample)


def _flags(diagnosis: Diagnosis, items: Sequence[Numbered]) -> dict[int, tuple[Flag, ...]]:
    """By row, what the checks that fired say of the samples of one step."""
    marks = marks_of({outcome.rule for outcome in diagnosis.fired}, diagnosis.limits)
    return {item.row: tuple(_flags_of(diagnosis, item, marks)) for item in items}


def _flags_of(diagnosis: Diagnosis, item: Numbered, marks: Mapping[str, Mark]) -> Iterator[Flag]:
    """Of each check that fired: that this sample shows it, among others or by itself."""
    place = (item.sample.step, item.row)
    for outcome in diagnosis.fired:
        shown = next((each for each in outcome.evidence.samples if (each.step, each.row) == place), None)
        if shown is not None:
            yield _flag(outcome, message_text(shown.why))
        elif outcome.rule in marks and marks[outcome.rule](item.sample):
            yield _flag(outcome, headline(outcome))


def _flag(outcome: Outcome, sentence: str) -> Flag:
    return Flag(outcome.rule, in_words(outcome.rule), one_line(sentence), str(outcome.severity or Severity.INFO))
