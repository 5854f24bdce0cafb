"""The reward functions, built in or the user's own, under the names that a config gives them; no torch here.

Their form is TRL's, `function(prompts, completions, **columns) -> list[float | None]`; their names are

    exact_match                 a built-in one,
    nan_after:20                a built-in one with its number,
    keyword:please              a built-in one with its text,
    path/to/file.py:function    a function of the user's own.

None says that a completion cannot be scored. NaN and infinity pass through: they are evidence. Besides columns a
function can ask for `completion_ids`, `trainer_state`, `log_extra` and `log_metric` (`trainer.rewards.call_context`).
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from trainer.config.options import did_you_mean
from trainer.data.sources import absolute
from trainer.rewards import user_file
from trainer.rewards.catalog import BUILT_IN, BuiltIn
from trainer.rewards.function import RewardError, RewardFunc

__all__ = [
    "BUILT_IN",
    "BuiltIn",
    "RewardError",
    "RewardFunc",
    "absolute_name",
    "check_reward_names",
    "get_reward_funcs",
]


def get_reward_funcs(names: Sequence[str]) -> list[RewardFunc]:
    """The reward functions of these names, in order; the second of two that are called alike becomes `name_2`.

    Raises:
        RewardError: no such built-in function, file or function, a bad number or text, or a file that cannot be
            imported.
    """
    seen: Counter[str] = Counter()
    funcs = []
    for name in names:
        func = RewardFunc(*user_file.load(name)) if _is_file(name) else _build(name)
        seen[func.name] += 1
        label = func.name if seen[func.name] == 1 else f"{func.name}_{seen[func.name]}"
        funcs.append(RewardFunc(label, func.function, func.takes_messages))
    return funcs


def check_reward_names(names: Sequence[str]) -> None:
    """Say what is wrong with these names without running a line of the user's code.

    Raises:
        RewardError: no such built-in function or file, or a bad number or text.
    """
    for name in names:
        if _is_file(name):
            user_file.check_file(name)
        else:
            _build(name)


def absolute_name(name: str) -> str:
    """The same name with its paths made absolute, so that it means the same from every folder."""
    label, _, place = name.partition(":")
    if label == "reward_model" and place:
        return f"{label}:{absolute(place)}"
    return user_file.absolute_name(name) if _is_file(name) else name


def _is_file(name: str) -> bool:
    label, _, _ = name.partition(":")
    takes_text = label in BUILT_IN and bool(BUILT_IN[label].text)  # a pattern may look like a file's name
    return not takes_text and user_file.is_file_name(name)


def _build(name: str) -> RewardFunc:
    label, _, argument = name.partition(":")
    if label not in BUILT_IN:
        raise RewardError(
            f"unknown reward function {name!r}{did_you_mean(label, BUILT_IN)}: the built-in ones are "
            f"{', '.join(BUILT_IN)}; a function of your own is path/to/file.py:function"
        )
    built_in = BUILT_IN[label]
    value = _text(label, argument) if built_in.text else _number(label, argument)
    try:
        return RewardFunc(label, built_in.make(value), built_in.takes_messages)
    except re.error as error:
        raise RewardError(f"reward function {label}: {argument!r} is no regular expression: {error}") from error


def _text(label: str, argument: str) -> str:
    if not argument:
        raise RewardError(f"reward function {label} needs a text: write {label}:{BUILT_IN[label].text}")
    return argument


def _number(label: str, argument: str) -> float | None:
    built_in = BUILT_IN[label]
    if argument and not built_in.number:
        raise RewardError(f"reward function {label} takes no number, but {argument!r} was given: write {label} alone")
    try:
        number = float(argument) if argument else built_in.default
    except ValueError:
        number = None
    # NaN compares false with everything: as a number of calls it would switch the fault off in silence.
    if number is None or not math.isfinite(number) or (built_in.must_be_positive and number <= 0):
        needed = "a number above 0" if built_in.must_be_positive else "a number"
        found = repr(argument) if argument else "none"
        raise RewardError(
            f"reward function {label} needs {needed} ({built_in.number}), got {found}: write {label}:20, say"
        )
    return number
