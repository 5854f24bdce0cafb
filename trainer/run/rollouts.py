"""A step's samples, before and after scoring. Axes: B completions, Q prompt tokens, T completion tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainer.acceleration.parallel.processes import Processes
from trainer.algorithms.experience import Tokens
from trainer.data.dataset import Row
from trainer.rewards.call_context import Notes, joined_notes
from trainer.rewards.scoring import Scores
from trainer.rollout.generation import Completions
from trainer.rollout.sampling import Sampling


@dataclass(frozen=True, slots=True)
class FromEngine:
    """What an engine apart from the trainer says about the completions that it generated."""

    logprobs_BT: Tensor
    """Of their tokens, in nats, as the engine reports them."""
    staleness: int
    """Versions that the engine's weights were behind the policy's; each step makes one."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Samples that are not scored yet; each `group_size` consecutive rows share a prompt."""

    rows: Sequence[Row]
    prompt_ids_BQ: Tensor
    prompt_mask_BQ: Tensor
    own_completions: Completions
    """Completions of this process's share of the rows."""
    group_size: int


@dataclass(frozen=True, slots=True)
class Rollout:
    """A step's scored completions from all processes."""

    rows: Sequence[Row]
    tokens: Tokens
    logprobs_BT: Tensor
    """Under the policy that generated them, in nats."""
    terminated_B: Tensor
    """bool, True if a completion ended on its own."""
    responses: Sequence[str]
    scores: Scores
    group_size: int
    from_engine: FromEngine | None = None
    """Only of an engine apart from the trainer; `logprobs_BT` are then those of the policy that is trained."""

    @property
    def token_count(self) -> int:
        """Real tokens, prompts included."""
        return int(self.tokens.prompt_mask_BQ.sum() + self.tokens.mask_BT.sum())


def gather_rollout(
    processes: Processes, own: Completions, scores: Scores, sampling: Sampling
) -> tuple[Completions, Scores]:
    """The completions and rewards of all rows, from each process's share."""
    if processes.count == 1:
        return own, scores
    own = own.padded(
        sampling.max_new_tokens, sampling.pad_id
    )  # the same shape on all processes, without exchanging lengths
    ids_BT, mask_BT, logprobs_BT, terminated_B, rewards_BF, given_BF, noted_P = processes.gather_together(
        own.ids_BT,
        own.mask_BT,
        own.logprobs_BT,
        own.terminated_B,
        scores.rewards_FB.t(),
        scores.given_FB.t(),
        torch.tensor([bool(scores.notes)]),
    )
    notes = joined_notes(processes.gather_objects(scores.notes), len(own.ids_BT)) if noted_P.any() else Notes()
    completions = Completions(ids_BT, mask_BT, logprobs_BT, terminated_B).trimmed()
    return completions, Scores(scores.names, rewards_BF.t(), given_BF.t(), scores.weights_F, notes)
