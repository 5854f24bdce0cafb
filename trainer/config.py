"""The configurations of PPO and GRPO: every option with its default, its help sentence and its bounds; no torch here.

Names are TRL's wherever TRL has the argument, and so are most defaults; the demos' settings stand in `trainer.recipes`.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from trainer.options import ConfigError, option, options_of, parse_values
from trainer.tasks import TASKS

Config = TypeVar("Config", bound="TrainConfig")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig(ABC):
    """What PPO and GRPO share. Build one with `make_config`, which checks it."""

    task: str = option(
        "remarks", "Demo task: its prompts, tiny model and rewards need no download.", choices=tuple(TASKS), main=True
    )
    model_name_or_path: str | None = option(
        None,
        "Folder of a causal language model to train (config, weights, tokenizer); empty: the task's own.",
        main=True,
    )
    dataset: str | None = option(
        None,
        "JSONL file with a `prompt` in each line; its other columns go to the reward functions; empty: the task's.",
        main=True,
    )
    reward_funcs: tuple[str, ...] = option(
        (), "Reward functions: built-in names, or path/to/file.py:function; empty: the task's own.", main=True
    )
    reward_weights: tuple[float, ...] = option((), "One weight for each reward function; empty: 1 each.")
    seed: int = option(42, "Seed of prompts and sampling; the same seed gives the same run.", minimum=0, main=True)

    learning_rate: float = option(1e-6, "Step size of the optimizer (AdamW).", minimum=0, main=True)
    lr_scheduler_type: str = option(
        "linear",
        "How the learning rate goes on after the warm-up.",
        choices=("linear", "cosine", "constant_with_warmup", "constant"),
    )
    warmup_steps: int = option(0, "Steps over which the learning rate rises from 0.", minimum=0)
    weight_decay: float = option(0.0, "Weight decay of AdamW.", minimum=0)
    max_grad_norm: float = option(1.0, "Gradients are scaled down to this norm.", above=0)
    max_steps: int = option(
        100, "Steps to train; one step is one generation and all updates made from it.", minimum=1, main=True
    )
    per_device_train_batch_size: int = option(
        64,
        "Completions per forward and backward pass; with gradient_accumulation_steps, those of one step.",
        minimum=1,
        main=True,
    )
    gradient_accumulation_steps: int = option(1, "Passes whose gradients are added up before an update.", minimum=1)

    temperature: float = option(1.0, "Temperature of the policy: of sampling and of every log-probability.", above=0)
    top_k: int = option(
        0, "Sample from the k likeliest tokens only; 0: from all. Anything else can make KL negative.", minimum=0
    )
    top_p: float = option(
        1.0, "Sample from the likeliest tokens that make up this probability; 1: from all.", above=0, maximum=1
    )
    min_p: float = option(
        0.0, "Drop tokens below this share of the likeliest one's probability; 0: none.", minimum=0, maximum=1
    )
    do_sample: bool = option(True, "Sample; false takes the likeliest token, which explores nothing.")
    min_new_tokens: int = option(
        0, "Forbid the end of a completion before this many tokens. Above 0 can make KL negative.", minimum=0
    )
    repetition_penalty: float = option(1.0, "Divide the scores of tokens already seen; 1: off.", above=0)
    rollout_temperature: float | None = option(
        None,
        "Sample at this temperature while log-probabilities keep `temperature`: a fault to study; empty: the same.",
        above=0,
    )

    report_to: tuple[str, ...] = option(
        ("tensorboard",), "Where metrics go besides the run directory.", choices=("tensorboard", "wandb", "none")
    )
    save_strategy: str = option(
        "steps", "Save checkpoints every save_steps and at the end, or never.", choices=("steps", "no")
    )
    save_steps: int = option(500, "Steps between checkpoints.", minimum=1)
    num_completions_to_log: int = option(
        64, "Sampled completions written at each step: the best, the worst, the rest at random.", minimum=0
    )
    use_cpu: bool = option(False, "Train on the CPU although an accelerator is there.")
    num_threads: int | None = option(None, "CPU threads of torch; empty: as many as torch takes.", minimum=1)

    @property
    def batch_size(self) -> int:
        """Completions of one step."""
        return self.per_device_train_batch_size * self.gradient_accumulation_steps

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

    def with_changes(self, changes: Mapping[str, Any]) -> Self:
        """The same configuration with some values replaced, checked again."""
        return _checked(type(self), {**self.to_dict(), **changes})

    def check(self) -> None:
        """Raise ConfigError where options contradict each other or name files that are not there."""
        _check_model(self.model_name_or_path)
        if self.dataset and not Path(self.dataset).is_file():
            raise ConfigError(
                f"the dataset {self.dataset} is not a file; give a JSONL file with a `prompt` in each line"
            )
        if self.reward_weights and self.reward_funcs and len(self.reward_weights) != len(self.reward_funcs):
            raise ConfigError(
                f"reward_weights has {len(self.reward_weights)} values for {len(self.reward_funcs)} reward_funcs; "
                "give one for each"
            )
        if self.min_new_tokens > self.max_new_tokens:
            raise ConfigError(
                f"min_new_tokens is {self.min_new_tokens}, but a completion has at most {self.max_new_tokens} tokens"
            )


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
    num_ppo_epochs: int = option(4, "Passes over the episodes of a step.", minimum=1)
    num_mini_batches: int = option(1, "Updates per pass: the episodes are split into this many.", minimum=1)
    kl_coef: float = option(
        0.05, "Weight of the KL penalty that holds the policy near the reference.", minimum=0, main=True
    )
    kl_estimator: str = option(
        "k1",
        "Estimator of the KL at a token: k1 is unbiased and can be negative, k3 is never negative.",
        choices=("k1", "k3"),
    )
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
    def stops_at_eos(self) -> bool:
        return self.stop_token == "eos"

    def check(self) -> None:
        TrainConfig.check(self)
        if self.batch_size % self.num_mini_batches:
            raise ConfigError(
                f"the batch of {self.batch_size} episodes (per_device_train_batch_size × gradient_accumulation_steps) "
                f"does not divide by num_mini_batches = {self.num_mini_batches}"
            )
        if self.missing_eos_penalty is not None and not self.stops_at_eos:
            raise ConfigError("missing_eos_penalty needs stop_token = eos: without it no response ends early")


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
    epsilon_high: float | None = option(None, "Upper clip bound is 1 + this; empty: epsilon.", above=0)
    scale_rewards: str = option(
        "group",
        "Divide advantages by the deviation of the group, of the batch, or not at all.",
        choices=("group", "batch", "none"),
    )
    loss_type: str = option("dapo", "How token losses are averaged.", choices=("grpo", "bnpo", "dr_grpo", "dapo"))

    @property
    def max_new_tokens(self) -> int:
        return self.max_completion_length

    @property
    def upper_epsilon(self) -> float:
        """The upper clip bound's distance from 1."""
        return self.epsilon if self.epsilon_high is None else self.epsilon_high

    def check(self) -> None:
        TrainConfig.check(self)
        if self.batch_size % self.num_generations:
            raise ConfigError(
                f"the batch of {self.batch_size} completions (per_device_train_batch_size × "
                f"gradient_accumulation_steps) does not divide by num_generations = {self.num_generations}"
            )


ALGORITHMS: Mapping[str, type[TrainConfig]] = {"ppo": PPOConfig, "grpo": GRPOConfig}


def make_config(algorithm: str, values: Mapping[str, Any]) -> TrainConfig:
    """The checked configuration of an algorithm, from strings (command line), TOML, JSON or form values.

    Raises:
        ConfigError: The algorithm or an option is unknown, a value does not fit, options contradict each other, or a
            file that they name is not there.
    """
    if algorithm not in ALGORITHMS:
        raise ConfigError(f"the algorithm must be one of {', '.join(ALGORITHMS)}, but is {algorithm!r}")
    return _checked(ALGORITHMS[algorithm], values)


def algorithm_of(config: TrainConfig) -> str:
    """The name of the algorithm that a configuration is for."""
    return next(name for name, kind in ALGORITHMS.items() if kind is type(config))


def _checked(kind: type[Config], values: Mapping[str, Any]) -> Config:
    config = kind(**parse_values(options_of(kind), values))
    config.check()
    return config


def _check_model(path: str | None) -> None:
    if path is None:
        return
    if not Path(path).is_dir():
        raise ConfigError(
            f"model_name_or_path is {path}, which is not a folder here; give the folder of a causal language model"
        )
    if not (Path(path) / "config.json").is_file():
        raise ConfigError(
            f"model_name_or_path is {path}, which has no config.json; give the folder of a causal language model"
        )
