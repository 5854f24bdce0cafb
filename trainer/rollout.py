"""The rollout: one lean decode loop with a key-value cache, for any causal language model of transformers.

Axes: B completions, Q prompt tokens, T completion tokens, A rows still being generated, V vocabulary.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel

from trainer.sampling import Sampling, bent_logits, draw


@dataclass(frozen=True, slots=True)
class Completions:
    """What the policy wrote; T is the longest completion's length, every completion has at least one token."""

    ids_BT: Tensor
    """int64, the pad id after the end."""
    mask_BT: Tensor
    """bool, True on real tokens, the end-of-sequence token included."""
    logprobs_BT: Tensor
    """float32, nats, under the full policy at its own temperature, whatever was drawn from; 0 after the end."""
    terminated_B: Tensor
    """bool, True where a completion ended itself; False where the length limit cut it off."""


@torch.no_grad()
def generate(
    model: PreTrainedModel,
    prompt_ids_BQ: Tensor,
    prompt_mask_BQ: Tensor,
    sampling: Sampling,
    generator: torch.Generator,
) -> Completions:
    """Sample one completion for each prompt (left-padded). Rows that have ended leave the batch, cache included.

    Log-probabilities are those of the full softmax at `sampling.temperature`, not of the truncated distribution that
    top-k and its kin draw from: the ratio and the KL of PPO and GRPO are about the policy that is trained.
    """
    rows, device = len(prompt_ids_BQ), prompt_ids_BQ.device
    ids_BT = torch.full((rows, sampling.max_new_tokens), sampling.pad_id, device=device)
    logprobs_BT = torch.zeros(rows, sampling.max_new_tokens, device=device)
    lengths_B = torch.zeros(rows, dtype=torch.long, device=device)
    terminated_B = torch.zeros(rows, dtype=torch.bool, device=device)
    eos_ids = torch.tensor(sampling.eos_ids, dtype=torch.long, device=device)

    alive_A = torch.arange(rows, device=device)
    attention_AS, is_padded = prompt_mask_BQ, not bool(prompt_mask_BQ.all())
    input_ids, positions = prompt_ids_BQ, prompt_positions(prompt_mask_BQ)
    seen_AV = (
        _seen(prompt_ids_BQ, prompt_mask_BQ, model.config.vocab_size) if sampling.repetition_penalty != 1 else None
    )
    cache = None
    for t in range(sampling.max_new_tokens):
        output = model(
            input_ids=input_ids,
            attention_mask=attention_AS if is_padded else None,  # without padding attention is faster unmasked
            position_ids=positions,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        cache, logits_AV = output.past_key_values, output.logits[:, -1].float()
        tokens_A, token_logprobs_A = next_tokens(logits_AV, sampling, t, seen_AV, generator)
        ids_BT[alive_A, t] = tokens_A
        logprobs_BT[alive_A, t] = token_logprobs_A
        lengths_B[alive_A] = t + 1
        ended_A = torch.isin(tokens_A, eos_ids)
        terminated_B[alive_A] = ended_A
        if bool(ended_A.all()):
            break
        attention_AS = torch.cat([attention_AS, attention_AS.new_ones(len(attention_AS), 1)], 1)
        if seen_AV is not None:
            seen_AV = seen_AV.scatter(1, tokens_A.unsqueeze(1), True)
        if bool(ended_A.any()):
            kept = (~ended_A).nonzero().squeeze(1)
            cache.batch_select_indices(kept)
            alive_A, tokens_A, attention_AS = alive_A[kept], tokens_A[kept], attention_AS[kept]
            seen_AV = seen_AV[kept] if seen_AV is not None else None
        input_ids, positions = tokens_A.unsqueeze(1), attention_AS.sum(1, keepdim=True) - 1

    longest = int(lengths_B.max())
    mask_BT = torch.arange(longest, device=device) < lengths_B.unsqueeze(1)
    return Completions(ids_BT[:, :longest], mask_BT, logprobs_BT[:, :longest], terminated_B)


def next_tokens(
    logits_AV: Tensor, sampling: Sampling, position: int, seen_AV: Tensor | None, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """(A,) tokens drawn as the options say, and their (A,) log-probabilities under the full policy."""
    logprobs_AV = (logits_AV / sampling.temperature).log_softmax(1)
    if sampling.is_the_policy:
        tokens_A = draw(logprobs_AV.exp(), generator)
    else:
        bent_AV = bent_logits(logits_AV, sampling, position, seen_AV)
        tokens_A = draw(bent_AV.softmax(1), generator) if sampling.do_sample else bent_AV.argmax(1)
    return tokens_A, logprobs_AV.gather(1, tokens_A.unsqueeze(1)).squeeze(1)


def prompt_positions(mask_BS: Tensor) -> Tensor:
    """(B, S) position of each token, counted from the first real one; padding stands at 0."""
    return (mask_BS.long().cumsum(1) - 1).clamp(min=0)


def _seen(ids_BQ: Tensor, mask_BQ: Tensor, vocabulary: int) -> Tensor:
    """(B, V) bool, True for the real tokens of each prompt."""
    seen_BV = torch.zeros(len(ids_BQ), vocabulary, dtype=torch.int8, device=ids_BQ.device)
    return seen_BV.scatter_reduce(1, ids_BQ, mask_BQ.to(torch.int8), "amax").bool()
