"""The names of reward functions: their meaning, and the errors for wrong ones."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trainer.config.algorithms import make_config
from trainer.config.built_in_rewards import BUILT_IN
from trainer.config.reward_names import absolute_name
from trainer.rewards import RewardError, get_reward_funcs
from trainer.rewards.catalog import MAKERS

WriteRewards = Callable[[str], Path]


def test_every_built_in_function_says_what_it_rewards() -> None:
    assert all(built_in.summary.endswith(".") for built_in in BUILT_IN.values())


def test_every_built_in_name_has_its_function() -> None:
    assert BUILT_IN.keys() == MAKERS.keys()


def test_a_function_is_named_without_its_number_or_file(write_rewards: WriteRewards) -> None:
    file = write_rewards("def brevity(prompts, completions, **columns):\n    return [0.0] * len(completions)\n")

    funcs = get_reward_funcs(["nan_after:20", "constant", f"{file}:brevity"])

    assert [func.name for func in funcs] == ["nan_after", "constant", "brevity"]


def test_functions_that_are_called_alike_get_different_names(write_rewards: WriteRewards) -> None:
    file = write_rewards("def length(prompts, completions, **columns):\n    return [0.0] * len(completions)\n")

    funcs = get_reward_funcs(["length", "length:5", f"{file}:length"])

    assert [func.name for func in funcs] == ["length", "length_2", "length_3"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("elegance", "unknown reward function 'elegance': the built-in ones are remark_positivity,"),
        ("lenght", "unknown reward function 'lenght'; did you mean 'length'"),
        ("regex:a(b", r"reward function regex: 'a\(b' is not a valid regular expression: missing \), unterminated"),
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


def test_a_configuration_runs_nothing_of_the_user(write_rewards: WriteRewards) -> None:
    file = write_rewards("raise SystemError('must not run')\n")

    config = make_config("grpo", {"reward_funcs": [f"{file}:score", "constant", "nan_after:3"]})

    assert config.with_absolute_paths() == config


def test_a_path_in_a_name_becomes_absolute_and_all_else_stays(
    write_rewards: WriteRewards, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_rewards("def mine(completions): ...\n")
    monkeypatch.chdir(file.parent)
    (file.parent / "judge").mkdir()
    assert absolute_name("my_rewards.py:mine") == f"{file}:mine"
    assert absolute_name("reward_model:judge") == f"reward_model:{file.parent / 'judge'}"
    for name in ("length:5", "reward_model:someone/judge", "regex:a.py"):
        assert absolute_name(name) == name
