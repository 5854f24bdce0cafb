"""A fix in the notation of the run's producer, as its user would type it."""

import shlex

import pytest

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Fix
from diagnostics.model.settings import Notation
from diagnostics.producers.setting_lookup import settings_of_run
from diagnostics.wording.changes import Change, changes, setting_line

WHY = Message("remedy")


def fix(parameter: str, current: object, suggested: object) -> Fix:
    return Fix(parameter, current, suggested, WHY, "")


@pytest.mark.parametrize(
    ("notation", "line"),
    [
        ("keyword", "learning_rate=1e-06,"),
        ("override", "learning_rate=1e-06"),
        ("flag", "--learning_rate 1e-06"),
        ("dashed-flag", "--learning-rate 1e-06"),
        ("assignment", "learning_rate = 1e-06"),
    ],
)
def test_a_number_is_written_as_each_notation_takes_it(notation: Notation, line: str) -> None:
    assert setting_line("learning_rate", 1e-6, notation) == line


def test_words_switches_and_lists_are_what_the_reader_of_the_notation_expects() -> None:
    assert setting_line("a", True, "keyword") == "a=True,"
    assert setting_line("a", None, "keyword") == "a=None,"
    assert setting_line("a", "eos", "keyword") == "a='eos',"
    assert setting_line("a", True, "override") == "a=true"
    assert setting_line("a", None, "override") == "a=null"
    assert setting_line("a", True, "flag") == "--a true"
    assert setting_line("a", ["x", "y"], "flag") == "--a x,y"


@pytest.mark.parametrize("notation", ["override", "flag", "dashed-flag"])
def test_what_is_copied_into_a_shell_is_one_word_there(notation: Notation) -> None:
    words = shlex.split(setting_line("a", "$(touch x); `y` 'z'", notation))
    assert len(words) == (1 if notation == "override" else 2)


def test_only_fixes_with_a_value_are_changes_and_an_unknown_value_has_no_old_line() -> None:
    found = changes([fix("beta", 0.0, 0.05), fix("", None, None), fix("dataset", "x", None), fix("a", None, 1)], "flag")
    assert found == (Change("--beta 0", "--beta 0.05"), Change("", "--a 1"))


@pytest.mark.parametrize(
    ("producer", "notation"),
    [
        ("trl", "keyword"),
        ("verl", "override"),
        ("openrlhf", "flag"),
        ("slime", "dashed-flag"),
        ("nobody", "assignment"),
    ],
)
def test_a_runs_settings_know_how_they_are_written(producer: str, notation: Notation) -> None:
    assert settings_of_run(producer, "grpo", {}).notation == notation
