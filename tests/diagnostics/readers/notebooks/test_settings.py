"""Tests of the settings in the code of a notebook."""

import pytest

from diagnostics.readers.notebooks.settings import LONGEST, CodeSettings


def found(*cells: str) -> dict[str, object]:
    code = CodeSettings()
    for cell in cells:
        code.feed(cell)
    return dict(code.found)


def test_the_arguments_of_trls_settings_are_those_of_the_training() -> None:
    code = """%%capture
!pip install trl
from trl import GRPOConfig
args = GRPOConfig(learning_rate=5e-6, max_steps=250, report_to="none", use_vllm=True, beta=-0.5)
"""
    assert found("import torch", code) == {
        "learning_rate": 5e-6,
        "max_steps": 250,
        "report_to": "none",
        "use_vllm": True,
        "beta": -0.5,
    }


def test_names_and_sums_of_cells_before_have_their_values() -> None:
    cells = "max_seq_length = 1024\nprompt = 256", "trl.GRPOConfig(max_completion_length = max_seq_length - prompt)"
    assert found(*cells) == {"max_completion_length": 768}
    weights = "w = 0.5", "GRPOConfig(reward_weights=[1.0, w], logging_steps=1 / 0, seed=unknown, **more)"
    assert found(*weights) == {"reward_weights": [1.0, 0.5]}
    changed = "length = 512", "length = tokenizer.model_max_length", "GRPOConfig(max_completion_length=length)"
    assert found(*changed) == {}


def test_the_newest_settings_count_and_those_of_other_trainers_do_not() -> None:
    assert found("GRPOConfig(max_steps=10)", "SFTConfig(max_steps=50)", "GRPOConfig(max_steps=20)") == {"max_steps": 20}
    assert found("GRPOConfig(max_steps=10)", "args = SFTConfig(max_steps=50)") == {}
    assert found("GRPOConfig(max_steps=10)", "this is no Python") == {"max_steps": 10}


@pytest.mark.parametrize("code", ["(" * 100_000, "-" * 100_000 + "1", "x = 'a' * 10**9", "[" * 9000 + "]" * 9000, "\0"])
def test_hostile_code_says_nothing(code: str) -> None:
    assert found(code, "GRPOConfig(seed=x)") == {}


@pytest.mark.parametrize(
    "between",
    [
        "length *= 2",
        "length, other = 1, 2",
        "for length in range(9): pass",
        "if fast:\n    length = 9",
        "try:\n    length = 9\nexcept ValueError:\n    pass",
        "def train(length): pass",
        "with open(path) as length: pass",
        "del length",
        "length: int = unknown",
    ],
)
def test_a_name_that_may_have_another_value_is_left_out(between: str) -> None:
    assert found("length: int = 512", "GRPOConfig(max_completion_length=length)") == {"max_completion_length": 512}
    assert found("length = 512", between, "GRPOConfig(max_completion_length=length)") == {}


def test_settings_that_are_changed_later_or_are_one_of_several_are_left_out() -> None:
    changed = "args = GRPOConfig(max_steps=10, seed=3)", "args.max_steps = 500"
    assert found(*changed) == {"seed": 3}
    branch = "if fast:\n    args = GRPOConfig(max_steps=10)\nelse:\n    args = GRPOConfig(max_steps=500)"
    assert found(branch) == {}
    assert found("def main():\n    args = GRPOConfig(max_steps=10)\n    GRPOTrainer(args=args)") == {"max_steps": 10}


def test_a_cell_that_is_too_long_says_nothing() -> None:
    assert found("GRPOConfig(seed=1)\n" + "x = 1\n" * (LONGEST // 6)) == {}
