"""A series in words: its title, its last value, and the text alternative of its chart."""

import re
from collections.abc import Sequence

from diagnostics.language import _
from diagnostics.model.derivation import Derivation
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import metric, subject
from diagnostics.punctuation import clauses, listed, sentences

_BETWEEN_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")
SUBJECT_SEPARATOR = ": "
"""Separates a metric's title from what it is about: a reward function, or a part of the data."""


def series_title(series: Series) -> str:
    """The metric's title, with the reward function or part of the data that it is about; an unmapped tag is its own."""
    if series.metric is None:
        return series.name
    title = _(series.metric.title)
    if series.is_eval:
        title = _("{title}, evaluation").format(title=title)
    if series.derivation:
        return _("{title}, derived").format(title=title)
    about = subject(series.name)
    return f"{title}{SUBJECT_SEPARATOR}{about}" if about else title


def caveat_text(series: Series) -> str:
    """Where its producer's meaning differs from the vocabulary's: each of its caveats is a sentence."""
    return sentences(map(_, _BETWEEN_SENTENCES.split(series.caveat)))


def derivation_sentence(name: str, derivation: Derivation) -> str:
    """How: "Reward spread is not logged but derived from critic/score/min, …: √(…) (upper bound)"."""
    entry, sources = metric(name), listed(derivation.sources)
    return _("{title} is not logged but derived from {sources}: {formula} ({precision}).").format(
        title=_(entry.title) if entry else name,
        sources=sources,
        formula=_(derivation.formula),
        precision=_(derivation.precision),
    )


def last_value(series: Series) -> str:
    """The last value with its unit."""
    return f"{format_value(float(series.values[-1]))} {_(series.unit)}".rstrip()


def chart_description(series: Series, outcomes: Sequence[Outcome], held_out: Series | None = None) -> str:
    """The chart as text: the last value, the last evaluation, how many points are not finite, and which rules fired."""
    title, last = series_title(series), last_value(series)
    parts = [_("{title}: {value} at step {step}").format(title=title, value=last, step=series.steps[-1])]
    if held_out is not None:
        value, step = last_value(held_out), held_out.steps[-1]
        parts.append(_("held out: {value} at step {step}").format(value=value, step=step))
    if count := int((~series.finite).sum()):
        parts.append(_("{count} of {total} points are NaN or infinite").format(count=count, total=len(series)))
    fired = [o.rule for o in outcomes if o.metric == series.name and o.verdict is Verdict.FIRED]
    parts += [_("{rule} fired").format(rule=rule) for rule in fired]
    return clauses(parts)
