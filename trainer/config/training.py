"""The configurations of PPO and GRPO: every option with its default, its help sentence and its bounds; no torch here.

Names are TRL's wherever TRL has the argument, and so are most defaults; the demos' settings stand in
`trainer.config.recipes`.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from trainer.config.options import ConfigError, did_you_mean, option, options_of, parse_values
from trainer.config.options.record import RecordOptions
from trainer.faults import FAULTS
from trainer.tasks import TASKS

Config = TypeVar("Config", bound="TrainConfig")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig(RecordOptions, ABC):
    """What PPO and GRPO share. Build one with `make_config`, which checks it."""

    seed: int = option(42, "Seed of prompts and sampling; the same seed gives the same run.", minimum=0, main=True)

    max_steps: int = option(
        100, "Steps to train; one step is one generation and all updates made from it.", minimum=1, main=True
    )
    per_device_train_batch_size: int = option(
        64,
        "Completions per pass and process; times gradient_accumulation_steps and num_processes, those of one step.",
        minimum=1,
        main=True,
    )
    gradient_accumulation_steps: int = option(1, "Passes whose gradients are added up before an update.", minimum=1)

    fault: str | None = option(
        None,
        "Sick on purpose: a fault to train with, to see what it looks like; --list_faults tells them all.",
        choices=tuple(FAULTS),
    )
    fault_step: int = option(1, "Step from which the fault's values win over all others.", minimum=1)

    num_processes: int = option(
        1,
        "Processes that train together on this machine, one for each GPU; each adds its batch to the step's.",
        minimum=1,
    )
    mixed_precision: str = option(
        "no", "Compute in bfloat16 or float16 beside float32 weights.", choices=("no", "bf16", "fp16")
    )
    use_cpu: bool = option(False, "Train on the CPU although an accelerator is there.")
    num_threads: int | None = option(None, "CPU threads of torch; empty: as many as torch takes.", minimum=1)

    @property
    def batch_size(self) -> int:
        """Completions of one step."""
        return self.per_device_train_batch_size * self.gradient_accumulation_steps * self.num_processes

    @property
    def total_steps(self) -> int:
        """Steps that this training makes when nothing stops it."""
        return self.max_steps

    @property
    @abstractmethod
    def max_new_tokens(self) -> int:
        """Longest completion, in tokens."""

    @property
    def stops_at_eos(self) -> bool:
        """Whether a completion ends with the end-of-sequence token."""
        return True

    @property
    def data_name(self) -> str:
        """What the run is about, for the list of runs: the dataset's file name, or the task."""
        return Path(self.dataset).stem if self.dataset else self.task

    def to_dict(self) -> dict[str, Any]:
        """The flat form that run.json holds; `make_config` takes it back."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in dataclasses.asdict(self).items()
        }

    def anchored(self) -> Self:
        """The same configuration with absolute paths, so that it means the same from every folder."""
        return self.with_changes(self.absolute_sources())

    def with_changes(self, changes: Mapping[str, Any]) -> Self:
        """The same configuration with some values replaced, checked again."""
        return _checked(type(self), {**self.to_dict(), **changes})

    def check(self) -> None:
        """Raise ConfigError where options contradict each other or name files that are not there."""
        self.check_sources()
        self.check_optimizer()
        self.check_evaluation()
        self._check_fault()
        if self.min_new_tokens > self.max_new_tokens:
            raise ConfigError(
                f"min_new_tokens is {self.min_new_tokens}, but a completion has at most {self.max_new_tokens} tokens"
            )

    def _check_fault(self) -> None:
        if self.fault is None:
            return
        case = FAULTS[self.fault].case(algorithm_of(self), self.task)
        if case is None:
            raise ConfigError(
                f"the fault {self.fault} is not made for {algorithm_of(self)} on {self.task}; "
                "--list_faults tells what each is made for"
            )
        if case.rows is not None and self.dataset:
            raise ConfigError(f"the fault {self.fault} changes the demo task's prompts; leave dataset empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class PPOConfig(TrainConfig):
    """PPO as in InstructGPT: a value model, a KL penalty at each token, clipped updates."""

    learning_rate: float = option(3e-6, "Step size of the optimizer (AdamW).", minimum=0, main=True)
    total_episodes: int | None = option(
        None, "Completions to train on in all; when given it decides the number of steps.", minimum=1
    )
    response_length: int = option(53, "Longest response, in tokens.", minimum=1, main=True)
    stop_token: str | None = option(
        "eos",
        "End a response at its first end-of-sequence token; none: always response_length tokens.",
        choices=("eos",),
    )
    missing_eos_penalty: float | None = option(
        None, "Taken off the score of a response that did not end: the EOS trick.", minimum=0
    )
    non_eos_penalty: bool = option(
        False, "The EOS trick's older form: a response that did not end scores penalty_reward_value instead."
    )
    penalty_reward_value: float = option(-1.0, "The score of a response that did not end, with non_eos_penalty.")
    reward_baseline: str = option(
        "none",
        "query: take off the score that the query gets without a response, where the query decides most of it.",
        choices=("none", "query"),
    )
    use_score_scaling: bool = option(False, "Divide the scores by the deviation of all scores so far.")
    use_score_norm: bool = option(False, "With use_score_scaling: subtract the mean of all scores so far first.")
    score_clip: float | None = option(None, "Scores count at most this much, up or down; empty: no limit.", above=0)
    num_ppo_epochs: int = option(4, "Passes over the episodes of a step.", minimum=1)
    num_mini_batches: int = option(1, "Updates per pass: the episodes are split into this many.", minimum=1)
    kl_coef: float = option(
        0.05, "Weight of the KL penalty that holds the policy near the reference.", minimum=0, main=True
    )
    adap_kl_ctrl: bool = option(False, "Steer the KL coefficient so that the KL stays near the target.")
    init_kl_coef: float | None = option(None, "The coefficient that the steering starts from; empty: kl_coef.", above=0)
    target: float = option(6.0, "KL per sequence (nats) that the steering aims at.", above=0)
    horizon: int = option(
        10000, "Episodes over which the steering moves the coefficient by about a fifth at most.", minimum=1
    )
    kl_estimator: str = option(
        "k1",
        "Estimator of the KL at a token: k1 is unbiased and can be negative, k3 is never negative.",
        choices=("k1", "k3"),
    )
    early_stopping: bool = option(
        False, "End the updates of a step after a pass that moved the policy by more than 1.5 × target_kl."
    )
    target_kl: float = option(1.0, "For early_stopping: KL to the policy before the step, nats per token.", above=0)
    cliprange: float = option(0.2, "An update counts only while the probability ratio is within 1 ± this.", above=0)
    cliprange_value: float = option(0.2, "A value may move by this much in one step.", above=0)
    vf_coef: float = option(0.1, "Weight of the value loss.", minimum=0)
    value_learning_rate: float | None = option(None, "Step size of the value model; empty: learning_rate.", minimum=0)
    gamma: float = option(1.0, "Discount of later rewards.", minimum=0, maximum=1)
    lam: float = option(
        0.95, "λ of generalised advantage estimation: 0 trusts the values, 1 the rewards.", minimum=0, maximum=1
    )
    whiten_rewards: bool = option(False, "Scale the rewards of a step to a standard deviation of 1.")

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
        TrainConfig.check(self)
        if self.batch_size % self.num_mini_batches:
            raise ConfigError(
                f"the batch of {self.batch_size} episodes (per_device_train_batch_size × gradient_accumulation_steps × "
                f"num_processes) does not divide by num_mini_batches = {self.num_mini_batches}"
            )
        if self.batch_size // self.num_mini_batches % self.num_processes:
            raise ConfigError(
                f"a mini-batch of {self.batch_size // self.num_mini_batches} episodes does not divide by "
                f"num_processes = {self.num_processes}; change num_mini_batches or per_device_train_batch_size"
            )
        self._check_scores()

    def _check_scores(self) -> None:
        if self.missing_eos_penalty is not None and self.non_eos_penalty:
            raise ConfigError(
                "missing_eos_penalty subtracts from the score that non_eos_penalty replaces; give one of the two"
            )
        if self.missing_eos_penalty is not None and not self.stops_at_eos:
            raise ConfigError("missing_eos_penalty needs stop_token = eos: without it no response ends early")
        if self.non_eos_penalty and not self.stops_at_eos:
            raise ConfigError("non_eos_penalty needs stop_token = eos: without it no response ends early")
        if self.use_score_norm and not self.use_score_scaling:
            raise ConfigError("use_score_norm centres what use_score_scaling divides; give use_score_scaling too")


@dataclass(frozen=True, slots=True, kw_only=True)
class GRPOConfig(TrainConfig):
    """GRPO: several completions of each prompt, each judged against its group; no value model."""

    task: str = option(
        "addition", "Demo task: its prompts, tiny model and rewards need no download.", choices=tuple(TASKS), main=True
    )
    num_generations: int = option(
        8, "Completions of each prompt: the group that a completion is compared with.", minimum=2, main=True
    )
    max_completion_length: int = option(512, "Longest completion, in tokens.", minimum=1, main=True)
    num_iterations: int = option(1, "Updates made from one generation.", minimum=1)
    beta: float = option(
        0.0,
        "Weight of the KL to the reference in the loss; 0 needs no reference model and logs no kl.",
        minimum=0,
        main=True,
    )
    epsilon: float = option(0.2, "Lower clip bound of the probability ratio is 1 − this.", above=0)
    epsilon_high: float | None = option(
        None,
        "Upper clip bound is 1 + this; for cispo the largest importance weight itself (ScaleRL: 5); empty: epsilon.",
        above=0,
    )
    scale_rewards: str = option(
        "group",
        "Divide advantages by the deviation of the group, of the batch, or not at all.",
        choices=("group", "batch", "none"),
    )
    loss_type: str = option(
        "dapo",
        "How token losses are averaged; cispo averages as dapo does, but clips the importance weight, not the update.",
        choices=("grpo", "bnpo", "dr_grpo", "dapo", "cispo"),
    )
    importance_sampling_level: str = option(
        "token",
        "Probability ratio of each token, or one for the whole completion: the geometric mean of its tokens' (GSPO).",
        choices=("token", "sequence"),
    )
    use_bias_correction_kl: bool = option(
        False, "Multiply the KL term by the probability ratio: its gradient is then that of KL(policy ‖ reference)."
    )

    @property
    def max_new_tokens(self) -> int:
        return self.max_completion_length

    @property
    def upper_epsilon(self) -> float:
        """The upper clip bound's distance from 1."""
        return self.epsilon if self.epsilon_high is None else self.epsilon_high

    def check(self) -> None:
        TrainConfig.check(self)
        _check_groups(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RLOOConfig(TrainConfig):
    """RLOO: each completion judged against the mean of the others of its prompt; the KL is part of the reward."""

    task: str = option(
        "addition", "Demo task: its prompts, tiny model and rewards need no download.", choices=tuple(TASKS), main=True
    )
    num_generations: int = option(
        2, "Completions of each prompt: the group that a completion is compared with.", minimum=2, main=True
    )
    max_completion_length: int = option(512, "Longest completion, in tokens.", minimum=1, main=True)
    num_iterations: int = option(1, "Updates made from one generation.", minimum=1)
    beta: float = option(
        0.05,
        "Weight of the KL to the reference, taken off the reward of a completion; 0 needs no reference model and logs "
        "no kl.",
        minimum=0,
        main=True,
    )
    epsilon: float = option(0.2, "Lower clip bound of the probability ratio is 1 − this.", above=0)
    epsilon_high: float | None = option(None, "Upper clip bound is 1 + this; empty: epsilon.", above=0)
    normalize_advantages: bool = option(
        False, "Scale the advantages of a step to a mean of 0 and a standard deviation of 1."
    )
    reward_clip_range: tuple[float, ...] | None = option(
        None, "Lowest and highest reward of a completion, before the KL is taken off; empty: no limits."
    )

    @property
    def max_new_tokens(self) -> int:
        return self.max_completion_length

    @property
    def upper_epsilon(self) -> float:
        """The upper clip bound's distance from 1."""
        return self.epsilon if self.epsilon_high is None else self.epsilon_high

    def check(self) -> None:
        TrainConfig.check(self)
        _check_groups(self)
        limits = self.reward_clip_range
        if limits is not None and (len(limits) != 2 or not limits[0] < limits[1]):
            raise ConfigError(
                f"reward_clip_range must be two numbers, the lower one first, but is {', '.join(map(str, limits))}"
            )


def _check_groups(config: GRPOConfig | RLOOConfig) -> None:
    if config.batch_size % config.num_generations:
        raise ConfigError(
            f"the batch of {config.batch_size} completions (per_device_train_batch_size × "
            f"gradient_accumulation_steps × num_processes) does not divide by "
            f"num_generations = {config.num_generations}"
        )


ALGORITHMS: Mapping[str, type[TrainConfig]] = {"ppo": PPOConfig, "grpo": GRPOConfig}


def make_config(algorithm: str, values: Mapping[str, Any]) -> TrainConfig:
    """The checked configuration of an algorithm, from strings (command line), TOML, JSON or form values.

    Raises:
        ConfigError: The algorithm or an option is unknown, a value does not fit, options contradict each other, or a
            file that they name is not there.
    """
    if algorithm not in ALGORITHMS:
        nearest = did_you_mean(algorithm, ALGORITHMS)
        raise ConfigError(f"the algorithm must be one of {', '.join(ALGORITHMS)}, but is {algorithm!r}{nearest}")
    return _checked(ALGORITHMS[algorithm], values)


def algorithm_of(config: TrainConfig) -> str:
    """The name of the algorithm that a configuration is for."""
    return next(name for name, kind in ALGORITHMS.items() if kind is type(config))


def _checked(kind: type[Config], values: Mapping[str, Any]) -> Config:
    config = kind(**parse_values(options_of(kind), values))
    config.check()
    return config
