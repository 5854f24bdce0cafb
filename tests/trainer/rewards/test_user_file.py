"""Reward functions in files of the user's own."""

import importlib.util
import py_compile
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trainer.rewards import RewardError, RewardFunc, get_reward_funcs

WriteRewards = Callable[[str], Path]


def reward(name: str) -> RewardFunc:
    (func,) = get_reward_funcs([name])
    return func


def test_a_function_of_the_user_gets_prompts_completions_and_columns(write_rewards: WriteRewards) -> None:
    file = write_rewards(
        "def matches(prompts, completions, answer, **columns):\n"
        "    return [None if a is None else float(p + c == a) for p, c, a in zip(prompts, completions, answer)]\n"
    )

    assert reward(f"{file}:matches")(["a", "b", "c"], ["x", "y", "z"], answer=["ax", "b", None]) == [1.0, 0.0, None]


def test_a_dataclass_in_the_users_file_works(write_rewards: WriteRewards) -> None:
    file = write_rewards(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Judge:\n    bonus: float = 2.0\n"
        "def judged(prompts, completions, **columns):\n    return [Judge().bonus] * len(completions)\n"
    )

    assert reward(f"{file}:judged")(["a"], ["x"]) == [2.0]


def test_two_functions_of_one_file_share_what_it_has_loaded(write_rewards: WriteRewards) -> None:
    file = write_rewards(
        "import itertools\n"
        "counter = itertools.count(1)\n"
        "def first(completions, **columns):\n    return [next(counter) for _ in completions]\n"
        "second = first\n"
    )

    first, second = get_reward_funcs([f"{file}:first", f"{file}:second"])

    assert first(["a"], ["x"]) + second(["a"], ["x"]) == [1.0, 2.0]


def test_a_missing_function_is_answered_with_those_of_the_file(write_rewards: WriteRewards) -> None:
    file = write_rewards("def first(**columns): ...\ndef second(**columns): ...\n")

    with pytest.raises(RewardError, match=r"defines no function third \(functions there: first, second\)"):
        get_reward_funcs([f"{file}:third"])


def test_a_file_that_cannot_be_imported_is_named_with_its_error(write_rewards: WriteRewards) -> None:
    file = write_rewards("def broken(:\n")

    with pytest.raises(RewardError, match=r"importing .*my_rewards\.py raised SyntaxError"):
        get_reward_funcs([f"{file}:broken"])


def test_a_file_may_import_its_siblings_while_it_loads(write_rewards: WriteRewards) -> None:
    file = write_rewards(
        "from sibling_of_rewards import BONUS\ndef mine(completions):\n    return [BONUS] * len(completions)\n"
    )
    file.with_name("sibling_of_rewards.py").write_text("BONUS = 3.0\n", encoding="utf-8")
    before = list(sys.path)

    assert reward(f"{file}:mine")(["a"], ["x"]) == [3.0]
    assert sys.path == before


def test_a_file_that_exits_while_it_loads_ends_nothing(write_rewards: WriteRewards) -> None:
    file = write_rewards("import sys\nsys.exit(0)\n")

    with pytest.raises(RewardError, match=r"importing .*my_rewards\.py raised SystemExit: 0"):
        get_reward_funcs([f"{file}:mine"])


def test_the_text_of_a_file_and_its_siblings_runs_whatever_bytecode_lies_beside_them(
    write_rewards: WriteRewards,
) -> None:
    file = write_rewards(
        "from cached_sibling import BONUS\ndef mine(completions):\n    return [BONUS + 1.0] * len(completions)\n"
    )
    sibling = file.with_name("cached_sibling.py")
    sibling.write_text("BONUS = 3.0\n", encoding="utf-8")
    for path in (file, sibling):
        forged = path.with_name(f"forged_{path.name}")
        forged.write_text("raise SystemExit('bytecode ran')\n", encoding="utf-8")
        cached = importlib.util.cache_from_source(str(path))
        py_compile.compile(str(forged), cached, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)

    assert reward(f"{file}:mine")(["a"], ["x"]) == [4.0]
