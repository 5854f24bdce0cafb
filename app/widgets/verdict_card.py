"""The verdict card as data: what it says of each finding, where its evidence leads, and what it would change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.theme import VERDICTS
from diagnostics.curves.selection import main_reward
from diagnostics.language import _
from diagnostics.model.cost import Cost
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Fix, Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.visible_text import one_line
from diagnostics.wording.changes import Change, changes
from diagnostics.wording.costs import cost_in_short
from diagnostics.wording.findings import fix_line, mute_reason, record_sentence, rival_names, rival_sentence
from diagnostics.wording.messages import derived_inputs, headline, message_text
from diagnostics.wording.steps import further_episodes, steps_of
from diagnostics.wording.values import counted, measured_and_limit, setting_text
from diagnostics.wording.verdicts import verdict_sentence, vital_sentence

Destination = Literal["step", "metric", "sample", "rule", "checks"]


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead somewhere: `to` a step, the chart of a metric, a sample, a rule's text or the list of checks."""

    words: str
    to: Destination
    more: str = ""
    hint: str = ""
    step: int | None = None
    row: int | None = None
    name: str = ""
    is_model_text: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """What to try: the first setting to change as a difference, why, and all settings as text to copy."""

    change: Change | None
    why: str
    also: str
    copied: str
    source: str


@dataclass(frozen=True, slots=True)
class Card:
    """One finding, or that there is none: first what everybody reads, then what unfolds."""

    name: str
    severity: str
    shape: str
    word: str
    when: str
    cause: str
    first_sign: str
    evidence: str
    measured: str
    links: tuple[Link, ...] = ()
    rivals: str = ""
    proposal: Proposal | None = None
    more: str = ""
    signs: tuple[str, ...] = ()
    samples: tuple[Link, ...] = ()
    deciders: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    judged_by: Link | None = None
    record: str = ""


@dataclass(frozen=True, slots=True)
class MutedRow:
    """A muted finding: what it says, since when, why it is muted and until when."""

    name: str
    sentence: str
    when: str
    reason: str


def muted_rows(diagnosis: Diagnosis) -> tuple[MutedRow, ...]:
    """A row for each muted finding, in the order in which they would be told."""
    return tuple(
        MutedRow(
            name=each.finding.name,
            sentence=one_line(message_text(each.finding.summary)),
            when=steps_of(each.finding),
            reason=one_line(mute_reason(each.mute)),
        )
        for each in diagnosis.muted
    )


def cards(diagnosis: Diagnosis, judged_at: str = "") -> tuple[Card, ...]:
    """A card for each finding, the worst first; one that says what was checked where nothing was found.

    Args:
        judged_at: The step of the diagnosis, in words, where the run has gone on since.
    """
    if not diagnosis.findings:
        return (_no_finding(diagnosis, judged_at),)
    return tuple(
        _card(finding, diagnosis.run, judged_at, diagnosis.cost if index == 0 else None)
        for index, finding in enumerate(diagnosis.findings)
    )


def proposed_fixes(finding: Finding) -> tuple[Fix, ...]:
    """What to change: the cause knows more than its symptom."""
    return finding.fixes or finding.leading.fixes


def _no_finding(diagnosis: Diagnosis, judged_at: str) -> Card:
    sign = VERDICTS[diagnosis.verdict]
    unchecked = Link(_("What could not be checked"), "checks") if diagnosis.blind_spots else None
    return Card(
        name=diagnosis.verdict,
        severity=diagnosis.verdict,
        shape=sign.shape,
        word=(sign.word if diagnosis.run.series else _("not judged")).capitalize(),
        when=judged_at,
        cause=one_line(verdict_sentence(diagnosis)),
        first_sign="",
        evidence=one_line(vital_sentence(diagnosis)),
        measured="",
        links=(unchecked,) if unchecked else (),
    )


def _card(finding: Finding, run: Run, judged_at: str, cost: Cost | None) -> Card:
    sign, leading = VERDICTS[finding.severity], finding.leading
    first_sign = headline(leading)
    cause = first_sign if finding.open_rivals else message_text(finding.summary)  # where it is decided
    spent = cost_in_short(cost)
    when = (steps_of(finding), _("{spent} of training since").format(spent=spent) if spent else "", judged_at)
    evidence = message_text(leading.message)
    fixes, signs = proposed_fixes(finding), tuple(_signs(finding))
    return Card(
        name=finding.name,
        severity=finding.severity,
        shape=sign.shape,
        word=sign.word.capitalize(),
        when=" · ".join(filter(None, when)),
        cause=one_line(cause),
        first_sign="" if first_sign in (cause, evidence) else one_line(first_sign),
        evidence="" if evidence == cause else one_line(evidence),
        measured=measured_and_limit(leading),
        links=tuple(_links(finding, run)),
        rivals=rival_names(finding),
        proposal=_proposal(fixes, run),
        more=counted(len(signs), "more sign") if signs else "",
        signs=signs,
        samples=tuple(_sample_links(finding)),
        deciders=tuple(one_line(rival_sentence(rival)) for rival in finding.rivals),
        fixes=tuple(one_line(fix_line(fix)) for fix in fixes[1:]),
        judged_by=Link(f"{leading.code} {leading.rule}", "rule", more=one_line(_(leading.source)), name=leading.rule),
        record=record_sentence(finding),
    )


def _links(finding: Finding, run: Run) -> Iterator[Link]:
    """The evidence in few words: when it began, what the metric did, and the sample that shows it best."""
    words = _("step {step}").format(step=finding.first_step)
    yield Link(words, "step", more=_("first sign"), step=finding.first_step)
    series = run.get(finding.leading.metric) if finding.leading.metric else main_reward(run)
    if series is not None and len(series):
        words = one_line(series.tag or series.name)
        yield Link(words, "metric", more=_from_to(series, finding.leading), name=series.name)
    yield from list(_sample_links(finding))[:1]


def _sample_links(finding: Finding) -> Iterator[Link]:
    for sample in finding.samples:
        yield Link(
            _("step {step}, sample {sample}").format(step=sample.step, sample=sample.row + 1),
            "sample",
            more=one_line(sample.quote),
            hint=one_line(message_text(sample.why)),
            step=sample.step,
            row=sample.row,
            is_model_text=True,
        )


def _from_to(series: Series, leading: Outcome) -> str:
    """The first value and the one farthest past the limit, else the last: "0.025 → 4"; one value where both agree."""
    episode = leading.leading_episode
    peak = episode.peak if episode is not None and leading.metric == series.name else None
    finite = series.values[np.isfinite(series.values)]
    first = float(finite[0] if len(finite) else series.values[0])
    last = float(series.values[-1]) if peak is None else peak
    return " → ".join(dict.fromkeys((format_value(first), format_value(last))))


def _signs(finding: Finding) -> Iterator[str]:
    """What else shows it: further episodes, what was derived, and the other outcomes of the same cause."""
    for words in (further_episodes(finding.leading), derived_inputs(finding.leading)):
        if words:
            yield one_line(words)
    for outcome in finding.consequences:
        facts = " · ".join(filter(None, (message_text(outcome.message).rstrip("."), steps_of(outcome))))
        yield one_line(f"{headline(outcome)} {facts}" if outcome.headline else facts)


def _proposal(fixes: Sequence[Fix], run: Run) -> Proposal | None:
    """The settings that change, in the notation of the run's producer; in words where nothing is to be set."""
    if not fixes:
        return None
    settable = [fix for fix in fixes if fix.parameter and fix.suggested is not None]
    first = settable[0] if settable else fixes[0]
    listed = changes(settable, run.settings.notation)
    return Proposal(
        change=Change(one_line(listed[0].old), one_line(listed[0].new)) if listed else None,
        why=one_line(message_text(first.why)),
        also=one_line("; ".join(_in_short(fix) for fix in fixes if fix is not first and fix.parameter)),
        copied="\n".join(one_line(change.new) for change in listed),
        source=one_line(_(first.source)),
    )


def _in_short(fix: Fix) -> str:
    values = [setting_text(value) for value in (fix.current, fix.suggested) if value is not None]
    return f"{fix.parameter} {' → '.join(values)}" if fix.suggested is not None else fix.parameter
