"""Checks of number formats, gradients, the optimizer and memory, at their boundaries."""

import pytest

from diagnostics.model.setup import ModelFacts


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({"fp16": True}, "info"),
        ({"fp16": False, "bf16": True}, "quiet"),
        ({"bf16": True, "use_vllm": True}, "info"),
        ({"model_init_kwargs": {"dtype": "torch.float16"}}, "info"),
    ],
)
def test_float16_is_a_note_and_so_is_bfloat16_with_a_rollout_engine(judged, config, word) -> None:
    assert judged("pf-fp16", config, producer="trl").word == word


def test_the_type_that_a_model_was_saved_in_is_not_that_of_the_training(judged) -> None:
    assert judged("pf-fp16", {"model_type": "llama", "dtype": "float16"}, producer="trl").word == "quiet"


@pytest.mark.parametrize(
    ("value", "word"), [(None, "warning"), (0, "warning"), (10, "warning"), (9.9, "quiet"), (1.0, "quiet")]
)
def test_a_gradient_that_is_not_clipped_is_a_warning(judged, value, word) -> None:
    assert judged("pf-grad-clip", {"max_grad_norm": value}).word == word


def test_the_nan_filter_is_a_warning_and_on_by_default(judged) -> None:
    assert judged("pf-nan-filter", {}, producer="trl").word == "warning"
    assert judged("pf-nan-filter", {"logging_nan_inf_filter": False}, producer="trl").word == "quiet"
    assert judged("pf-nan-filter", {}, producer="rlvitals") is None


@pytest.mark.parametrize(("value", "word"), [(1e-5, "quiet"), (0.99e-5, "info")])
def test_the_published_epsilon_of_adam_is_noted(judged, value, word) -> None:
    assert judged("pf-adam-eps", {"adam_epsilon": value}, "ppo").word == word


def test_memory_is_counted_in_trained_and_frozen_parameters(judged) -> None:
    seven = ModelFacts(parameters=7 * 2**30)
    full = {"beta": 0.0}
    assert judged("pf-memory", full, model=seven, device_gib=112.0).word == "quiet"
    assert judged("pf-memory", full, model=seven, device_gib=111.9).word == "warning"
    assert judged("pf-memory", {"beta": 0.04}, model=seven, device_gib=112.0).word == "warning"  # and a reference
    assert judged("pf-memory", {"beta": 0.04, "use_peft": True}, model=seven, device_gib=14.0).word == "quiet"
    assert judged("pf-memory", {}, "ppo", model=seven, device_gib=227.0).word == "warning"


def test_without_the_size_or_the_device_memory_is_not_judged(judged) -> None:
    assert "the model's size" in judged("pf-memory", {}).sentence
    assert "the accelerator's memory" in judged("pf-memory", {}, model=ModelFacts(parameters=1e9)).sentence
