import json
import re

import pytest

from diagnostics.language import language
from diagnostics.told import reason
from trainer.config.algorithms import ALGORITHMS
from trainer.config.fault_values import faulty_config
from trainer.config.options import ConfigError, options_of
from trainer.config.recipes import RECIPES
from trainer.launch.arguments import help_text, read_plan


def test_without_further_words_an_algorithm_trains_its_demo():
    assert read_plan(["grpo"]).config == read_plan(["grpo", "--recipe", "grpo-addition"]).config


def test_a_recipe_names_its_algorithm():
    assert read_plan(["--recipe", "ppo-value-nan"]).algorithm == "ppo"


def test_a_fault_trains_on_its_own_task_unless_a_recipe_or_a_task_is_named():
    fault = ["grpo", "--fault", "completion-limit-too-short"]
    assert read_plan(fault).config.task == "remarks"
    assert read_plan([*fault, "--recipe", "grpo-addition"]).config.task == "addition"
    assert read_plan([*fault, "--task", "addition"]).config.task == "addition"


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


def test_the_batch_counts_the_processes_that_a_launcher_has_started(monkeypatch):
    words = ["grpo", "--num_generations", "16", "--per_device_train_batch_size", "8"]
    with pytest.raises(ConfigError, match="does not divide by num_generations = 16"):
        read_plan(words)
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert read_plan(words).config.batch_size == 16


def test_values_may_be_written_with_equals_with_dashes_and_as_lists():
    config = read_plan(["grpo", "--max-steps=3", "--reward_funcs", "length", "constant"]).config
    assert (config.max_steps, config.reward_funcs) == (3, ("length", "constant"))


def test_a_comma_within_brackets_separates_nothing():
    words = ["grpo", "--reward_funcs", r"regex:\d{1,3},length", "regex:(a,b)"]
    assert read_plan(words).config.reward_funcs == (r"regex:\d{1,3}", "length", "regex:(a,b)")


def test_paths_become_absolute_so_that_they_mean_the_same_from_every_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def reward(completions): ...\n")
    (tmp_path / "rows.csv").write_text("prompt\nhello\n")
    words = ["grpo", "--dataset", "rows.csv", "--eval_dataset", "someone/data", "--reward_funcs", "mine.py:reward"]
    config = read_plan(words).config
    assert (config.dataset, config.eval_dataset) == (str(tmp_path / "rows.csv"), "someone/data")
    assert config.reward_funcs == (f"{tmp_path / 'mine.py'}:reward",)


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
        ([], "name the algorithm to train with: ppo, grpo or rloo"),
        (["dpo"], "must be one of ppo, grpo, rloo"),
        (["grpo", "addition"], "'addition' is unexpected after 'grpo'"),
        (["grpo", "--recipe", "ppo-remarks"], "grpo has no recipe 'ppo-remarks'"),
        (["grpo", "--config", "no.toml"], "the configuration no.toml cannot be read"),
        (["--from", "no/run"], "no/run holds no rlvitals run"),
    ],
)
def test_words_that_describe_no_training_get_one_clear_sentence(words, message):
    with pytest.raises(ConfigError, match=message):
        read_plan(words)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_help_lists_every_option(algorithm):
    written = help_text(algorithm)
    assert all(f"\n  --{option.name} " in written for option in options_of(ALGORITHMS[algorithm].config))


def test_help_lists_every_built_in_reward_as_it_is_written():
    for written in ("keyword:WORD", "length[:NUMBER]", "nan_after:NUMBER", "exact_match\n"):
        assert f"\n  {written}" in help_text("grpo")


def test_a_fault_brings_its_setting_from_the_first_step_on_unless_another_is_named():
    fault = ["grpo", "--fault", "engine-stale", "--fault_step", "9"]
    for words in (fault, [*fault, "--recipe", "grpo-remarks"]):
        config = read_plan(words).config
        assert config.rollout_engine == "separate"
        assert (config.async_staleness, faulty_config(config).async_staleness) == (0, 8)
    named = read_plan([*fault, "--rollout_engine", "shared"]).config
    assert (named.rollout_engine, faulty_config(named).rollout_engine) == ("shared", "separate")
    with pytest.raises(ConfigError, match="the fault engine-stale is not available for ppo on remarks"):
        read_plan(["ppo", *fault[1:]])


def test_help_and_refusals_are_in_the_language_of_the_reader() -> None:
    with language("zh"):
        assert "\n  --epsilon （默认：0.2）\n      概率比的裁剪下界是 1 − 此值。" in help_text("grpo")
        assert not re.search(r"default:|empty|Options of|[a-z]{3,} the ", help_text("ppo"))
        with pytest.raises(ConfigError) as refused:
            read_plan(["grpo", "--max_steps", "few"])
        assert reason(refused.value) == "max_steps 必须是整数，而不是 'few'"
    assert str(refused.value) == "max_steps must be a whole number, but is 'few'"
