import abc
import dataclasses
import importlib.util
import json

import pytest

from trainer.config.algorithms import ALGORITHMS, make_config
from trainer.config.options import ConfigError, options_of
from trainer.config.options.completion_groups import CompletionGroupOptions
from trainer.config.recipes import RECIPES, demo_recipe
from trainer.config.training import TrainConfig

REFUSED = [
    ("grpo", {"num_generations": "7"}, "does not divide by num_generations = 7"),
    ("ppo", {"num_mini_batches": "3"}, "does not divide by num_mini_batches = 3"),
    ("grpo", {"max_step": "5"}, "there is no option 'max_step'; did you mean 'max_steps'?"),
    ("grpo", {"cliprange": "0.1"}, "there is no option 'cliprange'"),
    ("grpo", {"learning_rate": "fast"}, "learning_rate must be a number, but is 'fast'"),
    ("grpo", {"learning_rate": "nan"}, "learning_rate must be at least 0, but is nan"),
    ("grpo", {"seed": True}, "seed must be a whole number, but is True"),
    ("grpo", {"max_steps": 2.5}, "max_steps must be a whole number, but is 2.5"),
    ("grop", {}, "must be one of ppo, grpo, rloo, but is 'grop'; did you mean 'grpo'?"),
    ("grpo", {"lora_dropout": "0.1"}, "lora_dropout is 0.1, but has to be 0"),
    ("grpo", {"task": "additon"}, "did you mean 'addition'?"),
    ("grpo", {"temperature": "0"}, "temperature must be above 0, but is 0"),
    ("grpo", {"top_p": "1.5"}, "top_p must be at most 1, but is 1.5"),
    ("grpo", {"model_name_or_path": "./no/model"}, "./no/model, which is not a folder here"),
    ("grpo", {"dataset": "no.jsonl"}, "the dataset no.jsonl is not a file"),
    ("grpo", {"reward_funcs": "length,constant", "reward_weights": "1"}, "1 values for 2 reward_funcs"),
    ("grpo", {"min_new_tokens": "9", "max_completion_length": "8"}, "min_new_tokens is 9"),
    ("ppo", {"missing_eos_penalty": "1", "stop_token": "none"}, "missing_eos_penalty needs stop_token = eos"),
    ("ppo", {"missing_eos_penalty": "1", "non_eos_penalty": "true"}, "give one of the two"),
    ("ppo", {"non_eos_penalty": "true", "stop_token": "none"}, "non_eos_penalty needs stop_token = eos"),
    ("ppo", {"use_score_norm": "true"}, "give use_score_scaling too"),
    ("ppo", {"reward_baseline": "prompt"}, "reward_baseline must be one of none, query"),
    ("grpo", {"eval_strategy": "epoch"}, "eval_strategy must be one of no, steps"),
    ("rloo", {"num_generations": "7"}, "does not divide by num_generations = 7"),
    ("rloo", {"reward_clip_range": "1"}, "reward_clip_range must be two numbers, the lower one first, but is 1.0"),
    ("rloo", {"reward_clip_range": "2,-2"}, "the lower one first, but is 2.0, -2.0"),
    ("rloo", {"scale_rewards": "group"}, "there is no option 'scale_rewards'"),
    ("grpo", {"importance_sampling_level": "seq"}, "importance_sampling_level must be one of token, sequence"),
    ("grpo", {"async_staleness": "2"}, "async_staleness is 2, but with rollout_engine = shared"),
    ("grpo", {"rollout_dtype": "bfloat16"}, "rollout_dtype is bfloat16, but with rollout_engine = shared"),
    ("grpo", {"logprobs_mode": "raw_logprobs"}, "set rollout_engine to separate"),
    ("grpo", {"weight_sync": "false"}, "weight_sync is false, but with rollout_engine = shared"),
    ("grpo", {"async_staleness": "65", "rollout_engine": "separate"}, "async_staleness must be at most 64"),
    ("grpo", {"vllm_importance_sampling_mode": "mask"}, "must be one of token_truncate, token_mask, sequence_truncate"),
    ("grpo", {"vllm_importance_sampling_clip_min": "3"}, "clip_min is 3, but must be below"),
    (
        "grpo",
        {"vllm_importance_sampling_mode": "token_truncate", "vllm_importance_sampling_clip_max": ""},
        "there is no bound to cut to; set vllm_importance_sampling_clip_max",
    ),
    ("rloo", {"rollout_engine": "separate"}, "there is no option 'rollout_engine'"),
    ("dpo", {}, "the algorithm must be one of ppo, grpo, rloo, but is 'dpo'"),
]


@pytest.mark.parametrize(("algorithm", "values", "message"), REFUSED)
def test_what_cannot_be_trained_gets_one_clear_sentence(algorithm, values, message):
    with pytest.raises(ConfigError) as refusal:
        make_config(algorithm, values)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_folder_without_a_model_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(ConfigError, match=r"has no config\.json"):
        make_config("grpo", {"model_name_or_path": str(tmp_path)})


def test_words_of_a_command_line_and_typed_values_give_the_same_configuration():
    words = {"learning_rate": "1e-4", "reward_funcs": "length, constant", "do_sample": "false", "epsilon_high": "none"}
    typed = {"learning_rate": 1e-4, "reward_funcs": ["length", "constant"], "do_sample": False, "epsilon_high": None}
    assert make_config("grpo", words) == make_config("grpo", typed)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
def test_every_recipe_is_a_valid_configuration_and_survives_a_run_file(recipe):
    config = make_config(recipe.algorithm, recipe.values)
    assert make_config(recipe.algorithm, json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_launch_form_gets_about_ten_options_and_every_option_has_a_sentence(algorithm):
    options = options_of(ALGORITHMS[algorithm].config)
    assert 9 <= sum(option.main for option in options) <= 11
    assert all(option.help.endswith(".") for option in options)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_defaults_sample_from_the_policy_itself(algorithm):
    config = make_config(algorithm, {})
    assert (config.top_k, config.top_p, config.min_p) == (0, 1.0, 0.0)
    assert (config.do_sample, config.min_new_tokens, config.repetition_penalty) == (True, 0, 1.0)


def test_total_episodes_decides_the_number_of_ppo_steps():
    config = make_config("ppo", {"total_episodes": 100, "per_device_train_batch_size": 32})
    assert config.total_steps == 4


def test_an_evaluation_of_a_file_needs_an_eval_dataset(tmp_path):
    for name in ("train.jsonl", "eval.jsonl"):
        (tmp_path / name).write_text('{"prompt": "1+1="}\n')
    values = {"dataset": str(tmp_path / "train.jsonl"), "eval_strategy": "steps"}
    with pytest.raises(ConfigError, match="name an eval_dataset"):
        make_config("grpo", values)
    assert make_config("grpo", {**values, "eval_dataset": str(tmp_path / "eval.jsonl")}).has_held_out_prompts


def test_the_defaults_of_rloo_are_trls():
    config = make_config("rloo", {})
    assert (config.num_generations, config.max_completion_length, config.num_iterations) == (2, 512, 1)
    assert (config.beta, config.epsilon, config.upper_epsilon, config.learning_rate) == (0.05, 0.2, 0.2, 1e-6)
    assert (config.normalize_advantages, config.reward_clip_range) == (False, None)


def test_a_clip_range_is_given_as_two_numbers():
    assert make_config("rloo", {"reward_clip_range": "-1, 2.5"}).reward_clip_range == (-1.0, 2.5)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_has_a_loop_and_a_healthy_demo(algorithm):
    row = ALGORITHMS[algorithm]
    assert importlib.util.find_spec(row.loop) is not None
    task = make_config(algorithm, {}).task
    demo = demo_recipe(algorithm, task)
    assert demo is not None
    assert demo.is_healthy


def test_every_group_of_options_stands_alone():
    groups = [base for base in TrainConfig.__bases__ if base is not abc.ABC]
    for group in (*groups, CompletionGroupOptions):
        assert group.__bases__ == (object,)
        assert [option.default for option in options_of(group)] == list(dataclasses.astuple(group()))
