"""Experience: what a rollout provides to learn from, one row per completion.

Axes: B completions, Q prompt tokens (left-padded), T completion tokens (right-padded with 0), M chosen rows, X one
column per token (T) or one per completion (1).
"""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class Tokens:
    """Prompts and their completions."""

    prompt_ids_BQ: Tensor
    prompt_mask_BQ: Tensor
    ids_BT: Tensor
    mask_BT: Tensor
    """bool, True on real tokens, including the end-of-sequence token."""

    def rows(self, index_M: Tensor | slice) -> "Tokens":
        """The chosen completions."""
        return Tokens(
            self.prompt_ids_BQ[index_M], self.prompt_mask_BQ[index_M], self.ids_BT[index_M], self.mask_BT[index_M]
        )


@dataclass(frozen=True, slots=True)
class PPOExperience:
    """What PPO learns from: one advantage and one return for each token."""

    tokens: Tokens
    logprobs_BT: Tensor
    """Under the policy that wrote the completions, in nats."""
    advantages_BT: Tensor
    values_BT: Tensor
    """Estimated at rollout, in units of reward."""
    returns_BT: Tensor
    learned_BT: Tensor
    """bool, True on the tokens that an update learns from: the real tokens of completions with a score."""

    def rows(self, index_M: Tensor) -> "PPOExperience":
        """The chosen completions."""
        return PPOExperience(
            self.tokens.rows(index_M),
            self.logprobs_BT[index_M],
            self.advantages_BT[index_M],
            self.values_BT[index_M],
            self.returns_BT[index_M],
            self.learned_BT[index_M],
        )


@dataclass(frozen=True, slots=True)
class GRPOExperience:
    """What GRPO learns from: all tokens of a completion share its advantage."""

    tokens: Tokens
    logprobs_BT: Tensor
    """Under the policy before the step's updates, in nats."""
    advantages_BT: Tensor
    ref_logprobs_BT: Tensor | None
    """Under the reference; None if the loss has no KL term."""
    importance_weights_BX: Tensor | None = None
    """One per token or completion, for completions that another engine drew; None if nothing is to be corrected."""

    @property
    def learned_BT(self) -> Tensor:
        """The tokens that an update learns from: every real token."""
        return self.tokens.mask_BT

    def rows(self, index_M: Tensor) -> "GRPOExperience":
        """The chosen completions."""
        return GRPOExperience(
            self.tokens.rows(index_M),
            self.logprobs_BT[index_M],
            self.advantages_BT[index_M],
            _rows_of(self.ref_logprobs_BT, index_M),
            _rows_of(self.importance_weights_BX, index_M),
        )


@dataclass(frozen=True, slots=True)
class RLOOExperience:
    """What RLOO learns from: a completion is one action, with one advantage."""

    tokens: Tokens
    logprobs_BT: Tensor
    """Under the policy that wrote the completions, in nats."""
    advantages_B: Tensor

    @property
    def learned_BT(self) -> Tensor:
        """The tokens that an update learns from: every real token."""
        return self.tokens.mask_BT

    def rows(self, index_M: Tensor) -> "RLOOExperience":
        """The chosen completions."""
        return RLOOExperience(self.tokens.rows(index_M), self.logprobs_BT[index_M], self.advantages_B[index_M])


def _rows_of(values_BX: Tensor | None, index_M: Tensor) -> Tensor | None:
    return None if values_BX is None else values_BX[index_M]
