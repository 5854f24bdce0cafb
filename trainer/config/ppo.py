"""The configuration of PPO. Imports no torch."""

import math
from dataclasses import dataclass
from typing import ClassVar

from diagnostics.told import told
from trainer.config.options import ConfigError, Section, options_under, redefined_option
from trainer.config.training import TrainConfig

_sampling, _rewards = options_under(Section.SAMPLING), options_under(Section.REWARDS)
_loss, _optimizer = options_under(Section.LOSS), options_under(Section.OPTIMIZER)


@dataclass(frozen=True, kw_only=True)
class PPOConfig(TrainConfig):
    """PPO as in InstructGPT: a value model, a KL penalty at each token, clipped updates."""

    algorithm: ClassVar[str] = "ppo"

    learning_rate: float = redefined_option(TrainConfig, "learning_rate", 3e-6)
    total_episodes: int | None = _optimizer(
        None, "Completions to train on in all; when given it decides the number of steps.", minimum=1
    )
    response_length: int = _sampling(53, "Longest response, in tokens.", minimum=1, main=True)
    stop_token: str | None = _sampling(
        "eos",
        "End a response at its first end-of-sequence token; none: always response_length tokens.",
        choices=("eos",),
    )
    missing_eos_penalty: float | None = _rewards(
        None, "Subtracted from the score of a response that did not end: the EOS trick.", minimum=0
    )
    non_eos_penalty: bool = _rewards(
        False, "The EOS trick's older form: a response that did not end scores penalty_reward_value instead."
    )
    penalty_reward_value: float = _rewards(-1.0, "The score of a response that did not end, with non_eos_penalty.")
    reward_baseline: str = _rewards(
        "none",
        "query: subtract the score that the query gets without a response, for rewards that the query dominates.",
        choices=("none", "query"),
    )
    use_score_scaling: bool = _rewards(False, "Divide the scores by the deviation of all scores so far.")
    use_score_norm: bool = _rewards(False, "With use_score_scaling: subtract the mean of all scores so far first.")
    score_clip: float | None = _rewards(None, "Scores are clipped to ± this; empty: no limit.", above=0)
    num_ppo_epochs: int = _optimizer(4, "Passes over the episodes of a step.", minimum=1)
    num_mini_batches: int = _optimizer(1, "Updates per pass: the episodes are split into this many.", minimum=1)
    kl_coef: float = _loss(
        0.05, "Weight of the KL penalty that holds the policy near the reference.", minimum=0, main=True
    )
    adap_kl_ctrl: bool = _loss(False, "Adapt the KL coefficient so that the KL stays near the target.")
    init_kl_coef: float | None = _loss(None, "Initial value of the adaptive coefficient; empty: kl_coef.", above=0)
    target: float = _loss(6.0, "KL per sequence (nats) that the adaptive coefficient aims at.", above=0)
    horizon: int = _loss(10000, "Episodes over which the adaptive coefficient changes by a fifth at most.", minimum=1)
    kl_estimator: str = _loss(
        "k1",
        "Estimator of the KL at a token: k1 is unbiased and can be negative, k3 is never negative.",
        choices=("k1", "k3"),
    )
    early_stopping: bool = _loss(
        False, "End the updates of a step after a pass that moved the policy by more than 1.5 × target_kl."
    )
    target_kl: float = _loss(1.0, "For early_stopping: KL to the policy before the step, nats per token.", above=0)
    cliprange: float = _loss(0.2, "An update counts only while the probability ratio is within 1 ± this.", above=0)
    cliprange_value: float = _loss(0.2, "A value may move by this much in one step.", above=0)
    vf_coef: float = _loss(0.1, "Weight of the value loss.", minimum=0)
    value_learning_rate: float | None = _optimizer(
        None, "Step size of the value model; empty: learning_rate.", minimum=0
    )
    gamma: float = _rewards(1.0, "Discount of later rewards.", minimum=0, maximum=1)
    lam: float = _rewards(
        0.95, "λ of generalised advantage estimation: 0 trusts the values, 1 the rewards.", minimum=0, maximum=1
    )
    whiten_rewards: bool = _rewards(False, "Scale the rewards of a step to a standard deviation of 1.")

    @property
    def total_steps(self) -> int:
        return math.ceil(self.total_episodes / self.batch_size) if self.total_episodes else self.max_steps

    @property
    def max_new_tokens(self) -> int:
        return self.response_length

    @property
    def critic_learning_rate(self) -> float:
        """The step size of the value model."""
        return self.learning_rate if self.value_learning_rate is None else self.value_learning_rate

    @property
    def stops_at_eos(self) -> bool:
        return self.stop_token == "eos"

    def check(self) -> None:
        super().check()
        if self.batch_size % self.num_mini_batches:
            raise ConfigError(
                told(
                    "the batch of {batch_size} episodes (per_device_train_batch_size × gradient_accumulation_steps × "
                    "num_processes) does not divide by num_mini_batches = {num_mini_batches}",
                    batch_size=self.batch_size,
                    num_mini_batches=self.num_mini_batches,
                )
            )
        if self.batch_size // self.num_mini_batches % self.num_processes:
            raise ConfigError(
                told(
                    "a mini-batch of {episodes} episodes does not divide by num_processes = {num_processes}; change "
                    "num_mini_batches or per_device_train_batch_size",
                    episodes=self.batch_size // self.num_mini_batches,
                    num_processes=self.num_processes,
                )
            )
        self._check_scores()

    def _check_scores(self) -> None:
        if self.missing_eos_penalty is not None and self.non_eos_penalty:
            raise ConfigError(
                told("missing_eos_penalty subtracts from the score that non_eos_penalty replaces; give one of the two")
            )
        if self.missing_eos_penalty is not None and not self.stops_at_eos:
            raise ConfigError(told("missing_eos_penalty needs stop_token = eos: without it no response ends early"))
        if self.non_eos_penalty and not self.stops_at_eos:
            raise ConfigError(told("non_eos_penalty needs stop_token = eos: without it no response ends early"))
        if self.use_score_norm and not self.use_score_scaling:
            raise ConfigError(told("use_score_norm centres what use_score_scaling divides; give use_score_scaling too"))
