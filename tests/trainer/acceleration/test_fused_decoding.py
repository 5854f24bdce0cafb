import pytest
import torch

from tests.trainer.tiny_models import EOS, FUSABLE, PAD, SHAPES, grouped_prompts, tiny_model, uniforms
from trainer.acceleration import fused_decoding
from trainer.acceleration.fused_decoding import ROOM, FusedDecoder, is_fusable
from trainer.acceleration.layers.linear import FEWEST_PRODUCTS, SMALLEST_PACKED
from trainer.decoding import CachedDecoder
from trainer.rollout.generation import decoder_for, generate
from trainer.rollout.sampling import Sampling


@torch.no_grad()
def all_logits(decoder: CachedDecoder | FusedDecoder, padded: bool) -> torch.Tensor:
    """Of eight tokens; after the fourth every other row goes."""
    found = [decoder.read_prompts(*grouped_prompts(5, 4, padded))]
    for step in range(8):
        tokens_A = torch.arange(len(found[-1])) * (step + 3) % 10 + 2
        if step == 4:
            kept = torch.arange(0, len(tokens_A), 2)
            assert decoder.keep_rows(kept)
            tokens_A = tokens_A[kept]
        found.append(decoder.next_logits(tokens_A))
    return torch.cat(found)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("name", FUSABLE)
def test_fused_logits_equal_the_models_own(name, padded):
    model = tiny_model(name)
    assert is_fusable(model, 13)
    expected = all_logits(CachedDecoder(model, 8), padded)
    assert torch.allclose(all_logits(FusedDecoder(model, 8), padded), expected, atol=1e-5)


@pytest.mark.parametrize("name", FUSABLE)
def test_large_weights_which_are_packed_give_the_same_logits(name):
    model = tiny_model(name, hidden_size=256, intermediate_size=1024)
    assert model.model.layers[0].mlp.down_proj.weight.numel() >= SMALLEST_PACKED
    expected = all_logits(CachedDecoder(model, FEWEST_PRODUCTS), padded=True)
    assert torch.allclose(all_logits(FusedDecoder(model, FEWEST_PRODUCTS), padded=True), expected, atol=1e-4)


@pytest.mark.parametrize("padded", [False, True])
def test_a_memory_without_gaps_gets_room_when_it_is_full(padded, monkeypatch):
    monkeypatch.setattr(fused_decoding, "NAIVE_BELOW", 1)
    model = tiny_model("llama")
    decoder, longest = FusedDecoder(model, 8), grouped_prompts(5, 4, padded)[0].shape[1]
    assert longest < ROOM < longest + 8 < 2 * ROOM
    assert torch.allclose(all_logits(decoder, padded), all_logits(CachedDecoder(model, 8), padded), atol=1e-5)
    pairs_2NRD = decoder._memory[0].pairs_2NRD
    assert pairs_2NRD.shape[2] == 2 * ROOM
    assert pairs_2NRD.is_contiguous()


@pytest.mark.parametrize("rope", [{"rope_type": "linear", "factor": 2.0}, {"rope_type": "default"}])
def test_the_models_own_rotary_frequencies_are_used(rope):
    model = tiny_model("llama", rope_parameters={"rope_theta": 100.0, **rope})
    expected = all_logits(CachedDecoder(model, 8), padded=True)
    assert torch.allclose(all_logits(FusedDecoder(model, 8), padded=True), expected, atol=1e-5)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("name", FUSABLE)
def test_both_decoders_write_the_same_tokens(name, padded):
    model, prompts = tiny_model(name), grouped_prompts(6, 4, padded)
    options = {"max_new_tokens": 16, "eos_ids": (EOS,), "pad_id": PAD}
    fused, generic = (
        generate(model, *prompts, Sampling(**options, decode=decode), uniforms(24)) for decode in ("auto", "generic")
    )
    assert torch.equal(fused.ids_BT, generic.ids_BT)
    assert torch.allclose(fused.logprobs_BT, generic.logprobs_BT, atol=1e-5)


def test_generic_is_what_one_can_ask_for():
    sampling = Sampling(max_new_tokens=4, eos_ids=(EOS,), pad_id=PAD)
    assert isinstance(decoder_for(tiny_model("llama"), sampling, 5), FusedDecoder)
    generic = Sampling(max_new_tokens=4, eos_ids=(EOS,), pad_id=PAD, decode="generic")
    assert isinstance(decoder_for(tiny_model("llama"), generic, 5), CachedDecoder)


@pytest.mark.parametrize("name", [name for name in SHAPES if name not in FUSABLE])
def test_other_architectures_fall_back(name):
    assert not is_fusable(tiny_model(name), 32)


@pytest.mark.parametrize(
    "changes",
    [
        {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}},
        {"mlp_bias": True},
        {"attention_bias": True},
    ],
)
def test_an_unusual_llama_falls_back(changes):
    assert not is_fusable(tiny_model("llama", **changes), 32)


def test_a_window_matters_only_where_the_text_is_longer():
    model = tiny_model("mistral", sliding_window=8)
    assert is_fusable(model, 8)
    assert not is_fusable(model, 9)


def test_half_precision_falls_back():
    assert not is_fusable(tiny_model("llama").to(torch.bfloat16), 32)
    with torch.autocast("cpu", torch.bfloat16):
        assert not is_fusable(tiny_model("llama"), 32)


def test_a_model_that_somebody_listens_to_falls_back():
    model = tiny_model("llama")
    model.model.layers[0].mlp.register_forward_hook(lambda *_: None)
    assert not is_fusable(model, 32)


def test_an_adapter_falls_back():
    peft = pytest.importorskip("peft")
    adapted = peft.get_peft_model(tiny_model("llama"), peft.LoraConfig(target_modules=["q_proj"]))
    sampling = Sampling(max_new_tokens=4, eos_ids=(EOS,), pad_id=PAD)
    assert isinstance(decoder_for(adapted, sampling, 5), CachedDecoder)
