import json

import pytest

from trainer.arguments import help_text, read_plan
from trainer.options import ConfigError
from trainer.recipes import RECIPES


def test_without_further_words_an_algorithm_trains_its_demo():
    assert read_plan(["grpo"]).config == read_plan(["grpo", "--recipe", "grpo-addition"]).config


def test_a_recipe_names_its_algorithm():
    assert read_plan(["--recipe", "ppo-value-nan"]).algorithm == "ppo"


def test_words_win_over_the_file_and_the_file_over_the_recipe(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('max_steps = 7\nseed = 7\nreward_funcs = ["length"]\n')
    config = read_plan(["grpo", "--recipe", "grpo-addition", "--config", str(file), "--seed", "9"]).config
    assert (config.max_steps, config.seed, config.reward_funcs) == (7, 9, ("length",))
    assert config.num_generations == RECIPES["grpo-addition"].values["num_generations"]


def test_a_dataset_of_ones_own_starts_from_the_defaults_and_not_from_the_demo(tmp_path):
    dataset = tmp_path / "questions.jsonl"
    dataset.write_text('{"prompt": "1+1="}\n')
    config = read_plan(["grpo", "--dataset", str(dataset)]).config
    assert (config.max_completion_length, config.data_name) == (512, "questions")


def test_values_may_be_written_with_equals_with_dashes_and_as_lists():
    config = read_plan(["grpo", "--max-steps=3", "--reward_funcs", "length", "constant"]).config
    assert (config.max_steps, config.reward_funcs) == (3, ("length", "constant"))


def test_a_relaunch_takes_the_parents_settings_and_changes_some(tmp_path):
    parent = read_plan(["ppo", "--seed", "3"]).config
    (tmp_path / "run.json").write_text(
        json.dumps({"algorithm": "ppo", "config": parent.to_dict(), "run_id": "abc"}), encoding="utf-8"
    )
    plan = read_plan(["--from", str(tmp_path), "--learning_rate", "1e-5"])
    assert (plan.algorithm, plan.parent) == ("ppo", "abc")
    assert plan.config == parent.with_changes({"learning_rate": 1e-5})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name the algorithm to train with: ppo or grpo"),
        (["dpo"], "must be one of ppo, grpo"),
        (["grpo", "addition"], "'addition' is not expected after 'grpo'"),
        (["grpo", "--recipe", "ppo-remarks"], "grpo has no recipe 'ppo-remarks'"),
        (["grpo", "--config", "no.toml"], "the configuration no.toml cannot be read"),
        (["--from", "no/run"], "no/run holds no run of rlvitals"),
    ],
)
def test_words_that_describe_no_training_get_one_clear_sentence(words, message):
    with pytest.raises(ConfigError, match=message):
        read_plan(words)


def test_help_lists_every_option():
    assert "--num_generations" in help_text("grpo")
    assert "--cliprange_value" in help_text("ppo")
