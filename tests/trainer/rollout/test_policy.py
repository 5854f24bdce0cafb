"""Log-probabilities and other outputs for a completion: against closed forms, and independent of padding."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from transformers import (
    AutoTokenizer,
    GPT2Config,
    GPT2ForTokenClassification,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaForTokenClassification,
    PreTrainedModel,
)

from tests.trainer.operations import Operations
from trainer.algorithms.experience import Tokens
from trainer.algorithms.kl import k1, k3
from trainer.algorithms.losses import TokenAverage, grpo_loss
from trainer.rollout.generation import generate
from trainer.rollout.models import load_policy, load_value_model
from trainer.rollout.policy import encode, estimate_values, score_tokens
from trainer.rollout.sampling import Sampling, draw_uniforms
from trainer.tasks import get_task

VOCABULARY, EOS, PAD = 12, 1, 0
KINDS = ("llama", "gpt2")  # relative and absolute positions
PROMPT_LENGTHS, LENGTHS = (3, 1, 2, 3), (4, 2, 1, 3)


def policy_of(kind: str, seed: int = 0) -> PreTrainedModel:
    """A tiny policy with random weights, large enough for its probabilities to be far from uniform."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(_llama()) if kind == "llama" else GPT2LMHeadModel(_gpt2())
    return _with_sharper_logits(model)


def value_model_of(kind: str) -> PreTrainedModel:
    torch.manual_seed(1)
    model = LlamaForTokenClassification(_llama()) if kind == "llama" else GPT2ForTokenClassification(_gpt2())
    return _with_sharper_logits(model)


def _with_sharper_logits(model: PreTrainedModel) -> PreTrainedModel:
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(10)
    return model.eval()


def _llama() -> LlamaConfig:
    return LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_labels=1,
    )


def _gpt2() -> GPT2Config:
    return GPT2Config(vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=2, n_positions=64, num_labels=1)


def written_tokens() -> Tokens:
    """Four completions of one to four tokens, of prompts of one to three."""
    ids = torch.randint(2, VOCABULARY, (4, 7), generator=torch.Generator().manual_seed(2))
    prompt_mask_BQ = torch.arange(3) >= 3 - torch.tensor(PROMPT_LENGTHS).unsqueeze(1)
    mask_BT = torch.arange(4) < torch.tensor(LENGTHS).unsqueeze(1)
    return Tokens(
        torch.where(prompt_mask_BQ, ids[:, :3], PAD),
        prompt_mask_BQ.long(),
        torch.where(mask_BT, ids[:, 3:], PAD),
        mask_BT,
    )


def with_more_padding(tokens: Tokens, left: int, right: int) -> Tokens:
    """The same tokens with more padding before the prompts and behind the completions."""
    pad = torch.nn.functional.pad
    return Tokens(
        pad(tokens.prompt_ids_BQ, (left, 0), value=PAD),
        pad(tokens.prompt_mask_BQ, (left, 0)),
        pad(tokens.ids_BT, (0, right), value=PAD),
        pad(tokens.mask_BT, (0, right)),
    )


def one_token_each(model: PreTrainedModel) -> Tokens:
    """Every token of the vocabulary as the one-token completion of the same prompt."""
    every_id = torch.arange(VOCABULARY).unsqueeze(1)
    return Tokens(
        torch.tensor([[3, 4]]).expand(VOCABULARY, 2),
        torch.ones(VOCABULARY, 2, dtype=torch.long),
        every_id,
        torch.ones_like(every_id).bool(),
    )


@torch.no_grad()
@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_log_probs_over_the_vocabulary_are_a_distribution_and_its_entropy_is_the_logged_one(temperature):
    scores = score_tokens(policy_of("llama"), one_token_each(policy_of("llama")), temperature)
    probs_V = scores.logprobs_BT.exp()[:, 0]
    assert probs_V.sum().item() == pytest.approx(1, abs=1e-6)
    entropy = -(probs_V * probs_V.log()).sum().item()
    assert scores.entropy_BT[:, 0].tolist() == pytest.approx([entropy] * VOCABULARY, abs=1e-5)
    assert 0.1 < entropy < math.log(VOCABULARY) - 0.1


@torch.no_grad()
def test_the_entropy_of_a_model_without_an_opinion_is_the_logarithm_of_its_vocabulary():
    model = policy_of("llama")
    model.lm_head.weight.zero_()
    scores = score_tokens(model, written_tokens(), 1.0)
    mask_BT = written_tokens().mask_BT
    assert scores.entropy_BT[mask_BT].tolist() == pytest.approx([math.log(VOCABULARY)] * sum(LENGTHS))
    assert scores.logprobs_BT[mask_BT].tolist() == pytest.approx([-math.log(VOCABULARY)] * sum(LENGTHS))


@torch.no_grad()
@pytest.mark.parametrize("estimator", [k1, k3])
def test_the_estimated_kl_of_two_models_is_their_kl_and_not_the_reverse_one(estimator):
    policy, reference = policy_of("llama"), policy_of("llama", seed=7)
    tokens = one_token_each(policy)
    logp_V = score_tokens(policy, tokens, 1.0).logprobs_BT[:, 0]
    logq_V = score_tokens(reference, tokens, 1.0).logprobs_BT[:, 0]
    kl = (logp_V.exp() * (logp_V - logq_V)).sum().item()
    reverse_kl = (logq_V.exp() * (logq_V - logp_V)).sum().item()
    expected = (logp_V.exp() * estimator(logp_V, logq_V)).sum().item()
    assert expected == pytest.approx(kl, rel=1e-4)
    assert expected != pytest.approx(reverse_kl, rel=0.01)
    swapped = (logp_V.exp() * estimator(logq_V, logp_V)).sum().item()
    assert swapped != pytest.approx(kl, rel=0.01)


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("left", "right"), [(5, 0), (0, 6), (3, 2)])
def test_more_padding_on_either_side_changes_no_log_prob_entropy_or_value(kind, left, right):
    policy, value_model, tokens = policy_of(kind), value_model_of(kind), written_tokens()
    plain, wide = score_tokens(policy, tokens, 1.0), score_tokens(policy, with_more_padding(tokens, left, right), 1.0)
    assert (wide.logprobs_BT[:, :4] - plain.logprobs_BT).abs().max().item() < 1e-5
    assert (wide.entropy_BT[:, :4] - plain.entropy_BT).abs().max().item() < 1e-5
    values_BT, wide_BT = (
        estimate_values(value_model, tokens),
        estimate_values(value_model, with_more_padding(tokens, left, right)),
    )
    assert (wide_BT[:, :4] - values_BT).abs().max().item() < 1e-5
    assert not wide_BT[:, 4:].any()


@torch.no_grad()
def test_without_positions_that_count_from_the_first_real_token_padding_would_change_the_log_probs():
    model, tokens = policy_of("gpt2"), written_tokens()
    wide = with_more_padding(tokens, left=5, right=0)
    ids_BS = torch.cat([wide.prompt_ids_BQ, wide.ids_BT], 1)
    mask_BS = torch.cat([wide.prompt_mask_BQ, wide.mask_BT.long()], 1)
    naive_positions_S = torch.arange(ids_BS.shape[1]).expand_as(ids_BS)
    logits_BSV = model(input_ids=ids_BS, attention_mask=mask_BS, position_ids=naive_positions_S).logits
    naive_BT = logits_BSV[:, -5:-1].log_softmax(2).gather(2, wide.ids_BT.unsqueeze(2)).squeeze(2)
    difference_BT = (naive_BT - score_tokens(model, tokens, 1.0).logprobs_BT)[tokens.mask_BT]
    assert difference_BT.abs().max().item() > 0.1


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_a_completion_scores_the_same_alone_and_among_others(kind):
    policy, tokens = policy_of(kind), written_tokens()
    together_BT = score_tokens(policy, tokens, 1.0).logprobs_BT
    for row, length in enumerate(LENGTHS):
        alone = tokens.rows(torch.tensor([row]))
        bare = replace(alone, ids_BT=alone.ids_BT[:, :length], mask_BT=alone.mask_BT[:, :length])
        difference_T = score_tokens(policy, bare, 1.0).logprobs_BT[0] - together_BT[row, :length]
        assert difference_T.abs().max().item() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_prompts_with_more_padding_are_answered_alike(kind):
    policy, tokens = policy_of(kind), written_tokens()
    wide = with_more_padding(tokens, left=5, right=0)
    sampling = Sampling(max_new_tokens=8, eos_ids=(EOS,), pad_id=PAD)
    uniforms_BT = draw_uniforms(4, sampling, torch.Generator().manual_seed(3))
    plain = generate(policy, tokens.prompt_ids_BQ, tokens.prompt_mask_BQ, sampling, uniforms_BT)
    padded = generate(policy, wide.prompt_ids_BQ, wide.prompt_mask_BQ, sampling, uniforms_BT)
    assert padded.ids_BT.tolist() == plain.ids_BT.tolist()
    assert (padded.logprobs_BT - plain.logprobs_BT).abs().max().item() < 1e-5


def test_prompts_are_padded_on_the_left_whatever_the_tokenizer_was_saved_with(demo_tokenizer):
    sides = []
    for side in ("left", "right"):
        demo_tokenizer.padding_side = side
        sides.append(encode(demo_tokenizer, ["1+2=", "11+22="], torch.device("cpu")))
    (ids_BQ, mask_BQ), (same_ids_BQ, same_mask_BQ) = sides
    assert ids_BQ.tolist() == same_ids_BQ.tolist()
    assert mask_BQ.tolist() == same_mask_BQ.tolist() == [[0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]


@pytest.mark.parametrize("loss_type", ["grpo", "bnpo", "dr_grpo", "dapo"])
def test_neither_padding_nor_the_order_within_a_group_changes_the_gradient(loss_type):
    tokens = written_tokens()
    order_B, advantages_B = torch.tensor([1, 0, 3, 2]), torch.tensor([1.0, -1.0, 0.5, -0.5])
    plain_N = gradient(tokens, advantages_B, loss_type)
    moved_N = gradient(tokens.rows(order_B), advantages_B[order_B], loss_type)
    wide_N = gradient(with_more_padding(tokens, left=4, right=3), advantages_B, loss_type)
    wrong_N = gradient(tokens.rows(order_B), advantages_B, loss_type)
    assert largest_difference(moved_N, plain_N) < 1e-5
    assert largest_difference(wide_N, plain_N) < 1e-5
    assert largest_difference(wrong_N, plain_N) > 0.1


def test_the_gradient_of_logits_that_are_as_many_as_asked_for_is_not_copied():
    tokens = written_tokens()
    with Operations() as operations:
        score_tokens(policy_of("llama"), tokens, 1.0).logprobs_BT.sum().backward()
    logits_shape = (*tokens.ids_BT.shape, VOCABULARY)
    assert logits_shape in operations.shapes_of("scatter_add_")  # that gradient itself
    assert logits_shape not in operations.shapes_of("slice_backward")


def test_of_the_last_layer_only_the_completions_are_computed(tmp_path):
    policy_of("llama").save_pretrained(tmp_path)
    padded, computed = written_tokens(), []
    tokens = replace(padded, prompt_mask_BQ=torch.ones_like(padded.prompt_mask_BQ))
    policy, value_model = load_policy(tmp_path), load_value_model(tmp_path)
    for body in (policy.model, value_model.body):
        body.layers[-1].register_forward_hook(lambda layer, inputs, output: computed.append(output.shape[:2]))
    found = score_tokens(policy, tokens, 1.0)
    expected = score_tokens(policy_of("llama"), tokens, 1.0)
    torch.testing.assert_close(found.logprobs_BT, expected.logprobs_BT, rtol=1e-4, atol=1e-5)
    assert estimate_values(value_model, tokens).shape == tokens.ids_BT.shape
    assert computed == [tokens.ids_BT.shape] * 2


def gradient(tokens: Tokens, advantages_B: Tensor, loss_type: str) -> Tensor:
    """The gradient of a GRPO loss with a KL term, over all parameters."""
    policy, reference = policy_of("llama"), policy_of("llama", seed=7)
    with torch.no_grad():
        ref_logprobs_BT = score_tokens(reference, tokens, 1.0).logprobs_BT
    logprobs_BT = score_tokens(policy, tokens, 1.0).logprobs_BT
    out = grpo_loss(
        logprobs_BT,
        logprobs_BT.detach() - 0.1,
        advantages_B.unsqueeze(1).expand_as(logprobs_BT),
        tokens.mask_BT,
        epsilon=0.2,
        epsilon_high=0.2,
        average=TokenAverage(loss_type, 8, completions=4, tokens=sum(LENGTHS)),
        ref_logprobs_BT=ref_logprobs_BT,
        beta=0.1,
    )
    out.loss.backward()
    return torch.cat([parameter.grad.flatten() for parameter in policy.parameters()])


def largest_difference(one_N: Tensor, other_N: Tensor) -> float:
    return float((one_N - other_N).norm() / other_N.norm())


@pytest.fixture
def demo_tokenizer():
    return AutoTokenizer.from_pretrained(get_task("addition").checkpoint)
