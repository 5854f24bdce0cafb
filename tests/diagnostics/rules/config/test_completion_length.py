"""Checks of where answers end, of groups and of batches, at their boundaries."""

import pytest

from diagnostics.model.setup import ModelFacts, Probe


@pytest.mark.parametrize(
    ("config", "word", "sentence"),
    [
        ({"missing_eos_penalty": None, "stop_token": "eos"}, "info", "missing_eos_penalty is not set"),
        ({"missing_eos_penalty": 1.0, "stop_token": "eos"}, "quiet", ""),
        ({"missing_eos_penalty": 1.0, "stop_token": None}, "info", "stop_token is not set"),
        ({"non_eos_penalty": True, "stop_token": "eos"}, "quiet", ""),
    ],
)
def test_the_eos_trick_takes_both_halves(judged, config, word, sentence) -> None:
    found = judged("pf-eos-trick", config, "ppo")
    assert found.word == word
    assert sentence in found.sentence


@pytest.mark.parametrize(
    ("token", "ends", "word"), [(2, (1,), "warning"), (1, (1,), "quiet"), (7, (1, 7), "quiet"), (2, (), "skipped")]
)
@pytest.mark.parametrize("algorithm", ["ppo", "grpo"])
def test_a_stop_token_that_is_not_the_models_end_is_a_warning(judged, algorithm, token, ends, word) -> None:
    found = judged("pf-stop-token", {"stop_token_id": token}, algorithm, model=ModelFacts(eos_token_ids=ends))
    assert found.word == word
    assert word != "warning" or found.fix == ("stop_token_id", 1)


def test_without_a_stop_token_of_its_own_the_models_end_counts(judged) -> None:
    assert judged("pf-stop-token", {"stop_token_id": None}, "ppo", model=ModelFacts(eos_token_ids=(1,))) is None
    assert judged("pf-stop-token", {}, "grpo", model=ModelFacts(eos_token_ids=(1,))) is None


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        (ModelFacts(pad_token_id=1, eos_token_ids=(1,)), "warning"),
        (ModelFacts(pad_token_id=1, eos_token_ids=(2, 1)), "warning"),
        (ModelFacts(pad_token_id=0, eos_token_ids=(1,)), "quiet"),
        (ModelFacts(eos_token_ids=(1,)), "skipped"),
    ],
)
def test_padding_that_is_an_end_token_is_a_warning(judged, facts, word) -> None:
    assert judged("pf-pad-eos", {}, "ppo", model=facts).word == word


@pytest.mark.parametrize(
    ("tokens", "data", "word"),
    [(256, "openai/gsm8k", "warning"), (257, "openai/gsm8k", "quiet"), (64, "imdb", "quiet"), (64, None, "skipped")],
)
def test_little_room_is_a_warning_for_data_that_want_reasoning(judged, tokens, data, word) -> None:
    config = {"max_completion_length": tokens, **({"dataset_name": data} if data else {})}
    assert judged("pf-completion-length", config, producer="trl").word == word


def test_until_1_10_the_default_of_trl_was_too_short_for_gsm8k(judged) -> None:
    config = {"dataset_name": "openai/gsm8k"}
    assert judged("pf-completion-length", config, producer="trl", version="1.9.0").word == "warning"
    assert judged("pf-completion-length", config, producer="trl", version="1.10.0").word == "quiet"


@pytest.mark.parametrize(("longer", "word"), [(1, "quiet"), (2, "warning")])
def test_the_limit_must_hold_95_of_100_answers_of_the_untrained_policy(judged, longer, word) -> None:
    probe = Probe((*(100 for _ in range(32 - longer)), *(137 for _ in range(longer))), 400)
    found = judged("pf-completion-length", {"max_completion_length": 100}, probe=probe)
    assert found.word == word
    if word == "warning":
        assert "2 of 32 answers of the untrained policy are longer (95 % have up to 137 tokens)" in found.sentence
        assert found.fix == ("max_completion_length", 140)


def test_answers_that_never_end_want_no_longer_limit(judged) -> None:
    found = judged("pf-completion-length", {"max_completion_length": 100}, probe=Probe((400,) * 32, 400))
    assert (found.word, found.fix) == ("warning", ("max_completion_length", None))
    assert "32 do not end within 400 tokens" in found.sentence


def test_a_probe_counts_more_than_the_name_of_the_data(judged) -> None:
    config = {"max_completion_length": 256, "dataset": "openai/gsm8k"}
    assert judged("pf-completion-length", config).word == "warning"
    assert judged("pf-completion-length", config, probe=Probe((60,) * 32, 1024)).word == "quiet"


@pytest.mark.parametrize(("share", "word"), [(0.01, "quiet"), (0.3, "warning"), (None, "warning")])
def test_what_a_run_has_seen_counts_more_than_the_name_of_its_data(judged, share, word) -> None:
    config = {"max_completion_length": 256, "dataset": "openai/gsm8k"}
    assert judged("pf-completion-length", config, cut_off=share).word == word


@pytest.mark.parametrize(("size", "word"), [(3, "info"), (4, "quiet")])
def test_small_groups_are_noted_with_how_many_of_them_are_dead(judged, size, word) -> None:
    found = judged("pf-group-size", {"num_generations": size})
    assert found.word == word
    if word == "info":
        assert "10 / 50 / 90 % of answers are right, 73 / 25 / 73 % of the groups teach nothing" in found.sentence


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({"num_generations": 1}, "critical"),
        ({"num_generations": 8, "generation_batch_size": 12}, "critical"),
        ({"num_generations": 8, "generation_batch_size": 16}, "quiet"),
        ({"num_generations": 8, "per_device_train_batch_size": 4}, "warning"),  # fine on two processes
        ({"num_generations": 8, "per_device_train_batch_size": 4, "num_processes": 2}, "quiet"),
        ({"num_generations": 8, "per_device_train_batch_size": 4, "num_processes": 1}, "critical"),
        ({"num_generations": 8, "auto_find_batch_size": True}, "critical"),
    ],
)
def test_batches_divide_into_groups(judged, config, word) -> None:
    assert judged("pf-divisible", config, producer="trl").word == word
