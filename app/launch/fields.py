"""The Launch form's fields: one widget per option, built from the option's description."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.launch.draft import value_problem
from app.widgets.markdown import escaped
from diagnostics.language import _
from trainer.config.options import Option, Section
from trainer.launch.new_run import as_text

Slots = dict[str, DeltaGenerator]
"""The place beneath each field, by option name, for messages about its value."""

COLUMNS = 3


def fields(options: Sequence[Option], base: Mapping[str, Any], key: str, slots: Slots) -> dict[str, Any]:
    """Draw rows of fields, each with its problem beneath it; returns their values by option name.

    `base` contains the initial values. A different `key` creates fresh fields. `slots` receives the place beneath each.
    """
    values: dict[str, Any] = {}
    for start in range(0, len(options), COLUMNS):
        row = options[start : start + COLUMNS]
        for column, option in zip(st.columns(COLUMNS), row, strict=False):
            with column:
                values[option.name] = _field(option, base[option.name], f"{key}.{option.name}")
                slots[option.name] = st.container(gap="xxsmall")
    return values


def folded_fields(options: Sequence[Option], base: Mapping[str, Any], key: str, slots: Slots) -> dict[str, Any]:
    """Draw the options by section, each collapsed under a heading that counts the values set by the preset."""
    values: dict[str, Any] = {}
    for section in Section:
        members = [option for option in options if option.section is section]
        if not members:
            continue
        changed = sum(base[option.name] != option.default for option in members)
        preset = _("{section} · {count} set by the preset")
        label = preset.format(section=_(section), count=changed) if changed else _(section)
        with st.expander(label, key=f"group.{section}"):
            values |= fields(members, base, key, slots)
    return values


def show_problem(sentence: str) -> None:
    """Draw one sentence on what to change, with user input escaped."""
    st.markdown(f":orange[▲ {escaped(sentence)}]")


def _field(option: Option, base: Any, key: str) -> Any:
    value = _widget(option, base, key)
    if problem := value_problem(option, value):
        show_problem(problem)
    return value


def _widget(option: Option, base: Any, key: str) -> Any:
    if option.choices and option.many:
        nothing = _("Choose")
        return st.multiselect(
            option.name, option.choices, default=base, placeholder=nothing, help=_(option.help), key=key
        )
    if choices := _choices(option):
        return st.selectbox(option.name, choices, index=choices.index(as_text(base)), help=_(option.help), key=key)
    text = "" if base is None else as_text(base)
    return st.text_input(option.name, value=text, placeholder=_(option.meaning_of_empty), help=_(option.help), key=key)


def _choices(option: Option) -> list[str]:
    """The options of a select box; empty if any text is allowed."""
    choices = (True, False) if option.kind is bool else option.choices
    return [as_text(choice) for choice in (*choices, *([None] if choices and option.optional else []))]
