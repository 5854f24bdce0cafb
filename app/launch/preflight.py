"""Pre-flight on the Launch page: findings beside their fields, and a yes for what is critical."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from app.launch.attempt import Tried, answers
from app.launch.draft import Draft, launch_options
from app.launch.fields import Slots
from app.widgets.markdown import escaped
from app.widgets.preflight import finding_line, finding_with_source
from diagnostics.configs.config_files import setup_of_options
from diagnostics.model.outcome import Outcome, Severity, fired_worst_first
from diagnostics.rules import evaluate
from diagnostics.wording.messages import message_text
from diagnostics.wording.severities import severity_counts
from trainer.config.options import ConfigError

_CONFIRMED = "launch.confirmed"


def findings(tried: Tried | None, algorithm: str, values: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """What pre-flight finds in the values of the form, worst first; what does not fit its option is left out."""
    config = _parsed(algorithm, values)
    known = answers(tried, algorithm, config)
    setup = replace(setup_of_options(algorithm, config), trials=known.trials, probe=known.probe)
    return fired_worst_first(evaluate(setup))


def beside_fields(found: Iterable[Outcome], slots: Slots) -> None:
    """Draw each finding beneath the first of its fields."""
    for outcome in found:
        slot = next((slots[name] for name in outcome.parameters if name in slots), None)
        if slot is not None:
            with slot:
                finding_line(outcome)


def overview(found: tuple[Outcome, ...]) -> None:
    """Draw how many findings there are, and all of them folded: a field may be folded away as well."""
    if not found:
        return
    with st.expander(f"Pre-flight · {severity_counts(outcome.severity for outcome in found)}", key="preflight"):
        for outcome in found:
            finding_with_source(outcome)


def is_confirmed(found: Iterable[Outcome], draft: Draft) -> bool:
    """Whether the user says yes to every critical finding; draws the question where there is one.

    A yes is for these findings of this run: others ask again.
    """
    critical = [outcome for outcome in found if outcome.severity is Severity.CRITICAL]
    if not critical:
        return True
    about = "|".join((draft.name, *(message_text(outcome.message) for outcome in critical)))
    names = ", ".join(outcome.parameters[0] if outcome.parameters else outcome.rule for outcome in critical)
    return st.checkbox(f"Start in spite of what is critical: {escaped(names)}", key=f"{_CONFIRMED}.{about}")


def _parsed(algorithm: str, values: Mapping[str, Any]) -> dict[str, Any]:
    parsed = {}
    for option in launch_options(algorithm):
        try:
            parsed[option.name] = option.parse(values[option.name])
        except ConfigError:
            continue  # reported beside its field
    return parsed
