"""Fused decoder layers: the same outputs and gradients, falling back to transformers' own when hooks are registered."""

import copy

import pytest
import torch
from torch import nn
from transformers import DynamicCache, PreTrainedModel

from tests.trainer.tiny_models import FUSABLE, SHAPES, VOCABULARY, tiny_model
from trainer.acceleration.layers import decoder_layer
from trainer.acceleration.layers.attention import LONGEST, with_short_attention
from trainer.acceleration.layers.decoder_layer import LeanLayer, outputs_option, with_lean_layers
from trainer.acceleration.layers.linear import with_fast_layers
from trainer.acceleration.layers.mlp import with_lean_mlps


def plain_model(name: str = "llama") -> PreTrainedModel:
    return with_short_attention(with_lean_mlps(with_fast_layers(tiny_model(name))))


def lean_model(name: str = "llama") -> PreTrainedModel:
    return with_lean_layers(plain_model(name))


def texts(length: int = 12) -> torch.Tensor:
    return torch.randint(2, VOCABULARY, (3, length), generator=torch.Generator().manual_seed(1))


PADDED = torch.ones(3, 12, dtype=torch.long).index_put_(
    (torch.tensor([0] * 4 + [2] * 9), torch.tensor([*range(4), *range(9)])), torch.tensor(0)
)
"""Four tokens of padding before the first text, none before the second, nine before the third."""


def logits_and_gradients(model: nn.Module, **inputs: torch.Tensor) -> list[torch.Tensor]:
    logits = model(**{"input_ids": texts(), "use_cache": False, **inputs}).logits[:, 4:]
    weights = torch.rand(logits.shape, generator=torch.Generator().manual_seed(2))
    learnt = [weight for weight in model.parameters() if weight.requires_grad]
    return [logits.detach(), *torch.autograd.grad((logits * weights).sum(), learnt)]


def assert_close(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[torch.Size]:
    """The inputs that a layer has computed by itself."""
    seen: list[torch.Size] = []
    apply = decoder_layer._Layer.apply

    def counted(hidden_BSW: torch.Tensor, *others: object) -> torch.Tensor:
        seen.append(hidden_BSW.shape)
        return apply(hidden_BSW, *others)

    monkeypatch.setattr(decoder_layer._Layer, "apply", counted)
    return seen


@pytest.mark.parametrize("length", [1, 2, 12, LONGEST])
@pytest.mark.parametrize("name", FUSABLE)
def test_logits_and_gradients_are_those_of_the_layers_replaced(name: str, length: int, calls: list[torch.Size]) -> None:
    ids = texts(length)
    weights = torch.rand(ids.shape, generator=torch.Generator().manual_seed(2)).unsqueeze(2)
    found = []
    for model in (lean_model(name), plain_model(name)):
        logits = model(ids, use_cache=False).logits
        found.append([logits.detach(), *torch.autograd.grad((logits * weights).sum(), list(model.parameters()))])
    assert_close(*found)
    assert len(calls) == 2


@pytest.mark.parametrize("count", [1, 5, 12, 40])
@pytest.mark.parametrize("name", FUSABLE)
def test_the_last_layer_computes_the_tokens_that_are_asked_for(name: str, count: int, calls: list[torch.Size]) -> None:
    model, kept, found = lean_model(name), [], []
    model.model.layers[-1].register_forward_hook(lambda layer, inputs, output: kept.append(output.shape[1]))
    for one, option in ((model, outputs_option(model, count)), (plain_model(name), {})):
        logits = one(texts(), use_cache=False, **option).logits[:, -count:]
        weights = torch.rand(logits.shape, generator=torch.Generator().manual_seed(2))
        found.append([logits.detach(), *torch.autograd.grad((logits * weights).sum(), list(one.parameters()))])
    assert_close(*found)
    assert kept == [min(count, 12)]
    assert len(calls) == 2


@pytest.mark.parametrize("name", FUSABLE)
def test_of_padded_texts_too_the_last_layer_computes_the_tokens_that_are_asked_for(
    name: str, calls: list[torch.Size]
) -> None:
    model = lean_model(name)
    expected = plain_model(name)(texts(), attention_mask=PADDED).logits[:, -3:]
    found = model(texts(), attention_mask=PADDED, use_cache=False, **outputs_option(model, 3)).logits
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert len(calls) == 2


def test_asked_for_the_last_tokens_a_layer_that_leaves_the_pass_to_its_class_gives_them_all(
    calls: list[torch.Size],
) -> None:
    found = lean_model()(
        texts(), use_cache=False, **outputs_option(lean_model(), 5), past_key_values=DynamicCache()
    ).logits
    torch.testing.assert_close(found, plain_model()(texts()).logits, rtol=1e-4, atol=1e-5)
    assert calls == []


def test_models_of_other_layers_are_not_asked() -> None:
    assert [outputs_option(plain_model(name), 5) for name in SHAPES] == [{}] * len(SHAPES)


@pytest.mark.parametrize("name", FUSABLE)
def test_positions_of_each_text_are_its_own(name: str, calls: list[torch.Size]) -> None:
    positions = torch.arange(12) + torch.tensor([[0], [3], [1]])
    assert_close(
        logits_and_gradients(lean_model(name), position_ids=positions),
        logits_and_gradients(plain_model(name), position_ids=positions),
    )
    assert len(calls) == 2


def test_no_pass_has_the_positions_of_the_one_before(calls: list[torch.Size]) -> None:
    model, apart = lean_model(), 2 * torch.arange(12).unsqueeze(0)
    whole = {"attention_mask": torch.ones(3, 12), "use_cache": False}  # or positions with gaps would separate the texts
    near, far = (model(texts(), position_ids=places, **whole).logits for places in (apart // 2, apart))
    torch.testing.assert_close(far, plain_model()(texts(), position_ids=apart, **whole).logits, rtol=0, atol=1e-5)
    assert not torch.allclose(near, far, rtol=0, atol=1e-4)
    assert len(calls) == 4


def test_a_pass_without_gradients_says_the_same(calls: list[torch.Size]) -> None:
    with torch.no_grad():
        torch.testing.assert_close(lean_model()(texts(), use_cache=False).logits, plain_model()(texts()).logits)
    assert len(calls) == 2


def test_slopes_are_those_of_numbers(calls: list[torch.Size]) -> None:
    model, width = lean_model(), 1e-2
    weight = model.model.layers[0].self_attn.k_proj.weight

    def total() -> torch.Tensor:
        return (model(texts(), use_cache=False).logits * torch.linspace(-1, 1, VOCABULARY)).sum()

    total().backward()
    slope = weight.grad[1, 2].item()
    with torch.no_grad():
        weight[1, 2] += width
        above = total().item()
        weight[1, 2] -= 2 * width
        below = total().item()
    assert slope == pytest.approx((above - below) / (2 * width), rel=0.02, abs=1e-3)
    assert calls


@pytest.mark.parametrize("name", SHAPES)
def test_a_model_keeps_its_weights_and_their_names(name: str) -> None:
    model = plain_model(name)
    names, pointers = list(model.state_dict()), [weight.data_ptr() for weight in model.parameters()]
    found = with_lean_layers(model)
    assert (list(found.state_dict()), [weight.data_ptr() for weight in found.parameters()]) == (names, pointers)
    assert any(isinstance(module, LeanLayer) for module in found.modules()) == (name in {*FUSABLE, "windowed-mistral"})


def test_layers_are_found_by_the_name_of_their_class_as_fsdp_does() -> None:
    (kind,) = {type(layer) for layer in lean_model().model.layers}
    assert kind.__name__ == "LlamaDecoderLayer"


def test_a_copy_learns_by_itself() -> None:
    model = lean_model()
    twin = copy.deepcopy(model)
    twin(texts(), use_cache=False).logits.sum().backward()
    assert model.model.layers[0].self_attn.q_proj.weight.grad is None
    assert twin.model.layers[0].self_attn.q_proj.weight.grad is not None


@pytest.mark.parametrize("padded", [PADDED, PADDED.flip(1)], ids=["before the texts", "behind them"])
@pytest.mark.parametrize("name", FUSABLE)
def test_padding_is_read_by_nobody(name: str, padded: torch.Tensor, calls: list[torch.Size]) -> None:
    of_tokens = torch.rand(3, 12, 1, generator=torch.Generator().manual_seed(2)) * padded.unsqueeze(2)
    inputs = {"attention_mask": padded, "position_ids": (padded.cumsum(1) - 1).clamp(min=0), "use_cache": False}
    found = []
    for model in (lean_model(name), plain_model(name)):
        logits = model(texts(), **inputs).logits
        gradients = torch.autograd.grad((logits * of_tokens).sum(), list(model.parameters()))
        found.append([logits[padded == 1].detach(), *gradients])
    assert_close(*found)
    assert len(calls) == 2


def test_a_window_is_kept_to(calls: list[torch.Size]) -> None:
    assert_close(
        logits_and_gradients(lean_model("windowed-mistral")), logits_and_gradients(plain_model("windowed-mistral"))
    )
    assert len(calls) == 2


def test_a_mask_of_numbers_is_left_to_transformers(calls: list[torch.Size]) -> None:
    later = torch.full((12, 12), -torch.inf).triu(1).expand(3, 1, -1, -1)
    found, expected = (
        model(texts(), attention_mask=later, use_cache=False).logits for model in (lean_model(), plain_model())
    )
    torch.testing.assert_close(found, expected)
    assert calls == []


def test_a_mask_that_is_no_tensor_is_left_to_transformers(calls: list[torch.Size]) -> None:
    model, heard = lean_model(), []
    model.set_attn_implementation("eager")
    layer, hidden = model.model.layers[0], torch.zeros(1, 4, 16)
    layer.self_attn.register_forward_pre_hook(
        lambda module, inputs, options: heard.append(options["attention_mask"]), with_kwargs=True
    )
    turn = model.model.rotary_emb(hidden, torch.arange(4).unsqueeze(0))
    with pytest.raises(TypeError):
        layer(hidden, position_embeddings=turn, attention_mask="a block mask")
    assert heard == ["a block mask"]
    assert calls == []


def test_keys_and_values_that_are_kept_are_those_of_transformers(calls: list[torch.Size]) -> None:
    model, ids = lean_model(), texts()
    after = model(ids[:, 5:], past_key_values=model(ids[:, :5], use_cache=True).past_key_values).logits
    torch.testing.assert_close(after, plain_model()(ids).logits[:, 5:], rtol=1e-4, atol=1e-5)
    assert calls == []


def test_an_adapter_is_left_to_transformers(calls: list[torch.Size]) -> None:
    peft = pytest.importorskip("peft")
    settings = peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    torch.manual_seed(3)
    one = peft.get_peft_model(lean_model(), settings)
    torch.manual_seed(3)
    assert_close(logits_and_gradients(one), logits_and_gradients(peft.get_peft_model(plain_model(), settings)))
    assert calls == []


@pytest.mark.parametrize("part", ["self_attn", "self_attn.k_proj", "mlp", "mlp.up_proj", "input_layernorm"])
def test_hooks_of_every_part_are_called(part: str) -> None:
    model, heard = lean_model(), []
    model.model.layers[0].get_submodule(part).register_forward_hook(lambda *call: heard.append(call))
    model(texts(), use_cache=False)
    assert len(heard) == 1


def test_frozen_weights_get_no_gradient_and_the_others_do(calls: list[torch.Size]) -> None:
    model = lean_model()
    frozen = model.model.layers[0].mlp.up_proj.weight.requires_grad_(False)
    model(texts(), use_cache=False).logits.sum().backward()
    assert frozen.grad is None
    assert all(weight.grad is not None for weight in model.parameters() if weight is not frozen)
    assert len(calls) == 1


def test_activations_that_are_computed_again_give_the_same_gradients(calls: list[torch.Size]) -> None:
    model = lean_model().train()
    model.gradient_checkpointing_enable({"use_reentrant": False})
    assert_close(logits_and_gradients(model), logits_and_gradients(plain_model()))
    assert len(calls) == 4


def test_autocast_other_precisions_and_a_chosen_attention_are_left_to_transformers(calls: list[torch.Size]) -> None:
    with torch.autocast("cpu", torch.bfloat16):
        assert lean_model()(texts(), use_cache=False).logits.isfinite().all()
    assert lean_model().to(torch.bfloat16)(texts(), use_cache=False).logits.dtype == torch.bfloat16
    eager = with_lean_layers(with_lean_mlps(tiny_model("llama")))
    eager.set_attn_implementation("eager")
    eager(texts(), use_cache=False)
    assert calls == []


def test_attention_that_is_asked_to_look_ahead_is_left_to_transformers(calls: list[torch.Size]) -> None:
    hidden, found = torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(4)), []
    for model in (lean_model(), plain_model()):
        turn = model.model.rotary_emb(hidden, torch.arange(5).unsqueeze(0))
        found.append(model.model.layers[0](hidden, position_embeddings=turn, is_causal=False))
        in_order = model.model.layers[0](hidden, position_embeddings=turn)
    torch.testing.assert_close(*found)
    assert not torch.allclose(in_order, found[0], atol=1e-4)
    assert len(calls) == 1


def test_large_layers_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder_layer, "LARGEST", 10)
    assert not any(isinstance(module, LeanLayer) for module in lean_model().modules())


def test_a_class_of_that_name_in_another_package_is_left_alone() -> None:
    class LlamaDecoderLayer(nn.Module):
        pass

    assert type(with_lean_layers(nn.Sequential(LlamaDecoderLayer()))[0]) is LlamaDecoderLayer
