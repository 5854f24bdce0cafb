"""Every check of a run: what fired first, then what could not be checked and why, quiet ones folded."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from app import state
from app.languages import fragment
from app.theme import OUTCOMES, VERDICTS
from app.widgets.component import component
from app.widgets.markdown import escaped
from app.widgets.mute import ask_to_mute, undo
from app.widgets.project_file import draw_whole_page_if_wanted, may_change, want_whole_page
from app.widgets.rule_limits import rule_limits
from app.widgets.rule_text import rule_text
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.project import Mute
from diagnostics.model.run import Run
from diagnostics.visible_text import one_line
from diagnostics.wording.findings import begun_large, in_words, mute_reason
from diagnostics.wording.messages import found_text, message_text
from diagnostics.wording.steps import steps_of
from diagnostics.wording.values import measured_and_limit


@dataclass(frozen=True, slots=True)
class Check:
    """One check as a row: its name in words, its id, and a whole sentence."""

    rule: str
    name: str
    id: str
    severity: str
    sign: str
    sentence: str
    more: str
    steps: str


@dataclass(frozen=True, slots=True)
class Checks:
    """Checks with the same kind of result; those that are folded are told by their number alone."""

    title: str
    is_folded: bool
    rows: tuple[Check, ...]


def checks(diagnosis: Diagnosis) -> None:
    """Draw the checks; a chosen one shows its own text."""
    if diagnosis.outcomes:
        fragment(_draw)(diagnosis)
    else:
        st.caption(_("No check applies to this run."))


def groups(diagnosis: Diagnosis) -> tuple[Checks, ...]:
    """The checks by what came of them; what fired, what is muted and what could not run stand open."""
    mutes = {outcome.rule: each.mute for each in diagnosis.muted for outcome in each.finding.outcomes}
    by_verdict = {verdict: [o for o in diagnosis.outcomes if o.verdict is verdict and o.applies] for verdict in Verdict}
    found = (
        (_("Fired"), False, diagnosis.fired),
        (_("Fired, and muted"), False, [outcome for outcome in diagnosis.outcomes if outcome.rule in mutes]),
        (_("Could not be checked"), False, [*by_verdict[Verdict.BROKEN], *by_verdict[Verdict.SKIPPED]]),
        (_("Quiet"), True, by_verdict[Verdict.QUIET]),
        (_("Not about a run like this"), True, diagnosis.not_applicable),
    )
    return tuple(
        Checks(title, is_folded, tuple(_rows(outcomes, mutes))) for title, is_folded, outcomes in found if outcomes
    )


def _rows(outcomes: Iterable[Outcome], mutes: Mapping[str, Mute]) -> Iterator[Check]:
    for outcome in outcomes:
        sign = VERDICTS[outcome.severity] if outcome.severity else OUTCOMES[outcome.verdict]
        enable = message_text(outcome.enable) if outcome.applies else ""
        mute = mutes.get(outcome.rule)
        said = _nothing_found(outcome) if outcome.verdict is Verdict.QUIET else found_text(outcome)
        yield Check(
            rule=outcome.rule,
            name=in_words(outcome.rule),
            id=f"{outcome.code} {outcome.rule}",
            severity=str(outcome.severity or ""),
            sign=str(sign) if outcome.severity else sign.shape,
            sentence=one_line(said),
            more=one_line(mute_reason(mute) if mute else enable),
            steps=steps_of(outcome),
        )


def _nothing_found(outcome: Outcome) -> str:
    if outcome.measured is None:
        return _("Nothing found.")
    return _("Nothing found: {measured}.").format(measured=measured_and_limit(outcome))


def _draw(diagnosis: Diagnosis) -> None:
    draw_whole_page_if_wanted()
    listed = groups(diagnosis)
    rules = [row.rule for group in listed for row in group.rows]
    chosen = state.chosen_rule()
    shown = chosen if chosen in rules else rules[0]
    table, text = st.columns([3, 2], gap="medium")
    with table:
        component("checks", {"groups": [asdict(group) for group in listed], "chosen": shown}, _go)
    with text, st.container(key="rule-text"):
        outcome = next(outcome for outcome in diagnosis.outcomes if outcome.rule == shown)
        st.markdown(
            f"**{escaped(begun_large(in_words(shown)))}** :gray[:small[{escaped(outcome.code)} {escaped(shown)}]]"
        )
        _mute_buttons(diagnosis, shown)
        rule_text(shown)
        rule_limits(diagnosis.run, shown)


def _mute_buttons(diagnosis: Diagnosis, rule: str) -> None:
    """The button that mutes the rule, or the one that undoes the mute, with its reason."""
    run = diagnosis.run
    muted = next((each for each in diagnosis.muted if rule in {item.rule for item in each.finding.outcomes}), None)
    if muted:
        st.caption(_("Muted: {reason}").format(reason=escaped(mute_reason(muted.mute))))
    if not may_change(run):
        return
    # Callbacks, since a rerun for new data may come between the click and the code that would see it.
    if muted:
        st.button(_("Undo the mute"), key=f"checks.undo.{rule}", on_click=undo, args=(run, muted))
    elif any(outcome.rule == rule for outcome in diagnosis.fired):
        st.button(_("Mute …"), key=f"checks.mute.{rule}", on_click=_ask, args=(run, rule))


def _ask(run: Run, rule: str) -> None:
    ask_to_mute(run, rule)
    want_whole_page()  # where the question is drawn


def _go(wish: Mapping[str, Any]) -> None:
    match wish:
        case {"to": "rule", "name": str(name)}:
            state.choose_rule(name)
