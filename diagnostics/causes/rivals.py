"""Rivals of a cause: what the same findings may mean as well, and which of them a run's log leaves open."""

from collections.abc import Mapping, Sequence

from diagnostics.causes.catalog import ENTRIES
from diagnostics.causes.entry import CauseEntry, summary_template
from diagnostics.causes.hypothesis import Hypothesis
from diagnostics.model.cause import Rival
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run

MOST_RIVALS = 2  # beside the cause itself: more than three explanations help nobody


def rival_causes(hypothesis: Hypothesis, run: Run, fired: Mapping[str, Outcome]) -> tuple[Rival, ...]:
    """The rivals of a cause in a run: those that the log leaves open, those that it explains, and those like it.

    Not those that the log rules out.
    """
    entry = hypothesis.entry
    left_open = [name for name in entry.rivals if _is_left_open(hypothesis, ENTRIES[name], run, fired)]
    others = [other for other in hypothesis.explained if other.entry.name in entry.rivals and not other.against]
    alike = [
        name
        for name in entry.rivals
        if name not in entry.decided_by and hypothesis.core_rules & {*ENTRIES[name].core_rules}
    ]
    names = list(dict.fromkeys([*left_open, *(other.entry.name for other in others), *alike]))[:MOST_RIVALS]
    return tuple(Rival(name, Message(entry.rival_template(name)), name in left_open) for name in names)


def summary_beside(rivals: Sequence[Rival], template: str) -> Message:
    """The summary of a cause by its template; beside open rivals, that it is not decided, and theirs as well."""
    templates = (template, *(summary_template(rival.cause) for rival in rivals if rival.is_open))
    if len(templates) == 1:
        return Message(template)
    candidates = dict(zip(("first", "second", "third"), map(Message, templates), strict=False))
    return Message(f"cause.undecided.{len(templates)}", candidates)


def _is_left_open(hypothesis: Hypothesis, rival: CauseEntry, run: Run, fired: Mapping[str, Outcome]) -> bool:
    """Whether what shows the cause would show the rival too, nothing contradicts it, and the log cannot decide."""
    would_show = not hypothesis.core_rules.isdisjoint((*rival.core_rules, *rival.support))
    is_contradicted = any(indicator.applies(fired, run) for indicator in rival.against)
    return would_show and not is_contradicted and hypothesis.entry.is_open(rival.name, run)
