"""What would match where a filter shows nothing, in one sentence."""

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence

from diagnostics.language import _, ngettext
from diagnostics.model.settings import as_number
from diagnostics.punctuation import listed, sentences, with_remark
from diagnostics.run_filter.facts import FIELDS, RunFacts, values_of
from diagnostics.run_filter.filter import Filter, Term

_MOST_VALUES = 5  # of a field that are named
_LONGEST_VALUE = 60  # characters


def hint(chosen: Filter, runs: Sequence[RunFacts]) -> str:
    """Why no run matches and what would; empty where some run does, or there is none at all."""
    if not runs or any(map(chosen.matches, runs)):
        return ""
    for term in chosen.terms:
        if not any(map(term.holds, runs)):
            return _why_none(term, runs)
    if any(map(chosen.holds, runs)):
        marks = dict.fromkeys(mark for run in filter(chosen.holds, runs) for mark in run.marks)
        words = _("What matches is left out of lists unless asked for: add is:{marks}.")
        return words.format(marks=",".join(marks))
    return _why_not_together(chosen, runs)


def _why_none(term: Term, runs: Sequence[RunFacts]) -> str:
    if not term.field:
        words = _("No run has “{word}” in its name, verdict, causes, tags or note.")
        return words.format(word=_short(term.values[0]))
    if term.is_excluded:
        return _("Every run has {term}.").format(term=str(term)[1:])
    if term.field == "is":
        return _("No run is {marks}.").format(marks=_(" or ").join(term.values))
    values = [value for run in runs for value in values_of(run, term.field)]
    if not values:
        return _why_unknown(term.field, runs)
    numbers = [number for value in values if (number := as_number(value)) is not None]
    if len(numbers) == len(values):
        words = _("No run has {term}; {field} goes from {low} to {high}.")
        ends = {"low": f"{min(numbers):g}", "high": f"{max(numbers):g}"}
        return words.format(term=_short(str(term)), field=term.field, **ends)
    why = _("No run has {term}; there are {values}.").format(term=_short(str(term)), values=_most_common(values))
    nearest = difflib.get_close_matches(term.values[0], dict.fromkeys(values), n=1)
    near = _("Did you mean {term}?").format(term=f"{term.field}:{_short(nearest[0])}") if nearest else ""
    return sentences((why, near))


def _why_unknown(name: str, runs: Sequence[RunFacts]) -> str:
    if name in FIELDS:
        return _("No run has a {name}.").format(name=name)
    settings = dict.fromkeys(setting for run in runs for setting in run.settings)
    nearest = difflib.get_close_matches(name, [*FIELDS, *settings], n=1) or _with_that_end(name, settings)
    if nearest:
        words = _("No run has a setting {name}; did you mean {other}?")
        return words.format(name=_short(name), other=_short(nearest[0]))
    words = _("No run has a setting {name}; the fields are {fields} and any setting.")
    return words.format(name=_short(name), fields=listed(FIELDS))


def _with_that_end(name: str, settings: Iterable[str]) -> list[str]:
    """`lr` where a setting is called `actor.optim.lr`."""
    return [setting for setting in settings if setting.rpartition(".")[2] == name][:1]


def _why_not_together(chosen: Filter, runs: Sequence[RunFacts]) -> str:
    """Which term to leave out to see most."""
    left: dict[Term, int] = {}
    for term in chosen.terms:
        others = Filter(tuple(other for other in chosen.terms if other is not term))
        left[term] = sum(map(others.holds, runs))
    term, count = max(left.items(), key=lambda item: item[1])
    if not count:
        return _("Each of these conditions holds for some run; leaving out one of them is not enough.")
    words = ngettext(
        "No run has all of it; without {term} {count} run matches.",
        "No run has all of it; without {term} {count} runs match.",
        count,
    )
    return words.format(term=_short(str(term)), count=f"{count:,}")


def _most_common(values: Iterable[str]) -> str:
    counts = Counter(values)
    named = [with_remark(_short(value), f"{count:,}") for value, count in counts.most_common(_MOST_VALUES)]
    return listed([*named, *(["…"] if len(counts) > _MOST_VALUES else [])])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
