"""Generation: the policy samples one completion per prompt, with the log-probability of each token.

Axes: B completions, Q prompt tokens, T completion tokens, A rows still being generated, V vocabulary.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import pad
from transformers import PreTrainedModel

from trainer.acceleration.fused_decoding import FusedDecoder, is_fusable
from trainer.decoding import CachedDecoder, Decoder, bare_model, takes_padding
from trainer.rollout.sampling import Sampling, bent_logits, draw, reported_logits

DROPPED_SHARE = 0.25
"""Finished rows leave the batch once they are this share of it: cutting the cache costs about as much as a token."""


@dataclass(frozen=True, slots=True)
class Completions:
    """Sampled completions; T is the longest length, and each has at least one token."""

    ids_BT: Tensor
    """int64, the pad id after the end."""
    mask_BT: Tensor
    """bool, True on real tokens, including the end-of-sequence token."""
    logprobs_BT: Tensor
    """float32, nats, under the full policy at its own temperature, however the token was drawn, unless
    `Sampling.logprobs_mode` says otherwise; 0 after the end."""
    terminated_B: Tensor
    """bool, True if a completion ended on its own; False if the length limit cut it off."""

    def token_lists(self) -> list[list[int]]:
        """The tokens of each completion, without padding."""
        return [ids[:length] for ids, length in zip(self.ids_BT.tolist(), self.mask_BT.sum(1).tolist(), strict=True)]

    def padded(self, length: int, pad_id: int) -> "Completions":
        """These completions, padded to `length` tokens."""
        missing = (0, length - self.ids_BT.shape[1])
        return Completions(
            pad(self.ids_BT, missing, value=pad_id),
            pad(self.mask_BT, missing, value=False),
            pad(self.logprobs_BT, missing),
            self.terminated_B,
        )

    def trimmed(self) -> "Completions":
        """These completions, trimmed to the longest."""
        longest = int(self.mask_BT.any(0).sum())
        return Completions(
            self.ids_BT[:, :longest], self.mask_BT[:, :longest], self.logprobs_BT[:, :longest], self.terminated_B
        )

    def cut(self, length: int) -> "Completions":
        """What a shorter limit would have left of these completions."""
        return Completions(
            self.ids_BT[:, :length],
            self.mask_BT[:, :length],
            self.logprobs_BT[:, :length],
            self.terminated_B & (self.mask_BT.sum(1) <= length),
        )

    def write_rows(self, rows: Tensor, part: "Completions") -> None:
        """Copy the completions of some rows, which may be shorter, into this batch."""
        length = part.ids_BT.shape[1]
        self.ids_BT[rows, :length], self.mask_BT[rows, :length] = part.ids_BT, part.mask_BT
        self.logprobs_BT[rows, :length], self.terminated_B[rows] = part.logprobs_BT, part.terminated_B


@torch.no_grad()
def generate(
    model: PreTrainedModel,
    prompt_ids_BQ: Tensor,
    prompt_mask_BQ: Tensor,
    sampling: Sampling,
    uniforms_BT: Tensor,
) -> Completions:
    """Sample one completion for each left-padded prompt. Finished rows leave the batch when that pays.

    Log-probabilities are those of the full softmax at `sampling.temperature`, not of the truncated distribution that
    top-k and similar options draw from: PPO's and GRPO's ratio and KL concern the policy being trained.

    Args:
        uniforms_BT: From `draw_uniforms`: each (row, position) token is drawn with the number at that place.
    """
    lengths_B = prompt_mask_BQ.sum(1)
    if not takes_padding(model) and bool((lengths_B != lengths_B[0]).any()):
        return _by_length(model, prompt_ids_BQ, lengths_B, sampling, uniforms_BT)
    longest = int(lengths_B.max())
    prompt_ids_BQ, prompt_mask_BQ = prompt_ids_BQ[:, -longest:], prompt_mask_BQ[:, -longest:]
    transcript = _Transcript.empty(len(prompt_ids_BQ), sampling, prompt_ids_BQ.device)
    uniforms_TA = uniforms_BT.to(prompt_ids_BQ.device).t().contiguous()
    ended_A = torch.zeros(len(prompt_ids_BQ), dtype=torch.bool, device=prompt_ids_BQ.device)
    seen_AV = (
        _tokens_in_prompts(prompt_ids_BQ, prompt_mask_BQ, model.config.vocab_size)
        if sampling.penalises_repetition
        else None
    )

    decoder = decoder_for(model, sampling, longest)
    logits_AV = decoder.read_prompts(prompt_ids_BQ, prompt_mask_BQ)
    for t in range(sampling.max_new_tokens):
        tokens_A, logprobs_A = next_tokens(logits_AV.float(), sampling, t, seen_AV, uniforms_TA[t])
        transcript.add(tokens_A, logprobs_A)
        if t + 1 == sampling.max_new_tokens:
            break
        if seen_AV is not None:
            seen_AV.scatter_(1, tokens_A.unsqueeze(1), True)
        for eos_id in sampling.eos_ids:
            ended_A |= tokens_A == eos_id
        ended = int(ended_A.count_nonzero()) if sampling.eos_ids else 0
        if ended == len(ended_A):
            break
        if ended >= DROPPED_SHARE * len(ended_A):
            kept = (~ended_A).nonzero().squeeze(1)
            if decoder.keep_rows(kept):
                transcript.keep_rows(kept)
                ended_A, tokens_A, uniforms_TA = ended_A[kept], tokens_A[kept], uniforms_TA[:, kept]
                seen_AV = None if seen_AV is None else seen_AV[kept]
        logits_AV = decoder.next_logits(tokens_A)
    return transcript.completions(sampling)


@dataclass(slots=True)
class _Transcript:
    """The tokens so far; they are copied to their rows only when rows leave, since every copy costs a call."""

    ids_TB: Tensor
    logprobs_TB: Tensor
    row_A: Tensor
    """The remaining rows."""
    length: int = 0
    """Tokens per row copied so far."""
    tokens: list[Tensor] = field(default_factory=list)
    """(A,) tokens not copied yet."""
    logprobs: list[Tensor] = field(default_factory=list)

    @classmethod
    def empty(cls, rows: int, sampling: Sampling, device: torch.device) -> "_Transcript":
        """A transcript without tokens, for this many rows."""
        shape = (sampling.max_new_tokens, rows)
        ids_TB = torch.full(shape, sampling.pad_id, device=device)
        return cls(ids_TB, torch.zeros(shape, device=device), torch.arange(rows, device=device))

    def add(self, tokens_A: Tensor, logprobs_A: Tensor) -> None:
        """Add one token for each remaining row."""
        self.tokens.append(tokens_A)
        self.logprobs.append(logprobs_A)

    def keep_rows(self, kept: Tensor) -> None:
        """Drop all rows but these."""
        self._position()
        self.row_A = self.row_A[kept]

    def completions(self, sampling: Sampling) -> Completions:
        """The completions, without any tokens generated after their end."""
        self._position()
        ids_BT, logprobs_BT = self.ids_TB[: self.length].t(), self.logprobs_TB[: self.length].t()
        is_end_BT = torch.isin(ids_BT, torch.tensor(sampling.eos_ids, dtype=torch.long, device=ids_BT.device))
        mask_BT = is_end_BT.cumsum(1) - is_end_BT.long() == 0
        return Completions(
            torch.where(mask_BT, ids_BT, sampling.pad_id),
            mask_BT,
            torch.where(mask_BT, logprobs_BT, 0.0),
            is_end_BT.any(1),
        ).trimmed()

    def _position(self) -> None:
        begin, self.length = self.length, self.length + len(self.tokens)
        for written_TB, added in ((self.ids_TB, self.tokens), (self.logprobs_TB, self.logprobs)):
            written_TB[begin : self.length].index_copy_(1, self.row_A, torch.stack(added))
            added.clear()


def decoder_for(model: PreTrainedModel, sampling: Sampling, prompt_length: int) -> Decoder:
    """The fused decoder if the model allows it and the options do not ask for the generic one, else the generic one."""
    bare = bare_model(model)
    if sampling.decode == "auto" and is_fusable(bare, prompt_length + sampling.max_new_tokens):
        return FusedDecoder(bare, sampling.max_new_tokens)
    return CachedDecoder(bare, sampling.max_new_tokens)


def _by_length(
    model: PreTrainedModel, prompt_ids_BQ: Tensor, lengths_B: Tensor, sampling: Sampling, uniforms_BT: Tensor
) -> Completions:
    """Generate prompts of equal length together, so that none needs padding."""
    written = Completions(
        torch.full(uniforms_BT.shape, sampling.pad_id, device=prompt_ids_BQ.device),
        torch.zeros(uniforms_BT.shape, dtype=torch.bool, device=prompt_ids_BQ.device),
        torch.zeros(uniforms_BT.shape, device=prompt_ids_BQ.device),
        torch.zeros_like(lengths_B, dtype=torch.bool),
    )
    for length in lengths_B.unique().tolist():
        rows = (lengths_B == length).nonzero().squeeze(1)
        ids_NQ = prompt_ids_BQ[rows, -length:]
        part = generate(model, ids_NQ, torch.ones_like(ids_NQ), sampling, uniforms_BT[rows.cpu()])
        written.write_rows(rows, part)
    return written.trimmed()


def next_tokens(
    logits_AV: Tensor, sampling: Sampling, position: int, seen_AV: Tensor | None, uniforms_A: Tensor
) -> tuple[Tensor, Tensor]:
    """(A,) tokens drawn with the sampling options, and their (A,) log-probabilities, of the full policy by default."""
    if sampling.is_the_policy:  # one softmax serves both; a drawn token's probability is positive, so its log is finite
        probs_AV = (logits_AV if sampling.temperature == 1 else logits_AV / sampling.temperature).softmax(1)
        tokens_A = draw(probs_AV, uniforms_A)
        return tokens_A, probs_AV.gather(1, tokens_A.unsqueeze(1)).log().squeeze(1)
    bent_AV = bent_logits(logits_AV, sampling, position, seen_AV)
    tokens_A = draw(bent_AV.softmax(1), uniforms_A) if sampling.do_sample else bent_AV.argmax(1)
    reported_AV = reported_logits(logits_AV, bent_AV, sampling).log_softmax(1)
    return tokens_A, reported_AV.gather(1, tokens_A.unsqueeze(1)).squeeze(1)


def _tokens_in_prompts(ids_BQ: Tensor, mask_BQ: Tensor, vocabulary: int) -> Tensor:
    """(B, V) bool, True for the tokens that occur in each prompt."""
    seen_BV = torch.zeros(len(ids_BQ), vocabulary, dtype=torch.int8, device=ids_BQ.device)
    return seen_BV.scatter_reduce(1, ids_BQ, mask_BQ.to(torch.int8), "amax").bool()
