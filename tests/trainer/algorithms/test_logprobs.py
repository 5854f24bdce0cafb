import pytest
import torch

from trainer.algorithms import logprobs
from trainer.algorithms.logprobs import token_logprobs, token_logprobs_of_groups

IDS_BT = torch.randint(0, 9, (4, 6), generator=torch.Generator().manual_seed(1))


def logits(dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(4, 6, 9, generator=torch.Generator().manual_seed(0), dtype=dtype).requires_grad_()


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probs_and_entropy_are_those_of_log_softmax(temperature):
    logits_BTV = logits(torch.float32)
    logprobs_BT, entropy_BT = token_logprobs(logits_BTV, IDS_BT, temperature)
    logprobs_BTV = (logits_BTV / temperature).log_softmax(2)
    assert torch.allclose(logprobs_BT, logprobs_BTV.gather(2, IDS_BT.unsqueeze(2)).squeeze(2))
    assert torch.allclose(entropy_BT, torch.distributions.Categorical(logits=logits_BTV / temperature).entropy())
    assert not entropy_BT.requires_grad


def test_a_uniform_policy_has_the_entropy_of_its_vocabulary():
    _, entropy_BT = token_logprobs(torch.zeros(4, 6, 9), IDS_BT, 1.0)
    assert torch.allclose(entropy_BT, torch.tensor(9.0).log())


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_the_gradient_is_the_one_that_torch_derives(temperature):
    logits_BTV, weights_BT = logits(torch.float32), torch.rand(4, 6, generator=torch.Generator().manual_seed(2))
    (logits_BTV / temperature).log_softmax(2).gather(2, IDS_BT.unsqueeze(2)).squeeze(2).mul(weights_BT).sum().backward()
    expected, logits_BTV.grad = logits_BTV.grad, None
    token_logprobs(logits_BTV, IDS_BT, temperature)[0].mul(weights_BT).sum().backward()
    assert torch.allclose(logits_BTV.grad, expected, atol=1e-7)


def test_chunks_of_one_completion_give_the_same(monkeypatch):
    whole, _ = token_logprobs(logits(), IDS_BT, 1.0)
    monkeypatch.setattr(logprobs, "CHUNK_ON_CPU", 1)
    parts, _ = token_logprobs(logits(), IDS_BT, 1.0)
    assert torch.equal(whole, parts)


def test_a_second_backward_pass_is_refused_rather_than_wrong():
    logits_BTV = logits()
    loss = token_logprobs(logits_BTV, IDS_BT, 1.0)[0].sum()
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_bfloat16_logits_get_log_probs_in_float32_and_gradients_in_bfloat16():
    logits_BTV = logits(torch.bfloat16)
    logprobs_BT, entropy_BT = token_logprobs(logits_BTV, IDS_BT, 1.0)
    logprobs_BT.sum().backward()
    assert (logprobs_BT.dtype, entropy_BT.dtype, logits_BTV.grad.dtype) == (
        torch.float32,
        torch.float32,
        torch.bfloat16,
    )


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_first_tokens_of_a_group_come_from_one_row_of_logits(temperature, dtype):
    """Two prompts, three completions of each, four tokens of each completion."""
    rows = torch.randn(1, 2 + 6 * 3, 9, generator=torch.Generator().manual_seed(0)).to(dtype).requires_grad_()
    ids_BT = torch.randint(0, 9, (6, 4), generator=torch.Generator().manual_seed(1))
    ids_BT[1, 0] = ids_BT[0, 0]  # drawn twice: the gradient counts both
    found = token_logprobs_of_groups(rows, ids_BT[:, 0].view(2, 3), ids_BT[:, 1:], temperature)

    first_B1V, others_BTV = rows[0, :2].repeat_interleave(3, 0).unsqueeze(1), rows[0, 2:].view(6, 3, 9)
    expected = token_logprobs(torch.cat([first_B1V, others_BTV], 1), ids_BT, temperature)
    weights_BT = torch.rand(6, 4, generator=torch.Generator().manual_seed(2))
    gradients = [torch.autograd.grad((values[0] * weights_BT).sum(), rows)[0] for values in (found, expected)]
    for one, other in zip((*found, gradients[0]), (*expected, gradients[1]), strict=True):
        torch.testing.assert_close(one, other)
