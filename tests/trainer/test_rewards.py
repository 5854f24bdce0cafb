"""The reward functions: what they give in closed cases, how they are named, and what they say when they fail."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from trainer.builtin_rewards import BUILT_IN
from trainer.rewards import RewardError, RewardFunc, check_reward_names, get_reward_funcs

WriteRewards = Callable[[str], Path]


@pytest.fixture
def write_rewards(tmp_path: Path) -> WriteRewards:
    def write(source: str) -> Path:
        file = tmp_path / "my_rewards.py"
        file.write_text(source, encoding="utf-8")
        return file

    return write


def reward(name: str) -> RewardFunc:
    (func,) = get_reward_funcs([name])
    return func


def test_accuracy_is_judged_after_the_scratchpad() -> None:
    completions = ["122", "(9+3=12 5+6+1=12)122", "(9+3=12 5+6+1=12)112", "(9+3=12", ""]

    rewards = reward("addition_accuracy")(["59+63="] * 5, completions, answer=["122"] * 5)

    assert rewards == [1.0, 1.0, 0.0, 0.0, 0.0]


def test_an_answer_may_be_a_number_in_the_dataset() -> None:
    assert reward("addition_accuracy")(["59+63="], ["122"], answer=[122]) == [1.0]


def test_format_rewards_a_well_formed_scratchpad_whatever_its_answer() -> None:
    rewards = reward("addition_format")(["59+63="] * 3, ["(9+3=12 5+6+1=12)7", "122", "(9+3)122"], answer=["122"] * 3)

    assert rewards == [1.0, 0.0, 0.0]


def test_positivity_orders_remarks_as_a_reader_would() -> None:
    worst, nothing, best = reward("remark_positivity")(
        ["it is"] * 3, ["the worst, awful!", "", "a wonderful, great film."]
    )

    assert worst is not None
    assert best is not None
    assert nothing == 0.5
    assert 0 < worst < 0.2
    assert 0.8 < best < 1


def test_positivity_counts_a_word_once_and_the_prompt_never() -> None:
    once, often, prompted = reward("remark_positivity")(["", "", "wonderful"], ["great", "Great great GREAT!", "great"])

    assert once == often == prompted


def test_length_is_counted_in_units_of_characters() -> None:
    assert reward("length")(["a"], ["12345"]) == [0.5]
    assert reward("length:5")(["a"], ["12345"]) == [1.0]


def test_each_exclamation_mark_earns_a_bonus() -> None:
    assert reward("exclamation")(["a", "b"], ["well!!", "well."]) == [0.6, 0.0]
    assert reward("exclamation:2")(["a"], ["well!!"]) == [4.0]


def test_a_constant_reward_is_the_same_for_all() -> None:
    assert reward("constant")(["a", "b"], ["x", "y"]) == [0.0, 0.0]
    assert reward("constant:-1.5")(["a"], ["x"]) == [-1.5]


def test_a_random_reward_repeats_with_its_seed() -> None:
    first, again, other = reward("random:1"), reward("random:1"), reward("random:2")

    drawn = [first(["a"] * 3, ["x"] * 3), first(["a"] * 3, ["x"] * 3)]

    assert drawn == [again(["a"] * 3, ["x"] * 3), again(["a"] * 3, ["x"] * 3)]
    assert drawn[0] != drawn[1]
    assert drawn[0] != other(["a"] * 3, ["x"] * 3)
    assert all(value is not None and 0 <= value < 1 for value in drawn[0])


def test_a_faulty_reward_turns_to_nan_after_its_number_of_calls() -> None:
    faulty = reward("nan_after:2")

    calls = [faulty(["a", "b"], ["x", "y"]) for _ in range(4)]

    assert calls[:2] == [[0.0, 0.0], [0.0, 0.0]]
    assert all(value is not None and math.isnan(value) for call in calls[2:] for value in call)


def test_every_built_in_function_says_what_it_rewards() -> None:
    assert all(built_in.summary.endswith(".") for built_in in BUILT_IN.values())


def test_a_function_is_named_without_its_number_or_file(write_rewards: WriteRewards) -> None:
    file = write_rewards("def brevity(prompts, completions, **columns):\n    return [0.0] * len(completions)\n")

    funcs = get_reward_funcs(["nan_after:20", "constant", f"{file}:brevity"])

    assert [func.name for func in funcs] == ["nan_after", "constant", "brevity"]


def test_functions_that_are_called_alike_get_different_names(write_rewards: WriteRewards) -> None:
    file = write_rewards("def length(prompts, completions, **columns):\n    return [0.0] * len(completions)\n")

    funcs = get_reward_funcs(["length", "length:5", f"{file}:length"])

    assert [func.name for func in funcs] == ["length", "length_2", "length_3"]


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


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("elegance", "unknown reward function 'elegance': the built-in ones are remark_positivity,"),
        ("addition_accuracy:3", "reward function addition_accuracy takes no number, but '3' was given"),
        ("nan_after", r"reward function nan_after needs a number \(calls\), got none: write nan_after:20, say"),
        ("nan_after:soon", r"reward function nan_after needs a number \(calls\), got 'soon'"),
        ("constant:nan", r"reward function constant needs a number \(points\), got 'nan'"),
        ("length:0", r"reward function length needs a number above 0 \(characters per point\), got '0'"),
        ("nowhere/mine.py:score", "there is no file nowhere/mine.py in"),
        ("nowhere/mine.py", "names no function: write path/to/file.py:function"),
    ],
)
def test_a_wrong_name_is_answered_with_what_to_write(name: str, message: str) -> None:
    with pytest.raises(RewardError, match=message):
        get_reward_funcs([name])
    with pytest.raises(RewardError, match=message):
        check_reward_names([name])


def test_checking_names_runs_nothing_of_the_user(write_rewards: WriteRewards) -> None:
    file = write_rewards("raise SystemError('must not run')\n")

    check_reward_names([f"{file}:score", "constant", "nan_after:3"])


def test_a_missing_function_is_answered_with_those_of_the_file(write_rewards: WriteRewards) -> None:
    file = write_rewards("def first(**columns): ...\ndef second(**columns): ...\n")

    with pytest.raises(RewardError, match=r"defines no function third \(functions there: first, second\)"):
        get_reward_funcs([f"{file}:third"])


def test_a_file_that_cannot_be_imported_is_named_with_its_error(write_rewards: WriteRewards) -> None:
    file = write_rewards("def broken(:\n")

    with pytest.raises(RewardError, match=r"importing .*my_rewards\.py raised SyntaxError"):
        get_reward_funcs([f"{file}:broken"])


def test_an_exception_names_the_function_and_the_first_prompt_that_caused_it() -> None:
    def picky(prompts: list[str], completions: list[str]) -> list[float]:
        return [1 / len(completion) for completion in completions]

    message = r"reward function picky raised ZeroDivisionError: division by zero \(prompt 'second'\)"
    with pytest.raises(RewardError, match=message):
        RewardFunc("picky", picky)(["first", "second", "third"], ["a", "", ""])


def test_an_exception_that_no_single_row_causes_names_the_first_prompt() -> None:
    def unique(prompts: list[str], completions: list[str]) -> list[float]:
        if len(completions) > 1:
            raise RuntimeError("more than one")
        return [1.0]

    with pytest.raises(RewardError, match=r"raised RuntimeError: more than one \(prompt 'first'\)"):
        RewardFunc("unique", unique)(["first", "second"], ["a", "b"])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(RewardError, match=r"addition_accuracy raised TypeError: .*'answer'"):
        reward("addition_accuracy")(["1+1="], ["2"])


def test_a_long_prompt_is_cut_in_the_message() -> None:
    def failing(prompts: list[str], completions: list[str]) -> list[float]:
        raise RuntimeError("no")

    with pytest.raises(RewardError) as caught:
        RewardFunc("failing", failing)(["word " * 1000], ["x"])

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1.0], "returned 1 rewards for 2 completions"),
        (1.0, "returned float where a list with one number per completion is due"),
        (None, "returned NoneType where a list"),
        ("ab", "returned str where a list"),
        ({"first": 1, "second": 2}, "returned dict where a list"),
        ({1.0, 2.0}, "returned set where a list"),
        (iter([1.0, 2.0]), "returned list_iterator where a list"),
        (np.array(1.0), "returned ndarray where a list"),
        ([1.0, b"1"], "returned b'1' where a number or None is due"),
        ([1.0, "0.5"], r"returned '0\.5' where a number or None is due \(prompt 'second'\)"),
        ([1.0, [0.5]], r"returned \[0\.5\] where a number or None is due \(prompt 'second'\)"),
    ],
)
def test_a_wrong_return_value_is_described(returned: object, message: str) -> None:
    def odd(prompts: list[str], completions: list[str]) -> object:
        return returned

    with pytest.raises(RewardError, match=f"reward function odd {message}"):
        RewardFunc("odd", odd)(["first", "second"], ["a", "b"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "returned", [(1, 2), np.array([1.0, 2.0]), torch.tensor([1.0, 2.0])], ids=lambda r: type(r).__name__
)
def test_a_tuple_an_array_and_a_tensor_serve_as_well_as_a_list(returned: object) -> None:
    def rewards(prompts: list[str], completions: list[str]) -> object:
        return returned

    assert RewardFunc("rewards", rewards)(["a", "b"], ["x", "y"]) == [1.0, 2.0]  # type: ignore[arg-type]


def test_any_kind_of_number_is_taken_and_none_and_nan_pass_through() -> None:
    def numbers(prompts: list[str], completions: list[str]) -> list[object]:
        return [True, 2, np.float32(0.5), torch.tensor(0.25), None, math.inf, math.nan]

    *finite, nothing, infinite, not_a_number = RewardFunc("numbers", numbers)(["p"] * 7, ["c"] * 7)  # type: ignore[arg-type]

    assert finite == [1.0, 2.0, 0.5, 0.25]
    assert nothing is None
    assert infinite == math.inf
    assert not_a_number is not None
    assert math.isnan(not_a_number)
