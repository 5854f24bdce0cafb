"""How the reward functions fared that were tried before a training, for a terminal, Markdown and JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from diagnostics.language import N_, _
from diagnostics.model.messages import format_value
from diagnostics.punctuation import listed
from diagnostics.report.markdown_elements import code, escaped, table
from diagnostics.report.terminal import Style
from diagnostics.rules.config.grader_figures import GraderFigures
from diagnostics.rules.config.grader_trials import Paid, quoted
from diagnostics.wording.values import counted

TITLE = N_("Reward functions, tried on made-up answers")


def grader_lines(graders: Sequence[GraderFigures], style: Style) -> Iterator[str]:
    """A paragraph for each function; none if none was tried."""
    if not graders:
        return
    yield _(TITLE)
    column = max(len(figures.function) for figures in graders) + 2
    for figures in graders:
        yield style.labelled(figures.function, " · ".join(_parts(figures)), indent=2, column=column)
    yield ""


def grader_table(graders: Sequence[GraderFigures]) -> str:
    """The same as a Markdown table."""
    rows = [(code(figures.function), escaped(" · ".join(_parts(figures)))) for figures in graders]
    return table((_("Reward function"), _(TITLE)), rows)


def grader_document(figures: GraderFigures) -> dict[str, Any]:
    """One function for JSON."""
    slowest = figures.slowest
    return {
        "function": figures.function,
        "answers": figures.answers,
        "unjudged": figures.unjudged or None,
        "paid": [_paid_document(paid) for paid in figures.paid],
        "mean_seconds": figures.mean_seconds,
        "slowest": slowest and {"policy": slowest.policy, "answer": slowest.answer, "seconds": slowest.seconds},
        "is_cut_off": bool(slowest and slowest.is_hung),
        "completions_per_step": figures.completions,
        "step_seconds": figures.step_seconds,
    }


def _paid_document(paid: Paid) -> dict[str, Any]:
    trial = paid.trial
    return {
        "policy": trial.policy,
        "knows_answer": trial.knows_answer,
        "prompt": trial.prompt,
        "answer": trial.answer,
        "score": trial.score,
        "right": paid.right,
        "wrong": paid.wrong,
        "share": paid.share,
    }


def _parts(figures: GraderFigures) -> Iterator[str]:
    yield counted(figures.answers, "answer")
    if figures.unjudged:
        yield _("what it pays without reason cannot be told: {why}").format(why=figures.unjudged)
        if figures.highest is not None:
            yield _("the highest score, {score}, is for {answer}").format(
                score=format_value(figures.highest.score or 0.0), answer=quoted(figures.highest)
            )
    else:
        paid = listed(paid.trial.policy for paid in figures.paid)
        yield _("pays {answers}").format(answers=paid or _("none but right ones"))
    yield from _times(figures)


def _times(figures: GraderFigures) -> Iterator[str]:
    if figures.slowest is None:
        return
    longest = _("{time} for {answer}").format(time=_seconds(figures.slowest.seconds), answer=quoted(figures.slowest))
    if figures.mean_seconds is None:
        yield _("cut off after {longest}").format(longest=longest)
        return
    yield _("{time} for an answer on average, at most {longest}").format(
        time=_seconds(figures.mean_seconds), longest=longest
    )
    if figures.step_seconds is not None:
        yield _("about {time} for a step's {count} one after another").format(
            time=_seconds(figures.step_seconds), count=f"{figures.completions:g}"
        )


def _seconds(seconds: float | None) -> str:
    value = seconds or 0.0
    if value >= 1:
        return f"{value:.3g} s"
    return f"{1000 * value:.0f} ms" if value >= 0.01 else f"{1000 * value:.2g} ms"
