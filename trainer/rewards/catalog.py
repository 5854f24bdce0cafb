"""Reward functions by name: the code of the built-in ones, and the loading of user files."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from diagnostics.told import told
from trainer.config.reward_names import RewardError, is_file, parse_built_in
from trainer.rewards import demo, faulty, final_answer, user_file
from trainer.rewards import format as form
from trainer.rewards.function import Function, RewardFunc
from trainer.rewards.reward_model import reward_model
from trainer.rewards.sentiment import sentiment

MAKERS: Mapping[str, Callable[[Any], Function]] = MappingProxyType(
    {
        "remark_positivity": lambda _: demo.remark_positivity,
        "addition_accuracy": lambda _: demo.addition_accuracy,
        "addition_format": lambda _: demo.addition_format,
        "exact_match": lambda _: final_answer.exact_match,
        "numeric_match": final_answer.numeric_match,
        "format": lambda _: form.think_answer,
        "regex": form.regex,
        "keyword": form.keyword,
        "length": form.length,
        "repetition_penalty": form.repetition_penalty,
        "sentiment": lambda _: sentiment(),
        "reward_model": reward_model,
        "exclamation": faulty.exclamation,
        "constant": faulty.constant,
        "random": faulty.random,
        "nan_after": faulty.nan_after,
    }
)
"""Name → factory that takes the number or text after its colon."""
_TAKE_MESSAGES = frozenset({"reward_model"})
"""Functions that receive conversations as messages; the others receive plain text."""


def get_reward_funcs(names: Sequence[str]) -> list[RewardFunc]:
    """The reward functions with these names, in order; a second function of the same name becomes `name_2`.

    Raises:
        RewardError: There is no such built-in function, file or function, a number or text is wrong, or a file cannot
            be imported.
    """
    seen: Counter[str] = Counter()
    funcs = []
    for name in names:
        func = RewardFunc(*user_file.load(name)) if is_file(name) else _built_in(name)
        seen[func.name] += 1
        label = func.name if seen[func.name] == 1 else f"{func.name}_{seen[func.name]}"
        funcs.append(RewardFunc(label, func.function, func.takes_messages))
    return funcs


def _built_in(name: str) -> RewardFunc:
    parsed = parse_built_in(name)
    try:
        function = MAKERS[parsed.label](parsed.argument)
    except re.error as error:
        raise RewardError(
            told(
                "reward function {label}: {argument!r} is not a valid regular expression: {error}",
                label=parsed.label,
                argument=parsed.argument,
                error=error,
            )
        ) from error
    return RewardFunc(parsed.label, function, parsed.label in _TAKE_MESSAGES)
