"""Checks of what will be seen of a training, at their boundaries."""

import pytest

from diagnostics.model.setup import ModelFacts


@pytest.mark.parametrize(
    ("config", "version", "word"),
    [
        ({"use_vllm": True, "vllm_importance_sampling_correction": False}, "1.16.0", "warning"),
        ({"use_vllm": True}, "1.16.0", "quiet"),
        ({"use_vllm": False, "vllm_importance_sampling_correction": False}, "1.16.0", "quiet"),
        ({"use_vllm": True}, "0.22.0", "skipped"),  # the argument came with 0.23
        ({"use_vllm": True, "logprobs_mode": "raw_logprobs"}, "1.16.0", "warning"),
        ({"use_vllm": True, "logprobs_mode": "processed_logprobs"}, "1.16.0", "quiet"),
        ({"use_vllm": False, "logprobs_mode": "raw_logprobs"}, "1.16.0", "quiet"),
    ],
)
def test_two_engines_without_a_correction_are_a_warning(judged, config, version, word) -> None:
    assert judged("pf-is-correction", config, producer="trl", version=version).word == word


@pytest.mark.parametrize(
    ("config", "producer", "word"),
    [
        ({"logging_steps": 1, "log_completions": True}, "trl", "quiet"),
        ({"logging_steps": 2, "log_completions": True}, "trl", "warning"),
        ({"logging_steps": 1, "log_completions": False}, "trl", "warning"),
        ({"num_completions_to_log": 1}, "rlvitals", "quiet"),
        ({"num_completions_to_log": 0}, "rlvitals", "warning"),
    ],
)
def test_what_is_averaged_or_not_kept_is_a_warning(judged, config, producer, word) -> None:
    assert judged("pf-logging-steps", config, producer=producer).word == word


@pytest.mark.parametrize(
    ("config", "algorithm", "word"),
    [
        ({"eval_strategy": "steps"}, "ppo", "quiet"),
        ({"eval_strategy": "no", "task": "remarks", "kl_coef": 0.05}, "ppo", "info"),
        ({"eval_strategy": "no", "task": "remarks", "kl_coef": 0.0}, "ppo", "warning"),
        ({"eval_strategy": "no", "task": "addition"}, "grpo", "info"),
        ({"eval_strategy": "steps", "save_strategy": "no"}, "grpo", "warning"),
    ],
)
def test_nothing_held_out_weighs_more_where_a_learned_reward_has_no_kl_penalty(judged, config, algorithm, word) -> None:
    assert judged("pf-eval-missing", config, algorithm).word == word


def test_the_ppo_of_trl_cannot_be_stopped_by_a_callback(judged) -> None:
    assert judged("pf-stop-unsupported", {}, "ppo", "trl").word == "info"
    assert judged("pf-stop-unsupported", {}, "grpo", "trl") is None
    assert judged("pf-stop-unsupported", {}, "ppo", "rlvitals") is None


@pytest.mark.parametrize(("parameters", "word"), [(3e9, "quiet"), (3.1e9, "info"), (None, "skipped")])
def test_a_large_model_is_noted(judged, parameters, word) -> None:
    assert judged("pf-small-first", {}, model=ModelFacts(parameters=parameters)).word == word
