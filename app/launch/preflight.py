"""Pre-flight on the Launch page: findings beside their fields, and confirmation of critical ones."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from app.launch.attempt import Tried, dry_run_answers
from app.launch.draft import Draft, launch_options
from app.launch.fields import Slots
from app.widgets.markdown import escaped
from app.widgets.preflight import finding_line, finding_with_source
from diagnostics.configs.config_files import setup_of_options
from diagnostics.language import _
from diagnostics.model.outcome import Outcome, Severity, fired_worst_first
from diagnostics.rules import evaluate
from diagnostics.wording.messages import message_text
from diagnostics.wording.severities import severity_counts
from trainer.config.options import ConfigError

_CONFIRMED = "launch.confirmed"


def findings(tried: Tried | None, algorithm: str, values: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """Pre-flight findings for the form's values, worst first; values that do not fit their option are skipped."""
    config = _parsed(algorithm, values)
    known = dry_run_answers(tried, algorithm, config)
    setup = replace(setup_of_options(algorithm, config), trials=known.trials, probe=known.probe)
    return fired_worst_first(evaluate(setup))


def beside_fields(found: Iterable[Outcome], slots: Slots) -> None:
    """Draw each finding beneath the first of its fields."""
    for outcome in found:
        slot = next((slots[name] for name in outcome.parameters if name in slots), None)
        if slot is not None:
            with slot:
                finding_line(outcome)


def findings_overview(found: tuple[Outcome, ...]) -> None:
    """Draw the number of findings and a collapsed list of all: their fields may be collapsed too."""
    if not found:
        return
    counts = severity_counts(outcome.severity for outcome in found)
    with st.expander(_("Pre-flight · {counts}").format(counts=counts), key="preflight"):
        for outcome in found:
            finding_with_source(outcome)


def is_confirmed(found: Iterable[Outcome], draft: Draft) -> bool:
    """Whether the user has confirmed every critical finding; draws the question if there is one.

    A confirmation applies to these findings of this run; different ones need a new confirmation.
    """
    critical = [outcome for outcome in found if outcome.severity is Severity.CRITICAL]
    if not critical:
        return True
    about = "|".join((draft.name, *(message_text(outcome.message) for outcome in critical)))
    names = ", ".join(outcome.parameters[0] if outcome.parameters else outcome.rule for outcome in critical)
    words = _("Start despite critical settings: {names}").format(names=escaped(names))
    return st.checkbox(words, key=f"{_CONFIRMED}.{about}")


def _parsed(algorithm: str, values: Mapping[str, Any]) -> dict[str, Any]:
    parsed = {}
    for option in launch_options(algorithm):
        try:
            parsed[option.name] = option.parse(values[option.name])
        except ConfigError:
            continue  # reported beside its field
    return parsed
