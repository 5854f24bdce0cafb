import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedModel

from tests.trainer.tiny_models import SHAPES, VOCABULARY, tiny_model
from trainer.acceleration.layers.attention import (
    LONGEST,
    NAME,
    WIDEST,
    WIDEST_IN_ALL,
    _prompts_mask,
    with_room,
    with_short_attention,
)
from trainer.acceleration.packing import Packing
from trainer.rollout.models import Checkpoint, load_policy


def llama(key_heads: int = 4, width: int = 48, heads: int = 4) -> PreTrainedModel:
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=width,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=heads,
        num_key_value_heads=key_heads,
        vocab_size=50,
    )
    return LlamaForCausalLM(config).eval()


def texts(length: int) -> torch.Tensor:
    return torch.randint(50, (3, length), generator=torch.Generator().manual_seed(1))


def logits_and_gradients(model: PreTrainedModel, **inputs: torch.Tensor) -> list[torch.Tensor]:
    logits = model(**inputs).logits[:, 4:]
    weights = torch.rand(logits.shape, generator=torch.Generator().manual_seed(2))
    return [logits.detach(), *torch.autograd.grad((logits * weights).sum(), list(model.parameters()))]


def assert_close(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5 + 1e-6 * float(other.abs().max()))


@pytest.fixture
def kernel_calls(monkeypatch) -> list[int]:
    """The length of each text that torch's kernel has attended to, as transformers calls it."""
    calls: list[int] = []

    def counted(query, *values, **options):
        calls.append(query.shape[2])
        return scaled_dot_product_attention(query, *values, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", counted)
    return calls


@pytest.mark.parametrize("length", [LONGEST, LONGEST - 1, 9], ids=["all places", "all but one", "few"])
@pytest.mark.parametrize("key_heads", [4, 2, 1])
def test_logits_and_gradients_of_short_texts_are_those_of_the_kernel(key_heads, length, kernel_calls):
    expected = logits_and_gradients(llama(key_heads), input_ids=texts(length))
    kernel_calls.clear()
    assert_close(logits_and_gradients(with_short_attention(llama(key_heads)), input_ids=texts(length)), expected)
    assert kernel_calls == []


@pytest.mark.parametrize(
    ("length", "room"), [(1, 16), (15, 16), (16, 16), (17, 17), (33, 33), (38, 38), (39, 40), (40, 40)]
)
def test_keys_get_room_for_a_whole_step_where_one_is_missing_and_for_sixteen_at_least(length, room):
    padded = with_room(torch.ones(2, 3, length, 4))
    assert padded.shape == (2, 3, room, 4)
    assert padded.sum() == 2 * 3 * length * 4


@pytest.mark.parametrize("name", SHAPES)
def test_every_architecture_says_what_it_said(name):
    ids = torch.randint(2, VOCABULARY, (3, 12), generator=torch.Generator().manual_seed(1))
    assert torch.allclose(with_short_attention(tiny_model(name))(ids).logits, tiny_model(name)(ids).logits, atol=1e-5)


def test_a_longer_text_is_left_to_the_kernel(kernel_calls):
    with_short_attention(llama())(texts(LONGEST + 1))
    assert kernel_calls == [LONGEST + 1] * 2


def test_larger_heads_are_left_to_the_kernel(kernel_calls):
    with_short_attention(llama(width=4 * WIDEST))(texts(8))
    assert kernel_calls == []
    with_short_attention(llama(width=4 * WIDEST + 8))(texts(8))
    assert kernel_calls == [8] * 2


def test_more_heads_are_left_to_the_kernel(kernel_calls):
    with_short_attention(llama(key_heads=2, width=WIDEST_IN_ALL, heads=8))(texts(8))
    assert kernel_calls == []
    with_short_attention(llama(key_heads=2, width=WIDEST_IN_ALL + 16, heads=8))(texts(8))
    assert kernel_calls == [8] * 2


def test_padding_is_left_to_the_kernel_and_not_read(kernel_calls):
    mask = torch.ones(3, 12, dtype=torch.long)
    mask[0, :4] = 0
    padded = {"input_ids": texts(12), "attention_mask": mask}
    expected = logits_and_gradients(llama(), **padded)
    kernel_calls.clear()
    assert_close(logits_and_gradients(with_short_attention(llama()), **padded), expected)
    assert kernel_calls == [12] * 2


def test_a_pass_of_one_padded_text_is_left_to_the_kernel(kernel_calls):
    mask = torch.ones(1, 12, dtype=torch.long)
    mask[0, :4] = 0
    padded = {"input_ids": texts(12)[:1], "attention_mask": mask}
    expected = logits_and_gradients(llama(), **padded)
    kernel_calls.clear()
    assert_close(logits_and_gradients(with_short_attention(llama()), **padded), expected)
    assert kernel_calls == [12] * 2


@pytest.mark.parametrize("key_heads", [4, 2, 1])
@pytest.mark.parametrize("rows", [1, 3])
def test_what_is_read_after_keys_and_values_is_the_same(rows, key_heads, kernel_calls):
    model, ids = with_short_attention(llama(key_heads)), texts(12)[:rows]
    after = model(ids[:, 5:], past_key_values=model(ids[:, :5], use_cache=True).past_key_values).logits
    assert kernel_calls == []
    assert torch.allclose(after, llama(key_heads)(ids).logits[:, 5:], atol=1e-5)


def test_what_is_generated_with_a_cache_is_the_same():
    ids = texts(6)
    options = {"attention_mask": torch.ones_like(ids), "max_new_tokens": 8, "do_sample": False, "pad_token_id": 0}
    assert with_short_attention(llama()).generate(ids, **options).equal(llama().generate(ids, **options))


def test_autocast_is_left_to_the_kernel(kernel_calls):
    with torch.autocast("cpu", torch.bfloat16):
        with_short_attention(llama())(texts(8))
    assert kernel_calls == [8] * 2


def test_a_model_is_loaded_with_it_unless_the_user_chose_another_one(tmp_path):
    llama().save_pretrained(tmp_path)
    chosen = load_policy(Checkpoint(str(tmp_path), attn_implementation="eager"))
    assert load_policy(tmp_path).config._attn_implementation == NAME
    assert chosen.config._attn_implementation == "eager"


def test_it_is_not_saved_with_the_model(tmp_path):
    with_short_attention(llama()).save_pretrained(tmp_path)
    assert AutoModelForCausalLM.from_pretrained(tmp_path).config._attn_implementation == "sdpa"
    assert NAME not in (tmp_path / "config.json").read_text("utf-8")


def test_in_a_packed_row_padding_reads_itself_since_reading_nothing_is_not_a_number_to_every_kernel():
    mask_PQ = torch.tensor([[False, False, True], [True, True, True]])
    seen_P1QQ = _prompts_mask(Packing(prompts=2, prompt_length=3, group=2, length=4, mask_PQ=mask_PQ))
    assert seen_P1QQ[0, 0].int().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert seen_P1QQ[1, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
