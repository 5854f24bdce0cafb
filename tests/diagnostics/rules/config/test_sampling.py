"""Checks of how completions are sampled, at their boundaries."""

import pytest

from diagnostics.model.setup import ModelFacts


@pytest.mark.parametrize(
    ("value", "word"), [(1, "warning"), (0, "quiet"), (-1, "quiet"), (None, "quiet"), (50, "warning")]
)
def test_any_cut_to_the_likeliest_tokens_is_a_warning(judged, value, word) -> None:
    assert judged("pf-top-k", {"top_k": value}).word == word


def test_the_fix_is_in_the_programs_own_form(judged) -> None:
    assert judged("pf-top-k", {"top_k": 20}).fix == ("top_k", 0)
    verl = {"actor_rollout_ref": {"rollout": {"top_k": 20}}}
    assert judged("pf-top-k", verl, producer="verl").fix == ("actor_rollout_ref.rollout.top_k", -1)


@pytest.mark.parametrize(
    ("version", "word"), [("0.15.2", "warning"), ("0.16.0", "warning"), ("0.17.0", "warning"), ("0.18.0", "quiet")]
)
def test_trl_had_a_top_k_of_50_until_0_18(judged, version, word) -> None:
    facts = ModelFacts(generation={})  # before 0.16 transformers' own default applies
    assert judged("pf-top-k", {}, producer="trl", version=version, model=facts).word == word


def test_the_models_generation_config_counts_where_trl_leaves_it_the_say(judged) -> None:
    facts = ModelFacts(generation={"top_k": 20, "top_p": 0.8})
    found = judged("pf-top-k", {}, producer="trl", version="0.15.0", model=facts)
    assert (found.word, found.outcome.measured) == ("warning", 20.0)
    assert "(from the model's generation_config.json)" in found.sentence
    assert judged("pf-top-k", {}, producer="trl", version="1.16.0", model=facts).word == "quiet"
    assert judged("pf-top-k", {"top_k": 0}, producer="rlvitals", model=facts).word == "quiet"


def test_what_the_model_decides_is_a_blind_spot_where_its_files_are_missing(judged) -> None:
    found = judged("pf-top-k", {}, producer="trl", version="0.15.0")
    assert found.word == "skipped"
    assert "generation_config.json, which was not found" in found.sentence
    assert "Name the model's folder" in found.enable


def test_sampling_settings_that_transformers_logs_with_the_model_do_not_count(judged) -> None:
    logged = {"model_type": "gpt2", "do_sample": False, "top_k": 50, "temperature": 0.7}
    assert judged("pf-top-k", logged, "ppo", "trl", "0.12.0").word == "quiet"
    assert judged("pf-greedy", logged, "ppo", "trl", "0.12.0").word == "quiet"


def test_generation_kwargs_win_over_the_argument(judged) -> None:
    config = {"top_k": 0, "generation_kwargs": {"top_k": 40}}
    found = judged("pf-top-k", config, producer="trl", version="1.16.0")
    assert found.fix == ("generation_kwargs.top_k", 0)


@pytest.mark.parametrize(("value", "word"), [(0.99, "warning"), (1.0, "quiet"), ("1.0", "quiet")])
def test_a_nucleus_short_of_everything_is_a_warning(judged, value, word) -> None:
    assert judged("pf-top-p", {"top_p": value}).word == word


@pytest.mark.parametrize(("value", "word"), [(0.01, "warning"), (0.0, "quiet"), (None, "quiet")])
def test_a_floor_on_probabilities_is_a_warning(judged, value, word) -> None:
    assert judged("pf-min-p", {"min_p": value}).word == word


@pytest.mark.parametrize(("value", "word"), [(1.1, "warning"), (0.9, "warning"), (1.0, "quiet")])
def test_a_repetition_penalty_either_way_is_a_warning(judged, value, word) -> None:
    assert judged("pf-repetition-penalty", {"repetition_penalty": value}).word == word


@pytest.mark.parametrize(
    ("config", "algorithm", "word"),
    [
        ({"temperature": 0.29}, "grpo", "critical"),
        ({"temperature": 0.3}, "grpo", "quiet"),
        ({"temperature": 0.29}, "ppo", "warning"),
        ({"do_sample": False}, "grpo", "critical"),
        ({"do_sample": False}, "ppo", "warning"),
        ({"do_sample": True}, "grpo", "quiet"),
    ],
)
def test_greedy_sampling_ends_the_learning_of_groups(judged, config, algorithm, word) -> None:
    assert judged("pf-greedy", config, algorithm).word == word


@pytest.mark.parametrize(("value", "word"), [(1.51, "info"), (1.5, "quiet")])
def test_a_high_temperature_is_a_note(judged, value, word) -> None:
    assert judged("pf-temp-high", {"temperature": value}).word == word


@pytest.mark.parametrize(("config", "word"), [({"min_new_tokens": 1}, "warning"), ({"min_new_tokens": 0}, "quiet")])
def test_a_forbidden_end_is_a_warning(judged, config, word) -> None:
    assert judged("pf-min-length", config).word == word


def test_an_end_token_among_the_suppressed_is_a_warning(judged) -> None:
    facts = ModelFacts(eos_token_ids=(2,), generation={"suppress_tokens": [2, 7]})
    found = judged("pf-min-length", {}, producer="trl", version="1.16.0", model=facts)
    assert found.word == "warning"
    assert "no answer can end" in found.sentence


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({"vllm_structured_outputs_regex": "[0-9]+", "beta": 0.04}, "warning"),
        ({"vllm_structured_outputs_regex": "[0-9]+", "beta": 0.0}, "quiet"),
        ({"vllm_structured_outputs_regex": "[0-9]+", "beta": 0.0, "use_vllm": True}, "warning"),
        ({"vllm_structured_outputs_regex": None, "beta": 0.04}, "quiet"),
    ],
)
def test_a_forced_form_is_a_warning_only_where_something_compares_it_with_free_answers(judged, config, word) -> None:
    assert judged("pf-grammar", config, producer="trl", version="1.16.0").word == word
