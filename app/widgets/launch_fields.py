"""The Launch form's fields: one widget per option, made from the option's own description."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.widgets.launch_draft import as_text, value_problem
from app.words import plain
from trainer.options import Option

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Sampling": (
        "temperature", "top_k", "top_p", "min_p", "do_sample", "min_new_tokens", "repetition_penalty",
        "rollout_temperature", "stop_token", "missing_eos_penalty",
    ),
    "Rewards and advantages": ("reward_weights", "scale_rewards", "whiten_rewards", "gamma", "lam"),
    "Loss": (
        "loss_type", "epsilon", "epsilon_high", "cliprange", "cliprange_value", "vf_coef", "kl_estimator",
    ),
    "Optimizer and schedule": (
        "num_iterations", "num_ppo_epochs", "num_mini_batches", "gradient_accumulation_steps", "total_episodes",
        "lr_scheduler_type", "warmup_steps", "weight_decay", "max_grad_norm", "value_learning_rate",
    ),
}  # fmt: skip
Slots = dict[str, DeltaGenerator]
"""The place beneath each field, by option name: what is said about its value goes there."""

OTHERS = "Saving, logging and machine"
COLUMNS = 3


def fields(options: Sequence[Option], base: Mapping[str, Any], key: str, slots: Slots) -> dict[str, Any]:
    """Rows of fields, each with its problem beneath it; returns what stands in them, by option name.

    `base` holds the values to begin with. Another `key` gives fresh fields. `slots` gets the place beneath each.
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
    """The options by group, each group folded under a heading that says how many differ from their defaults."""
    values: dict[str, Any] = {}
    for group, members in _grouped(options).items():
        changed = sum(base[option.name] != option.default for option in members)
        with st.expander(f"{group} · {changed} set by the preset" if changed else group):
            values |= fields(members, base, key, slots)
    return values


def complaint(sentence: str) -> None:
    """One sentence about what has to be changed; what somebody typed into it is shown literally."""
    st.markdown(f":orange[▲ {plain(sentence)}]")


def _grouped(options: Sequence[Option]) -> dict[str, list[Option]]:
    group_of = {name: group for group, names in GROUPS.items() for name in names}
    grouped: dict[str, list[Option]] = {group: [] for group in (*GROUPS, OTHERS)}
    for option in options:
        grouped[group_of.get(option.name, OTHERS)].append(option)
    return {group: members for group, members in grouped.items() if members}


def _field(option: Option, base: Any, key: str) -> Any:
    value = _widget(option, base, key)
    if problem := value_problem(option, value):
        complaint(problem)
    return value


def _widget(option: Option, base: Any, key: str) -> Any:
    if option.choices and option.many:
        return st.multiselect(option.name, option.choices, default=base, help=option.help, key=key)
    if choices := _choices(option):
        return st.selectbox(option.name, choices, index=choices.index(as_text(base)), help=option.help, key=key)
    text = "" if base is None else as_text(base)
    return st.text_input(option.name, value=text, placeholder=_meaning_of_empty(option), help=option.help, key=key)


def _choices(option: Option) -> list[str]:
    """The texts to choose from; empty where any text may be typed."""
    choices = (True, False) if option.kind is bool else option.choices
    return [as_text(choice) for choice in (*choices, *([None] if choices and option.optional else []))]


def _meaning_of_empty(option: Option) -> str:
    """What an empty field stands for: the last clause of the help sentence where it says so."""
    return option.help.partition("empty: ")[2].rstrip(".")
