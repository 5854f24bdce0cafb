"""Facts read from a model's folder, as transformers writes it."""

import json
from pathlib import Path

import pytest

from diagnostics.configs.config_files import model_facts
from diagnostics.configs.model_folder import facts_of_config, facts_of_folder, size_in_name
from trainer.tasks import TASKS

LLAMA = {
    "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "vocab_size": 128256,
    "intermediate_size": 8192, "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": True,
    "attention_dropout": 0.0, "eos_token_id": [128001, 128009], "pad_token_id": None,
}  # fmt: skip
GPT2 = {
    "model_type": "gpt2", "n_embd": 768, "n_layer": 12, "vocab_size": 50257, "attn_pdrop": 0.1, "summary_first_dropout":
    0.5, "eos_token_id": 50256,
}  # fmt: skip


@pytest.mark.parametrize(("config", "known"), [(LLAMA, 1.236e9), (GPT2, 1.24e8)])
def test_the_size_that_a_configuration_comes_to_is_near_the_published_one(config, known) -> None:
    assert facts_of_config(config).parameters == pytest.approx(known, rel=0.02)


def test_dropout_is_the_policys_own_and_ends_are_all_of_them() -> None:
    assert facts_of_config(GPT2).dropout == 0.1
    assert facts_of_config(LLAMA).dropout == 0.0
    assert facts_of_config(LLAMA).eos_token_ids == (128001, 128009)


def test_arguments_without_a_model_say_nothing() -> None:
    facts = facts_of_config({"learning_rate": 1e-6, "dropout": 0.1})
    assert (facts.parameters, facts.dropout, facts.generation) == (None, None, None)


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_a_demo_model_is_counted_from_its_weights(task) -> None:
    facts = facts_of_folder(task.checkpoint)
    assert 3e5 < facts.parameters < 5e5
    assert facts.generation["top_k"] == 0
    assert (facts.dropout, facts.pad_token_id, facts.eos_token_ids) == (0.0, 0, (1,))


def test_a_folder_without_a_configuration_is_no_model(tmp_path: Path) -> None:
    assert facts_of_folder(tmp_path) is None


def test_broken_weights_leave_the_estimate(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(GPT2))
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    facts = facts_of_folder(tmp_path)
    assert facts.parameters == facts_of_config(GPT2).parameters
    assert facts.generation == {}


@pytest.mark.parametrize("odd", [[8, 12], "many", True, {}, -1, 0, None, 1.5])
def test_odd_values_of_a_logged_configuration_are_no_facts_and_no_error(odd) -> None:
    names = (
        "hidden_size",
        "num_attention_heads",
        "num_key_value_heads",
        "intermediate_size",
        "eos_token_id",
        "dropout",
    )
    for name in (*names, "pad_token_id"):
        facts = facts_of_config({**LLAMA, name: odd})
        assert facts.parameters is None or facts.parameters > 0, name
        assert facts.dropout is None or facts.dropout >= 0, name


def test_a_model_that_is_written_later_is_found(tmp_path: Path) -> None:
    assert facts_of_folder(tmp_path) is None
    (tmp_path / "config.json").write_text(json.dumps(GPT2))
    assert facts_of_folder(tmp_path).dropout == 0.1


@pytest.mark.parametrize("name", ["a\0b", "~nobody-of-that-name/x", "x" * 5000])
def test_a_name_that_is_no_path_is_a_model_that_is_not_here(name: str) -> None:
    assert model_facts("grpo", {"model_name_or_path": name}, "trl").generation is None


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Qwen2.5-0.5B-Instruct", 5e8),
        ("Meta-Llama-3-8b", 8e9),
        ("pythia-410m", 4.1e8),
        ("gpt2", None),
        ("my-4bit-model", None),
        ("step-100", None),
    ],
)
def test_the_size_that_a_name_promises_is_taken_where_nothing_else_is_known(name: str, size: float | None) -> None:
    assert size_in_name(name) == size
    assert model_facts("grpo", {"model_name_or_path": f"somebody/{name}"}, "trl").parameters == size
