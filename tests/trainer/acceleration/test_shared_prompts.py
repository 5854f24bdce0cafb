"""Prompts read once per group: the same log-probabilities, entropies and gradients as with a prompt per completion."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from transformers import PreTrainedModel

from tests.trainer.acceleration.parallel.process_group import said_by_the_first
from tests.trainer.tiny_models import FUSABLE, SHAPES, VOCABULARY, grouped_prompts, tiny_model
from trainer.acceleration.layers import decoder_layer
from trainer.acceleration.layers.attention import LONGEST, with_short_attention
from trainer.acceleration.layers.decoder_layer import with_lean_layers
from trainer.acceleration.layers.linear import with_fast_layers
from trainer.acceleration.layers.mlp import with_lean_mlps
from trainer.acceleration.shared_prompts import can_share_prompts
from trainer.algorithms.experience import Tokens
from trainer.rollout.policy import score_tokens

GROUP = 4
SHARABLE = (*FUSABLE, "qwen3")
TOGETHER = """
from torch.nn.parallel import DistributedDataParallel
from tests.trainer.acceleration.test_shared_prompts import GROUP, model_of, tokens_of
from trainer.rollout.policy import score_tokens

tokens = tokens_of(4)
weights = torch.rand(tokens.ids_BT.shape, generator=torch.Generator().manual_seed(2))

def gradients(model, rows, group):
    (score_tokens(model, tokens.rows(rows), 1.0, group).logprobs_BT * weights[rows]).sum().backward()
    return [weight.grad for weight in model.parameters()]

half = slice(rank * 2 * GROUP, (rank + 1) * 2 * GROUP)
together = gradients(DistributedDataParallel(model_of("llama")), half, GROUP)
alone = gradients(model_of("llama"), slice(None), 1)
for mean, of_all in zip(together, alone, strict=True):
    torch.testing.assert_close(mean * processes, of_all, rtol=1e-4, atol=1e-5)
print("equal")
leave()
"""


def model_of(name: str, **changes: object) -> PreTrainedModel:
    """As transformers builds it, but for its attention."""
    return with_short_attention(tiny_model(name, **changes))


def lean_model(name: str) -> PreTrainedModel:
    """As a training loads it."""
    return with_short_attention(with_lean_layers(with_lean_mlps(with_fast_layers(tiny_model(name)))))


def tokens_of(groups: int, padded: bool = False, length: int = 7) -> Tokens:
    """Completions of different lengths after the prompts of as many groups."""
    ids_BQ, mask_BQ = grouped_prompts(groups, GROUP, padded)
    generator = torch.Generator().manual_seed(3)
    ids_BT = torch.randint(2, VOCABULARY, (len(ids_BQ), length), generator=generator)
    mask_BT = torch.arange(length) < torch.randint(1, length + 1, (len(ids_BQ), 1), generator=generator)
    return Tokens(ids_BQ, mask_BQ, torch.where(mask_BT, ids_BT, 0), mask_BT)


def outputs_and_gradients(model: nn.Module, tokens: Tokens, group: int) -> list[torch.Tensor]:
    """A model's outputs for the tokens, and the gradients of a loss of them."""
    scores = score_tokens(model, tokens, 0.7, group)
    weights = torch.rand(scores.logprobs_BT.shape, generator=torch.Generator().manual_seed(2))
    learnt = [weight for weight in model.parameters() if weight.requires_grad]
    return [*scores, *torch.autograd.grad((scores.logprobs_BT * weights).sum(), learnt)]


def assert_same(model: nn.Module, tokens: Tokens) -> None:
    for shared, alone in zip(
        outputs_and_gradients(model, tokens, GROUP), outputs_and_gradients(model, tokens, 1), strict=True
    ):
        assert shared.shape == alone.shape
        assert torch.allclose(shared, alone, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 2, 7, LONGEST], ids=lambda length: f"{length} tokens")
@pytest.mark.parametrize("padded", [False, True], ids=["whole", "padded"])
@pytest.mark.parametrize("make", [model_of, lean_model])
@pytest.mark.parametrize("name", SHARABLE)
def test_log_probabilities_entropies_and_gradients_are_the_same(
    name: str, make: Callable[[str], PreTrainedModel], padded: bool, length: int
) -> None:
    model, tokens = make(name), tokens_of(3, padded, length)
    assert can_share_prompts(model, tokens, GROUP) == (length > 1)
    assert_same(model, tokens)


@pytest.mark.parametrize("make", [model_of, lean_model])
def test_prompts_of_one_token_are_shared(make: Callable[[str], PreTrainedModel]) -> None:
    tokens = tokens_of(3)
    assert_same(
        make("llama"),
        replace(tokens, prompt_ids_BQ=tokens.prompt_ids_BQ[:, -1:], prompt_mask_BQ=tokens.prompt_mask_BQ[:, -1:]),
    )


@pytest.mark.parametrize("padded", [False, True], ids=["whole", "padded"])
def test_what_a_lean_layer_shares_it_computes_itself(padded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model, seen, apply = lean_model("llama"), list[torch.Size](), decoder_layer._Layer.apply
    monkeypatch.setattr(
        decoder_layer._Layer, "apply", lambda hidden, *others: seen.append(hidden.shape) or apply(hidden, *others)
    )
    tokens = tokens_of(3, padded).rows(torch.arange(3 * GROUP - 1, -1, -1))  # the first prompt is padded most
    found, expected = outputs_and_gradients(model, tokens, GROUP), outputs_and_gradients(model_of("llama"), tokens, 1)
    assert seen == [(1, 3 * 5 + 3 * GROUP * 6, 16)] * 2
    for here, there in zip(found, expected, strict=True):
        assert torch.allclose(here, there, rtol=1e-4, atol=1e-5)


def test_of_the_last_layer_only_the_tokens_before_those_of_completions_are_computed() -> None:
    model, kept = lean_model("llama"), list[int]()
    model.model.layers[-1].register_forward_hook(lambda layer, inputs, output: kept.append(output.shape[1]))
    score_tokens(model, tokens_of(3), 1.0, GROUP)
    assert kept == [3 + 3 * GROUP * 6]


def test_an_adapter_learns_the_same() -> None:
    peft = pytest.importorskip("peft")
    settings = peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    model, tokens = peft.get_peft_model(model_of("llama"), settings), tokens_of(2)
    assert can_share_prompts(model, tokens, GROUP)
    assert_same(model, tokens)


def test_with_activations_computed_again_the_same_is_learnt() -> None:
    model, tokens = model_of("llama"), tokens_of(2)
    model.gradient_checkpointing_enable({"use_reentrant": False})
    model.train()
    assert_same(model, tokens)


def test_a_prompt_is_read_once() -> None:
    model, read = model_of("llama"), list[torch.Size]()
    model.model.embed_tokens.register_forward_hook(lambda _, inputs, __: read.append(inputs[0].shape))
    score_tokens(model, tokens_of(3), 1.0, GROUP)
    assert read == [(1, 3 * 5 + 3 * GROUP * 6)]


@pytest.mark.parametrize("rows", [6, 2])
def test_a_pass_that_ends_within_a_group_shares_nothing(rows: int) -> None:
    assert not can_share_prompts(model_of("llama"), tokens_of(2).rows(slice(rows)), GROUP)


@pytest.mark.parametrize("name", [name for name in SHAPES if name not in SHARABLE])
def test_other_architectures_share_nothing(name: str) -> None:
    assert not can_share_prompts(model_of(name), tokens_of(2), GROUP)


def test_with_an_attention_of_its_own_a_model_shares_nothing() -> None:
    assert not can_share_prompts(tiny_model("llama"), tokens_of(2), GROUP)


def test_what_depends_on_more_than_keys_and_values_shares_nothing() -> None:
    rope = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}
    assert not can_share_prompts(model_of("llama", rope_parameters=rope), tokens_of(2), GROUP)
    assert not can_share_prompts(model_of("mistral", sliding_window=11), tokens_of(2), GROUP)
    assert can_share_prompts(model_of("mistral", sliding_window=12), tokens_of(2), GROUP)


def test_a_model_in_a_wrapper_that_is_not_known_is_read_as_it_was() -> None:
    assert not can_share_prompts(nn.Sequential(model_of("llama")), tokens_of(2), GROUP)


@pytest.mark.process
def test_processes_that_share_prompts_learn_what_one_without_learns(tmp_path: Path) -> None:
    assert said_by_the_first(TOGETHER, tmp_path) == "equal"
