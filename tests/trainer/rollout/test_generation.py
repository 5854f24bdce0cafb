import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from trainer.algorithms.experience import Tokens
from trainer.rollout.generation import Completions, generate
from trainer.rollout.models import load_policy, load_tokenizer
from trainer.rollout.policy import decode, encode, score_tokens, stop_ids
from trainer.rollout.sampling import Sampling
from trainer.tasks import get_task

VOCABULARY, EOS, PAD = 12, 1, 0


def random_model(kind: str):
    torch.manual_seed(0)
    if kind == "gpt2":
        config = GPT2Config(vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=2, n_positions=64)
        return GPT2LMHeadModel(config).eval()
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2
    )
    return LlamaForCausalLM(config).eval()


def prompts(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Prompts of one to five tokens, padded on the left."""
    ids_BQ = torch.randint(2, VOCABULARY, (rows, 5), generator=torch.Generator().manual_seed(1))
    mask_BQ = torch.arange(5) >= torch.arange(rows).unsqueeze(1) % 5
    return torch.where(mask_BQ, ids_BQ, PAD), mask_BQ.long()


def uniforms(rows: int) -> torch.Tensor:
    return torch.rand(rows, 32, generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
@pytest.mark.parametrize("changes", [{}, {"temperature": 0.7}, {"top_k": 4, "rollout_temperature": 2.0}])
def test_log_probs_kept_from_decoding_equal_a_second_forward_pass(kind, changes):
    model = random_model(kind)
    ids_BQ, mask_BQ = prompts(32)
    sampling = Sampling(max_new_tokens=10, eos_ids=(EOS,), pad_id=PAD, **changes)
    written = generate(model, ids_BQ, mask_BQ, sampling, uniforms(len(ids_BQ)))
    assert written.terminated_B.any()
    assert not written.terminated_B.all()
    tokens = Tokens(ids_BQ, mask_BQ, written.ids_BT, written.mask_BT)
    again = score_tokens(model, tokens, sampling.temperature)
    assert (written.logprobs_BT - again.logprobs_BT).abs().max().item() < 1e-5


def test_greedy_completions_equal_those_of_transformers():
    task = get_task("addition")
    model, tokenizer = load_policy(task.checkpoint), load_tokenizer(task.checkpoint)
    rows = task.prompts("eval")[:16]
    ids_BQ, mask_BQ = encode(tokenizer, [row["prompt"] for row in rows], torch.device("cpu"))
    eos_ids = stop_ids(model, tokenizer)
    sampling = Sampling(task.max_new_tokens, eos_ids, int(tokenizer.pad_token_id), do_sample=False)
    written = generate(model, ids_BQ, mask_BQ, sampling, uniforms(len(ids_BQ)))
    theirs = model.generate(
        input_ids=ids_BQ, attention_mask=mask_BQ, do_sample=False, max_new_tokens=task.max_new_tokens
    )
    expected = tokenizer.batch_decode(theirs[:, ids_BQ.shape[1] :], skip_special_tokens=True)
    assert decode(tokenizer, written.ids_BT, written.mask_BT) == expected


def test_a_completion_ends_with_its_eos_and_nothing_counts_behind_it():
    model = random_model("llama")
    ids_BQ, mask_BQ = prompts(64)
    sampling = Sampling(max_new_tokens=12, eos_ids=(EOS,), pad_id=PAD)
    written = generate(model, ids_BQ, mask_BQ, sampling, uniforms(len(ids_BQ)))
    for ids, mask, terminated in zip(written.ids_BT, written.mask_BT, written.terminated_B, strict=True):
        real = ids[mask].tolist()
        assert (real.count(EOS), real[-1] == EOS) == (int(terminated), bool(terminated))
        assert set(ids[~mask].tolist()) <= {PAD}
    assert (written.logprobs_BT[~written.mask_BT] == 0).all()


def test_min_new_tokens_forbids_an_earlier_end():
    model = random_model("llama")
    ids_BQ, mask_BQ = prompts(64)
    sampling = Sampling(max_new_tokens=12, eos_ids=(EOS,), pad_id=PAD, min_new_tokens=6)
    written = generate(model, ids_BQ, mask_BQ, sampling, uniforms(len(ids_BQ)))
    assert written.mask_BT.sum(1).min().item() == 7  # six tokens, then the end


def test_without_a_stop_token_every_completion_has_full_length():
    model = random_model("llama")
    ids_BQ, mask_BQ = prompts(16)
    sampling = Sampling(max_new_tokens=12, eos_ids=(), pad_id=PAD)
    written = generate(model, ids_BQ, mask_BQ, sampling, uniforms(len(ids_BQ)))
    assert written.mask_BT.all()
    assert (written.ids_BT == EOS).any()
    assert not written.terminated_B.any()


def test_a_model_of_nans_still_writes_and_its_log_probs_are_nan():
    model = random_model("llama")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(float("nan"))
    ids_BQ, mask_BQ = prompts(4)
    sampling = Sampling(max_new_tokens=3, eos_ids=(EOS,), pad_id=PAD)
    written = generate(model, ids_BQ, mask_BQ, sampling, uniforms(len(ids_BQ)))
    assert written.ids_BT.tolist() == [[0, 0, 0]] * 4
    assert written.logprobs_BT.isnan().all()


def test_what_a_row_writes_does_not_depend_on_the_other_rows():
    model = random_model("llama")
    ids_BQ, mask_BQ = prompts(24)
    sampling = Sampling(max_new_tokens=12, eos_ids=(EOS,), pad_id=PAD)
    together = generate(model, ids_BQ, mask_BQ, sampling, uniforms(24))
    for row in (0, 7, 23):
        alone = generate(model, ids_BQ[[row]], mask_BQ[[row]], sampling, uniforms(24)[[row]])
        assert alone.ids_BT[alone.mask_BT].tolist() == together.ids_BT[row][together.mask_BT[row]].tolist()


def test_what_a_row_writes_does_not_depend_on_padding():
    model = random_model("llama")
    ids_BQ, mask_BQ = prompts(24)
    sampling = Sampling(max_new_tokens=12, eos_ids=(EOS,), pad_id=PAD)
    plain = generate(model, ids_BQ, mask_BQ, sampling, uniforms(24))
    padding_BQ = torch.zeros(24, 3, dtype=torch.long)
    wide_ids_BQ, wide_mask_BQ = torch.cat([padding_BQ, ids_BQ], 1), torch.cat([padding_BQ, mask_BQ], 1)
    padded = generate(model, wide_ids_BQ, wide_mask_BQ, sampling, uniforms(24))
    assert torch.equal(plain.ids_BT, padded.ids_BT)


def test_completions_that_were_padded_are_cut_to_what_they_were():
    model, (ids_BQ, mask_BQ) = random_model("llama"), prompts(4)
    sampling = Sampling(max_new_tokens=6, eos_ids=(EOS,), pad_id=PAD)
    written = generate(model, ids_BQ, mask_BQ, sampling, uniforms(4))
    padded = written.padded(32, PAD)
    assert padded.ids_BT.shape == padded.mask_BT.shape == padded.logprobs_BT.shape == (4, 32)
    assert (padded.ids_BT[~padded.mask_BT] == PAD).all()
    for found, expected in zip(fields_of(padded.trimmed()), fields_of(written), strict=True):
        assert torch.equal(found, expected)


def fields_of(written: Completions) -> tuple[torch.Tensor, ...]:
    return written.ids_BT, written.mask_BT, written.logprobs_BT, written.terminated_B
