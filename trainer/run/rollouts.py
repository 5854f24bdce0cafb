"""What a step has sampled, before and after it is scored. Axes: B completions, Q prompt tokens, T completion tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from trainer.algorithms.experience import Tokens
from trainer.data.dataset import Row
from trainer.rewards.scoring import Scores
from trainer.rollout.generation import Completions


@dataclass(frozen=True, slots=True)
class Sampled:
    """What was sampled and is not scored yet; `group_size` neighbouring rows share a prompt."""

    rows: Sequence[Row]
    prompt_ids_BQ: Tensor
    prompt_mask_BQ: Tensor
    own_completions: Completions
    """Of this process's share of the rows."""
    group_size: int


@dataclass(frozen=True, slots=True)
class Rollout:
    """The scored completions of a step, of all processes."""

    rows: Sequence[Row]
    tokens: Tokens
    logprobs_BT: Tensor
    """Under the policy that wrote them, in nats."""
    terminated_B: Tensor
    """bool, True where a completion ended itself."""
    responses: Sequence[str]
    scores: Scores
    group_size: int

    @property
    def token_count(self) -> int:
        """Real tokens, prompts included."""
        return int(self.tokens.prompt_mask_BQ.sum() + self.tokens.mask_BT.sum())
