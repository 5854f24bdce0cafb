"""A series in words: its title, its last value, and the text alternative of its chart."""

from collections.abc import Sequence

from diagnostics.model.derivation import Derivation
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import metric, subject

SUBJECT_SEPARATOR = ": "
"""Separates a metric's title from what it is about: a reward function, or a part of the data."""


def series_title(series: Series) -> str:
    """The metric's title, with the reward function or part of the data that it is about; an unmapped tag is its own."""
    if series.metric is None:
        return series.name
    title = f"{series.metric.title}, evaluation" if series.is_eval else series.metric.title
    if series.derivation:
        return f"{title}, derived"
    about = subject(series.name)
    return f"{title}{SUBJECT_SEPARATOR}{about}" if about else title


def derivation_sentence(name: str, derivation: Derivation) -> str:
    """How: "Reward spread is not logged but derived from critic/score/min, …: √(…) (upper bound)"."""
    entry, sources = metric(name), ", ".join(derivation.sources)
    title = entry.title if entry else name
    return f"{title} is not logged but derived from {sources}: {derivation.formula} ({derivation.precision})."


def last_value(series: Series) -> str:
    """The last value with its unit."""
    return f"{format_value(float(series.values[-1]))} {series.unit}".rstrip()


def chart_description(series: Series, outcomes: Sequence[Outcome], held_out: Series | None = None) -> str:
    """The chart as text: the last value, the last evaluation, how many points are not finite, and which rules fired."""
    parts = [f"{series_title(series)}: {last_value(series)} at step {series.steps[-1]}"]
    if held_out is not None:
        parts.append(f"held out: {last_value(held_out)} at step {held_out.steps[-1]}")
    if count := int((~series.finite).sum()):
        parts.append(f"{count} of {len(series)} points are NaN or infinite")
    parts += [f"{o.rule} fired" for o in outcomes if o.metric == series.name and o.verdict is Verdict.FIRED]
    return "; ".join(parts)
