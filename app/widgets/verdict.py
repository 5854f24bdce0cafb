"""The verdict on a run: its worst finding as a card, a row for each other one, and where their evidence leads."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from app import state
from app.widgets.component import component
from app.widgets.mute import ask_to_mute, mute_question, undo
from app.widgets.project_file import may_change
from app.widgets.relaunch import relaunch, relaunch_answer, relaunch_offer, try_each, try_each_offer
from app.widgets.verdict_card import cards, muted_rows, proposed_fixes
from diagnostics.curves.selection import crucial_series
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis

_MOST_ROWS = 4  # of further findings, before the rest is folded


def verdict(
    diagnosis: Diagnosis,
    judged_at: str = "",
    *,
    is_read_only: bool,
    is_short: bool = False,
    compare_page: st.Page | None = None,
) -> None:
    """Draw the verdict, or for a run without findings what was checked. Unless read-only, fixes can be tried.

    Args:
        judged_at: The step of the diagnosis, in words, where the run has gone on since.
        is_short: Whether the worst finding is a mere row too, where what stands below needs the room.
        compare_page: Where fixes that were tried one by one are compared.
    """
    fixes = {} if is_read_only else {finding.name: proposed_fixes(finding) for finding in diagnosis.findings}
    offers = {name: offer for name, found in fixes.items() if (offer := relaunch_offer(diagnosis.run, found, name))}
    each = {name: offer for name, found in fixes.items() if (offer := try_each_offer(diagnosis.run, found, name))}
    data = {
        "cards": [asdict(card) for card in cards(diagnosis, judged_at)],
        "relaunch": {name: {"words": words, "hint": hint} for name, (words, hint) in offers.items()},
        "try_each": {name: {"words": words, "hint": hint} for name, (words, hint) in each.items()},
        "most_rows": _MOST_ROWS,
        "is_short": is_short,
        "may_mute": not is_read_only and may_change(diagnosis.run),
        "words": _words(),
        "muted": [] if is_short else [asdict(row) for row in muted_rows(diagnosis)],
    }
    component("verdict", data, partial(_go, diagnosis, is_read_only))
    for name, found in fixes.items():
        relaunch_answer(diagnosis.run, found, name, compare_page)
    mute_question(diagnosis)


def _words() -> Mapping[str, str]:
    return {
        "copy": _("Copy"),
        "copied": _("Copied"),
        "also": _("Also: {settings}"),
        "source": _("Source: {source}"),
        "signs": _("Signs of the same cause"),
        "samples": _("Samples"),
        "deciders": _("What else it could be, and what decides"),
        "fixes": _("What else to try"),
        "judged_by": _("Judged by"),
        "mute": _("Mute …"),
        "mute_hint": _("Do not count this finding, with the reason"),
        "muted": _("Muted"),
        "undo": _("Undo"),
        "decides": _("What decides"),
        "more": _("More"),
        "card": _("{verdict}: {cause}"),
        "show": _("Show"),
        "hide": _("Hide"),
        "one_further": _("1 more finding"),
        "further": _("{count} more findings"),
    }


def _go(diagnosis: Diagnosis, is_read_only: bool, link: Mapping[str, Any]) -> None:
    """Follow a link of the card."""
    match link:
        case {"to": "step", "step": int(step)}:
            state.choose_step(step)
        case {"to": "sample", "step": int(step), "row": int(row)}:
            state.choose_sample(step, row)
            state.choose_section("samples")
        case {"to": "metric", "name": str(name)}:
            crucial = {series.name for series in crucial_series(diagnosis.run)}
            state.choose_section("charts" if name in crucial else "metrics")
        case {"to": "rule", "name": str(name)}:
            state.choose_rule(name)
            state.choose_section("checks")
        case {"to": "checks"}:
            state.choose_section("checks")
        case {"to": str(wish), "name": str(name)} if not is_read_only:
            _act(diagnosis, wish, name)


def _act(diagnosis: Diagnosis, wish: str, name: str) -> None:
    """Do with a finding what was asked for."""
    if wish == "mute":
        ask_to_mute(diagnosis.run, name)
    for muted in diagnosis.muted if wish == "undo" else ():
        if muted.finding.name == name:
            undo(diagnosis.run, muted)
    act = {"relaunch": relaunch, "try_each": try_each}.get(wish)
    for finding in diagnosis.findings if act is not None else ():
        if finding.name == name and act is not None:
            act(diagnosis.run, proposed_fixes(finding), name)
