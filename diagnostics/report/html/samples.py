"""Samples in the HTML form: prompt, answer and score, as text and never as markup."""

from collections.abc import Sequence

import numpy as np

from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.report.html.elements import Markup, block, element
from diagnostics.wording.values import counted

_MOST_SAMPLES = 8  # of the newest step
_MOST_TEXT = 4000  # characters of a sample


def newest_samples(run: Run) -> Markup:
    """The best and the worst of the newest samples, their text escaped."""
    if not run.samples.steps:
        return Markup("")
    step = run.samples.steps[-1]
    ordered = sorted(run.samples.at(step), key=_score_first)
    chosen = ordered if len(ordered) <= _MOST_SAMPLES else _first_and_last(ordered)
    title = _("Samples of step {step}: {count} of {total}, the best first").format(
        step=step, count=len(chosen), total=len(ordered)
    )
    return element("section", element("h2", title), *map(dialogue, chosen))


def _first_and_last(ordered: Sequence[Sample]) -> list[Sample]:
    half = _MOST_SAMPLES // 2
    return [*ordered[:half], *ordered[-half:]]


def _score_first(sample: Sample) -> tuple[bool, float]:
    is_scored = sample.score is not None and np.isfinite(sample.score)
    return not is_scored, -(sample.score or 0.0) if is_scored else 0.0


def dialogue(sample: Sample) -> Markup:
    """One sample: its score, ending, length and split; then prompt and answer."""
    score = _("no score")
    if sample.score is not None:
        score = _("score {value}").format(value=format_value(float(sample.score)))
    end = {True: _("ended"), False: _("cut off"), None: ""}[sample.terminated]
    length = "" if sample.length is None else counted(sample.length, "token")
    held_out = _("held out") if sample.split == "eval" else ""
    facts = " · ".join(filter(None, (score, end, length, held_out)))
    return element(
        "div",
        element("p", facts, class_="muted"),
        element("pre", element("span", _text(sample.query), class_="muted"), element("br"), _answer(sample)),
    )


def _answer(sample: Sample) -> Markup:
    return (
        _text(sample.response) if sample.response.strip() else element("i", _("nothing but blanks or nothing at all"))
    )


def _text(text: str) -> Markup:
    if len(text) <= _MOST_TEXT:
        return block(text)
    return block(_("{text}… ({count} characters)").format(text=text[:_MOST_TEXT], count=f"{len(text):,}"))
