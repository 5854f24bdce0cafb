"""The Launch form's draft: its command starts exactly what the form shows."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from app.launch.draft import Draft, base_values, name_problem, preset_for, preset_label
from diagnostics.runlog import RunLog
from trainer.config.options import ConfigError
from trainer.config.recipes import RECIPES, Recipe
from trainer.launch.arguments import read_plan

GRPO = RECIPES["grpo-addition"]


def draft(root: Path, name: str = "a", recipe: str | None = "grpo-addition", **changes: Any) -> Draft:
    preset = RECIPES[recipe] if recipe else None
    algorithm = preset.algorithm if preset else "grpo"
    return Draft(algorithm, preset, base_values(algorithm, preset) | changes, root, name)


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_command_of_an_untouched_preset_starts_what_the_form_shows(recipe: str, tmp_path: Path) -> None:
    form = draft(tmp_path, recipe=recipe)
    assert form.config == read_plan(form.arguments[1:]).config


def test_every_change_stands_in_the_command_and_nothing_else(tmp_path: Path) -> None:
    form = draft(
        tmp_path, learning_rate="1e-3", seed="7", model_name_or_path="", reward_funcs="addition_accuracy, length"
    )
    expected = ("train", "grpo", "--recipe", "grpo-addition", "--reward_funcs", "addition_accuracy,length")
    assert (*expected, "--learning_rate", "0.001", "--seed", "7") == form.arguments
    assert form.config == read_plan(form.arguments[1:]).config


def test_a_value_set_back_to_empty_is_passed_on(tmp_path: Path) -> None:
    form = draft(tmp_path, recipe="ppo-remarks", stop_token="none")
    assert form.arguments[-2:] == ("--stop_token", "none")
    assert read_plan(form.arguments[1:]).config.stop_token is None


def test_a_training_on_own_data_starts_from_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_text('{"prompt": "1+1="}\n')
    form = draft(tmp_path, recipe=None, dataset=str(tmp_path / "prompts.jsonl"))
    assert form.config == read_plan(form.arguments[1:]).config
    assert form.config.max_new_tokens == 512


def test_without_preset_model_and_dataset_it_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name a model folder or a dataset of your own, or choose a preset"):
        _ = draft(tmp_path, recipe=None).config


def test_a_batch_that_does_not_divide_by_the_group_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the batch of 60 completions .* does not divide by num_generations = 8"):
        _ = draft(tmp_path, per_device_train_batch_size="60", num_generations="8").config


def test_a_folder_that_holds_a_run_is_refused(tmp_path: Path) -> None:
    RunLog(tmp_path / "a").close()
    with pytest.raises(ConfigError, match="already holds a run; choose another run name"):
        _ = draft(tmp_path, name="a").config


def test_the_shown_command_is_one_that_a_shell_reads_back(tmp_path: Path) -> None:
    form = draft(tmp_path / "my runs", name="it's a run", dataset="")
    words = shlex.split(form.command.replace("\\\n", ""))
    assert ["rlvitals", *form.arguments, "--run_dir", str(tmp_path / "my runs" / "it's a run")] == words


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc", "a\nb", "a\0b"])
def test_a_run_name_names_one_folder(name: str) -> None:
    assert "is not the name of a folder" in (name_problem(name) or "")


def test_a_run_name_may_be_in_any_language() -> None:
    assert name_problem("première tentative 第一") is None


def test_changing_the_algorithm_goes_to_its_healthy_demo() -> None:
    assert RECIPES["ppo-remarks"] == preset_for("ppo", GRPO)
    assert preset_for("grpo", GRPO) == GRPO
    assert preset_for("ppo", None) is None


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))
def test_sick_presets_and_only_they_are_labelled_as_such(recipe: Recipe) -> None:
    assert recipe.is_healthy != preset_label(recipe).startswith("Sick on purpose: ")
