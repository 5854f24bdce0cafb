"""Options of the rollout engine: what generates the completions, with which weights, and how the loss allows for it.

The correction's options bear TRL's names although no vLLM runs here: what they do is TRL's to the letter, so that a
configuration, a finding's fix or a habit can be carried over either way; a name without "vllm" would be a second one
for the same thing. `async_staleness` and `rollout_engine` are ours: TRL's nearest, AsyncGRPO's `max_staleness`, bounds
a lag that its queue decides, whereas here the lag is the one that is given.
"""

from dataclasses import dataclass

from diagnostics.told import told
from trainer.config.options import ConfigError, Section, options_under

option = options_under(Section.SAMPLING)
_loss = options_under(Section.LOSS)

ROUNDINGS = ("bfloat16", "float8_e4m3fn")
PROCESSED_LOGPROBS, RAW_LOGPROBS = "processed_logprobs", "raw_logprobs"
CORRECTIONS = ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask")


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """How an engine apart from the trainer runs at a step."""

    staleness: int
    """Versions that its weights are behind the policy's; each step makes one."""
    is_synced: bool
    """Whether it receives the weights after the step."""
    rounding: str | None
    """Precision that its weights are rounded to."""
    logprobs_mode: str
    """Which distribution its log-probabilities are of."""
    returns_ids: bool = True
    """Whether it returns the ids of the tokens that it drew, or their text alone."""


@dataclass(frozen=True, kw_only=True)
class RolloutEngineOptions:
    """The engine that generates, and the importance sampling that corrects for its being apart from the trainer."""

    rollout_engine: str = option(
        "shared",
        "What generates: the policy itself, or a second copy of it that gets the weights after each step.",
        choices=("shared", "separate"),
    )
    async_staleness: int = option(
        0,
        "Generate with weights that are this many steps old, as asynchronous training does; a separate engine keeps a "
        "copy of the weights for each.",
        minimum=0,
        maximum=64,
    )
    rollout_dtype: str | None = option(
        None,
        "Round the weights of a separate engine to this precision, as engines of low precision do; the arithmetic "
        "stays the policy's; empty: do not round.",
        choices=ROUNDINGS,
    )
    logprobs_mode: str = option(
        PROCESSED_LOGPROBS,
        "A separate engine's log-probabilities, as vLLM names them: after temperature and cut-offs, or before.",
        choices=(PROCESSED_LOGPROBS, RAW_LOGPROBS),
    )
    weight_sync: bool = option(
        True, "Give a separate engine the new weights; false: they never arrive and nobody notices, a fault to study."
    )
    return_token_ids: bool = option(
        True,
        "Take the ids of the tokens that a separate engine drew, as with vLLM's option of this name; false: take their "
        "text and tokenise it again, as with a chat endpoint, a fault to study.",
    )
    vllm_importance_sampling_correction: bool = _loss(
        True,
        "Weight the loss by the ratio of the policy's probability of what a separate engine generated to the engine's.",
    )
    vllm_importance_sampling_mode: str = _loss(
        "sequence_mask",
        "A ratio for each token or for the completion, and what happens outside the bounds: cut to them, or set to 0.",
        choices=CORRECTIONS,
    )
    vllm_importance_sampling_clip_max: float | None = _loss(
        3.0, "Upper bound of the correction's ratio; empty: none.", above=0
    )
    vllm_importance_sampling_clip_min: float | None = _loss(
        None, "Lower bound of the correction's ratio; empty: none.", minimum=0
    )

    @property
    def separate_engine(self) -> EngineSettings | None:
        """The engine apart from the trainer; None if the policy itself generates."""
        if self.rollout_engine == "shared":
            return None
        return EngineSettings(
            self.async_staleness, self.weight_sync, self.rollout_dtype, self.logprobs_mode, self.return_token_ids
        )

    def check_engine(self) -> None:
        """Raise ConfigError if an option needs a separate engine, or the correction's bounds are no bounds."""
        if self.rollout_engine == "shared":
            self._check_shared()
        low, high = self.vllm_importance_sampling_clip_min, self.vllm_importance_sampling_clip_max
        if low is not None and high is not None and low >= high:
            raise ConfigError(
                told(
                    "vllm_importance_sampling_clip_min is {low:g}, but must be below "
                    "vllm_importance_sampling_clip_max ({high:g})",
                    low=low,
                    high=high,
                )
            )
        is_truncated = self.vllm_importance_sampling_mode.endswith("_truncate")
        if self.vllm_importance_sampling_correction and is_truncated and low is None and high is None:
            raise ConfigError(
                told(
                    "vllm_importance_sampling_mode is {vllm_importance_sampling_mode}, but there is no bound to cut "
                    "to; set vllm_importance_sampling_clip_max",
                    vllm_importance_sampling_mode=self.vllm_importance_sampling_mode,
                )
            )

    def _check_shared(self) -> None:
        apart = {
            "async_staleness": self.async_staleness != 0,
            "rollout_dtype": self.rollout_dtype is not None,
            "logprobs_mode": self.logprobs_mode != PROCESSED_LOGPROBS,
            "weight_sync": not self.weight_sync,
            "return_token_ids": not self.return_token_ids,
        }
        for name in (name for name, is_set in apart.items() if is_set):
            raise ConfigError(
                told(
                    "{name} is {lower}, but with rollout_engine = shared the policy itself generates; set "
                    "rollout_engine to separate",
                    name=name,
                    lower=str(getattr(self, name)).lower(),
                )
            )
