"""The reward functions, built in or the user's own, under the names that a config gives them.

Their form is TRL's, `function(prompts, completions, **columns) -> list[float | None]`; their names are

    addition_accuracy           a built-in one,
    nan_after:20                a built-in one with its number,
    path/to/file.py:function    a function of the user's own.

None says that a completion cannot be scored. NaN and infinity pass through: they are evidence.
"""

import importlib.util
import inspect
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from trainer.builtin_rewards import BUILT_IN, Function

LONGEST_QUOTE = 80  # characters of a prompt that a message repeats


class RewardError(ValueError):
    """A reward function cannot be found, failed, or returned something that is no list of rewards."""


@dataclass(frozen=True, slots=True)
class RewardFunc:
    """A reward function under the name that its metrics carry: `rewards/{name}/mean`."""

    name: str
    function: Function

    def __call__(
        self, prompts: Sequence[str], completions: Sequence[str], **columns: Sequence[Any]
    ) -> list[float | None]:
        """One reward per completion.

        Args:
            prompts, completions: B texts each; columns: further columns of the dataset, B values each.

        Raises:
            RewardError: the function raised, or returned another count than B, or something that is no number.
        """
        try:
            rewards = self.function(prompts=list(prompts), completions=list(completions), **columns)
        except Exception as error:  # the user's code may raise anything
            culprit = self._culprit(prompts, completions, columns)
            raise self._error(f"raised {type(error).__name__}: {error}", culprit) from error
        return self._checked(rewards, prompts)

    def _checked(self, rewards: object, prompts: Sequence[str]) -> list[float | None]:
        found = _as_list(rewards)
        if found is None:
            kind = type(rewards).__name__
            raise self._error(f"returned {kind} where a list with one number per completion is due", prompts[0])
        if len(found) != len(prompts):
            raise self._error(f"returned {len(found)} rewards for {len(prompts)} completions", prompts[0])
        return [self._number(reward, prompt) for reward, prompt in zip(found, prompts, strict=True)]

    def _number(self, reward: Any, prompt: str) -> float | None:
        if reward is None:
            return None
        try:
            if isinstance(reward, str | bytes):  # float() would read "1.0"
                raise TypeError
            return float(reward)
        except (TypeError, ValueError):
            raise self._error(f"returned {reward!r} where a number or None is due", prompt) from None

    def _culprit(self, prompts: Sequence[str], completions: Sequence[str], columns: Mapping[str, Sequence[Any]]) -> str:
        """The first prompt whose row fails alone too; where none does, the first of the batch."""
        for row, prompt in enumerate(prompts):
            try:
                self.function(
                    prompts=[prompt],
                    completions=[completions[row]],
                    **{name: [values[row]] for name, values in columns.items()},
                )
            except Exception:
                return prompt
        return prompts[0]

    def _error(self, problem: str, prompt: str) -> RewardError:
        quote = prompt if len(prompt) <= LONGEST_QUOTE else prompt[: LONGEST_QUOTE - 1] + "…"
        return RewardError(f"reward function {self.name} {problem} (prompt {quote!r}): correct it and start again")


def get_reward_funcs(names: Sequence[str]) -> list[RewardFunc]:
    """The reward functions of these names, in order; the second of two that are called alike becomes `name_2`.

    Raises:
        RewardError: no such built-in function, file or function, a bad number, or a file that cannot be imported.
    """
    seen: Counter[str] = Counter()
    funcs = []
    for name in names:
        label, function = _load(name) if _is_path(name) else _build(name)
        seen[label] += 1
        funcs.append(RewardFunc(label if seen[label] == 1 else f"{label}_{seen[label]}", function))
    return funcs


def check_reward_names(names: Sequence[str]) -> None:
    """Says what is wrong with these names without running a line of the user's code.

    Raises:
        RewardError: no such built-in function or file, or a bad number.
    """
    for name in names:
        if _is_path(name):
            _existing_file(name)
        else:
            _build(name)


def _as_list(rewards: object) -> list[Any] | None:
    """The rewards of a list, tuple, array or tensor; None for what has no order, no length or no items."""
    if isinstance(rewards, str | bytes | Mapping | Set) or not (
        isinstance(rewards, Sized) and isinstance(rewards, Iterable)
    ):
        return None
    try:
        return list(rewards)
    except TypeError:  # an array or tensor of no dimension
        return None


def _build(name: str) -> tuple[str, Function]:
    label, _, argument = name.partition(":")
    if label not in BUILT_IN:
        raise RewardError(
            f"unknown reward function {name!r}: the built-in ones are {', '.join(BUILT_IN)}; "
            "a function of your own is path/to/file.py:function"
        )
    return label, BUILT_IN[label].make(_argument(label, argument))


def _argument(label: str, argument: str) -> float:
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


def _is_path(name: str) -> bool:
    path, _, function = name.rpartition(":")
    return name.endswith(".py") or (path.endswith(".py") and bool(function))


def _existing_file(name: str) -> tuple[Path, str]:
    path, _, function = name.rpartition(":")
    if not path.endswith(".py") or not function.isidentifier():
        raise RewardError(f"reward function {name!r} names no function: write path/to/file.py:function")
    if not Path(path).is_file():
        raise RewardError(f"reward function {name!r}: there is no file {path} in {Path.cwd()}; correct the path")
    return Path(path), function


def _load(name: str) -> tuple[str, Function]:
    path, label = _existing_file(name)
    try:
        module = _module(path)
    except Exception as error:  # the user's file may raise anything
        problem = f"{type(error).__name__}: {error}"
        raise RewardError(f"reward function {name!r}: importing {path} raised {problem}; correct the file") from error
    function = getattr(module, label, None)
    if not callable(function):
        defined = ", ".join(n for n, value in vars(module).items() if inspect.isfunction(value)) or "none"
        raise RewardError(f"reward function {name!r}: {path} defines no function {label} (functions there: {defined})")
    return label, function


def _module(path: Path) -> ModuleType:
    """The file as a module, imported once a process, so that two functions of one file share what it has loaded."""
    # No import statement can reach this name, so the file shadows no installed module.
    module_name = f"reward file {path.resolve()}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None  # a path that ends in .py always has a spec and a loader
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module  # before it runs: dataclasses look their own module up
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module_name]
            raise
    return sys.modules[module_name]
