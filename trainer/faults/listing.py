"""The list of faults, formatted for a terminal."""

import textwrap
from typing import Any

from diagnostics.language import _
from trainer.faults import FAULTS
from trainer.faults.fault import Case, Fault

_WIDTH = 100


def faults_as_text() -> str:
    """Every fault: what it does, its true cause, and the demos it supports."""
    return "\n".join(_entry(fault) for fault in FAULTS.values())


def values_as_text(case: Case) -> str:
    """The values that a case changes, as on the command line: `learning_rate 0.01, reward_funcs length`."""
    changes = [f"{name} {value_as_text(value)}" for name, value in case.values.items()]
    return ", ".join([*changes, *(["prompts"] if case.rows else [])])


def value_as_text(value: Any) -> str:
    """A value as written on the command line."""
    if isinstance(value, tuple):
        return ",".join(map(value_as_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value)


def _entry(fault: Fault) -> str:
    says = textwrap.fill(_(fault.does), _WIDTH, initial_indent="    ", subsequent_indent="    ")
    cases = [f"    {case.algorithm} {case.task}: {values_as_text(case)}" for case in fault.cases]
    return "\n".join([_("{fault} (cause: {cause})").format(fault=fault.name, cause=fault.cause), says, *cases, ""])
