"""The Launch form's fields: one widget per option, made from the option's own description."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.launch.draft import as_text, value_problem
from app.words import plain
from trainer.config.options import Option

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Model and data": (
        "model_revision", "dtype", "attn_implementation", "trust_remote_code", "gradient_checkpointing",
        "use_peft", "lora_r", "lora_alpha", "lora_dropout", "lora_target_modules",
        "dataset_config", "dataset_train_split", "dataset_test_split", "max_prompt_length",
    ),
    "Sampling": (
        "temperature", "top_k", "top_p", "min_p", "do_sample", "min_new_tokens", "repetition_penalty",
        "rollout_temperature", "stop_token", "stop_token_id", "decode",
    ),
    "Rewards and advantages": (
        "reward_weights", "scale_rewards", "whiten_rewards", "gamma", "lam", "missing_eos_penalty", "non_eos_penalty",
        "penalty_reward_value", "reward_baseline", "use_score_scaling", "use_score_norm", "score_clip",
    ),
    "Loss and KL penalty": (
        "loss_type", "importance_sampling_level", "epsilon", "epsilon_high", "cliprange", "cliprange_value", "vf_coef",
        "kl_estimator",
        "use_bias_correction_kl", "adap_kl_ctrl", "init_kl_coef", "target", "horizon", "early_stopping", "target_kl",
    ),
    "Optimizer and schedule": (
        "num_iterations", "num_ppo_epochs", "num_mini_batches", "gradient_accumulation_steps", "total_episodes",
        "lr_scheduler_type", "lr_scheduler_kwargs", "warmup_steps", "warmup_ratio", "weight_decay", "max_grad_norm",
        "value_learning_rate", "adam_beta1", "adam_beta2", "adam_epsilon",
    ),
    "Evaluation": ("eval_strategy", "eval_steps", "eval_dataset", "num_eval_prompts", "eval_temperature"),
    "Saving and logging": (
        "save_strategy", "save_steps", "save_total_limit", "report_to", "num_completions_to_log",
        "num_sample_generations", "histogram_steps",
    ),
    "Machine": ("num_processes", "mixed_precision", "use_cpu", "num_threads"),
    "Sick on purpose": ("fault", "fault_step"),
}  # fmt: skip
Slots = dict[str, DeltaGenerator]
"""The place beneath each field, by option name: what is said about its value goes there."""

OTHERS = "Others"
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
        label = f"{group} · {changed} set by the preset" if changed else group
        with st.expander(label, key=f"group.{group}"):
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
