import pytest
import torch
from torch import nn

from tests.trainer.tiny_models import EOS, PAD, SHAPES, grouped_prompts, tiny_model, uniforms
from trainer.algorithms.experience import Tokens
from trainer.decoding import CachedDecoder, bare_model, distinct_prompts
from trainer.rollout.generation import Completions, generate
from trainer.rollout.policy import score_tokens
from trainer.rollout.sampling import Sampling

ROWS = 15


def written_by(name: str, padded: bool) -> tuple[nn.Module, torch.Tensor, torch.Tensor, Completions]:
    model, (ids_BQ, mask_BQ) = tiny_model(name), grouped_prompts(5, 3, padded)
    sampling = Sampling(max_new_tokens=10, eos_ids=(EOS,), pad_id=PAD, decode="generic")
    return model, ids_BQ, mask_BQ, generate(model, ids_BQ, mask_BQ, sampling, uniforms(ROWS))


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("name", SHAPES)
def test_every_architecture_writes_in_a_batch_what_it_thinks_of_each_row_alone(name, padded):
    model, ids_BQ, mask_BQ, written = written_by(name, padded)
    assert written.terminated_B.any()
    for row in range(0, ROWS, 4):
        prompt, completion = ids_BQ[row][mask_BQ[row].bool()], written.ids_BT[row][written.mask_BT[row]]
        with torch.no_grad():
            logits = model(input_ids=torch.cat([prompt, completion]).unsqueeze(0), use_cache=False).logits[0]
        expected = logits[len(prompt) - 1 : -1].log_softmax(1).gather(1, completion.unsqueeze(1)).squeeze(1)
        assert torch.allclose(written.logprobs_BT[row][written.mask_BT[row]], expected, atol=1e-5)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("name", SHAPES)
def test_every_architecture_scores_a_batch_as_it_wrote_it(name, padded):
    model, ids_BQ, mask_BQ, written = written_by(name, padded)
    with torch.no_grad():
        scored = score_tokens(model, Tokens(ids_BQ, mask_BQ, written.ids_BT, written.mask_BT), 1.0)
    assert torch.allclose(scored.logprobs_BT, written.logprobs_BT, atol=1e-5)


def test_a_prompt_of_consecutive_rows_is_read_once():
    model, (ids_BQ, mask_BQ) = tiny_model("gpt2"), grouped_prompts(4, 3, padded=True)
    seen = []
    model.register_forward_pre_hook(lambda _, args, kwargs: seen.append(kwargs["input_ids"].shape), with_kwargs=True)
    with torch.no_grad():
        logits_BV = CachedDecoder(model, 4).read_prompts(ids_BQ, mask_BQ)
    assert seen == [(4, 5)]
    assert len(logits_BV) == 12


def test_prompts_that_differ_in_their_padding_alone_are_two():
    ids_PQ, _, prompt_of_B = distinct_prompts(
        torch.zeros(3, 2, dtype=torch.long), torch.tensor([[1, 1], [0, 1], [0, 1]])
    )
    assert len(ids_PQ) == 2
    assert prompt_of_B.tolist() == [0, 1, 1]


def test_the_bare_model_is_found_inside_a_wrapper():
    model = tiny_model("gpt2")
    assert bare_model(nn.Sequential(model)) is model
