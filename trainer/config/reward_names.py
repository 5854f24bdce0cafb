"""Reward function names, checked without running user code. Imports no torch.

- `exact_match`: a built-in function
- `nan_after:20`, `keyword:please`: a built-in function with its number or text
- `path/to/file.py:function`: a user's function
"""

import math
from dataclasses import dataclass
from pathlib import Path

from diagnostics.told import told
from trainer.config.built_in_rewards import BUILT_IN
from trainer.config.local_or_hub import absolute_path
from trainer.config.options import did_you_mean

REWARD_FUNCTION = told("reward function")
"""What errors call a function that is named like one."""


class RewardError(ValueError):
    """A reward function was not found, failed, or returned something other than a list of rewards."""


@dataclass(frozen=True, slots=True)
class BuiltInName:
    """The name of a built-in reward function and the number or text after its colon."""

    label: str
    argument: float | str | None


def parse_built_in(name: str) -> BuiltInName:
    """Parse the name of a built-in reward function.

    Raises:
        RewardError: The function is unknown, or its number or text is missing or wrong.
    """
    label, _, argument = name.partition(":")
    if label not in BUILT_IN:
        raise RewardError(
            told(
                "unknown reward function {name!r}{hint}: the built-in ones are {names}; a function of your own "
                "is path/to/file.py:function",
                name=name,
                hint=did_you_mean(label, BUILT_IN),
                names=", ".join(BUILT_IN),
            )
        )
    return BuiltInName(label, _text(label, argument) if BUILT_IN[label].text else _number(label, argument))


def is_file(name: str) -> bool:
    """Whether a reward function's name refers to a user's file."""
    label, _, _ = name.partition(":")
    takes_text = label in BUILT_IN and bool(BUILT_IN[label].text)  # a pattern may look like a file's name
    return not takes_text and is_function_in_file(name)


def is_function_in_file(name: str) -> bool:
    """Whether a name has the form path/to/file.py:function or path/to/file.py."""
    path, _, function = name.rpartition(":")
    return name.endswith(".py") or (path.endswith(".py") and bool(function))


def function_in_file(name: str, what: str = REWARD_FUNCTION) -> tuple[Path, str]:
    """The file and the function of a name, without running the file. Errors call it `what`.

    Raises:
        RewardError: The name has another form, or the file does not exist.
    """
    path, _, function = name.rpartition(":")
    if not path.endswith(".py") or not function.isidentifier():
        raise RewardError(
            told("{what} {name!r} names no function: write path/to/file.py:function", what=what, name=name)
        )
    if not Path(path).expanduser().is_file():
        raise RewardError(
            told(
                "{what} {name!r}: there is no file {path} in {cwd}; correct the path",
                what=what,
                name=name,
                path=path,
                cwd=Path.cwd(),
            )
        )
    return Path(path).expanduser(), function


def absolute_name(name: str) -> str:
    """The name with absolute paths, so that it means the same in every folder."""
    label, _, place = name.partition(":")
    if label == "reward_model" and place:
        return f"{label}:{absolute_path(place)}"
    if not is_file(name):
        return name
    path, function = function_in_file(name)
    return f"{path.resolve()}:{function}"


def _text(label: str, argument: str) -> str:
    if not argument:
        raise RewardError(
            told("reward function {label} needs a text: write {label}:{text}", label=label, text=BUILT_IN[label].text)
        )
    return argument


def _number(label: str, argument: str) -> float | None:
    built_in = BUILT_IN[label]
    if argument and not built_in.number:
        raise RewardError(
            told(
                "reward function {label} takes no number, but {argument!r} was given: write {label} alone",
                label=label,
                argument=argument,
            )
        )
    try:
        number = float(argument) if argument else built_in.default
    except ValueError:
        number = None
    # NaN compares false with everything: as a number of calls it would silently switch the fault off.
    if number is None or not math.isfinite(number) or (built_in.must_be_positive and number <= 0):
        needed = "a number above 0" if built_in.must_be_positive else "a number"
        found = repr(argument) if argument else "none"
        raise RewardError(
            told(
                "reward function {label} needs {needed} ({number}), got {found}: write {label}:20, say",
                label=label,
                needed=needed,
                number=built_in.number,
                found=found,
            )
        )
    return number
