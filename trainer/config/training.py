"""The options and properties that all algorithms share, composed of one group per subject. Imports no torch.

Names are TRL's wherever TRL has the argument, and so are most defaults; the demos' settings are in
`trainer.config.recipes`.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from diagnostics.told import told
from trainer.config.local_or_hub import DATASET_SUFFIXES, is_path
from trainer.config.options import ConfigError, options_of, parse_values
from trainer.config.options.data import DataOptions
from trainer.config.options.evaluation import EvaluationOptions
from trainer.config.options.fault import FaultOptions
from trainer.config.options.machine import MachineOptions
from trainer.config.options.model import ModelOptions
from trainer.config.options.optimizer import OptimizerOptions
from trainer.config.options.outputs import OutputOptions
from trainer.config.options.rewards import RewardOptions
from trainer.config.options.rollout_engine import EngineSettings
from trainer.config.options.sampling import SamplingOptions
from trainer.config.options.steps import StepOptions
from trainer.faults import FAULTS


@dataclass(frozen=True, kw_only=True)
class TrainConfig(  # --help lists the groups from the last to the first, the order in which a dataclass collects fields
    MachineOptions,
    FaultOptions,
    StepOptions,
    OutputOptions,
    SamplingOptions,
    EvaluationOptions,
    OptimizerOptions,
    RewardOptions,
    DataOptions,
    ModelOptions,
    ABC,
):
    """The configuration of any training. `trainer.config.algorithms.make_config` builds and checks one."""

    algorithm: ClassVar[str]
    """Its name on the command line and in run.json."""

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The configuration with these values, from strings (command line), TOML, JSON or a form.

        Raises:
            ConfigError: An option is unknown, a value does not fit, options contradict each other, or a file that they
                name is not there.
        """
        config = cls(**parse_values(options_of(cls), values))
        config.check()
        return config

    @property
    def batch_size(self) -> int:
        """Completions of one step."""
        return self.per_device_train_batch_size * self.gradient_accumulation_steps * self.num_processes

    @property
    def total_steps(self) -> int:
        """Steps of this training if nothing stops it."""
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
    def separate_engine(self) -> EngineSettings | None:
        """The engine apart from the trainer that generates; None if the policy itself does."""
        return None

    @property
    def data_name(self) -> str:
        """What the run trains on, for the list of runs: the dataset's file name, or the task."""
        return Path(self.dataset).stem if self.dataset else self.task

    def to_dict(self) -> dict[str, Any]:
        """The flat form in run.json, which `make_config` reads back."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in dataclasses.asdict(self).items()
        }

    def with_absolute_paths(self) -> Self:
        """The same configuration with absolute paths, so that it means the same in every folder."""
        return self.with_changes({**self.absolute_model(), **self.absolute_data(), **self.absolute_rewards()})

    def with_changes(self, changes: Mapping[str, Any]) -> Self:
        """The same configuration with some values replaced, checked again."""
        return self.from_values({**self.to_dict(), **changes})

    def check(self) -> None:
        """Raise ConfigError if options contradict each other or name missing files."""
        self.check_model()
        self.check_data()
        self.check_rewards()
        self.check_optimizer()
        self._check_evaluation()
        self._check_fault()
        if self.min_new_tokens > self.max_new_tokens:
            raise ConfigError(
                told(
                    "min_new_tokens is {min_new_tokens}, but a completion has at most {max_new_tokens} tokens",
                    min_new_tokens=self.min_new_tokens,
                    max_new_tokens=self.max_new_tokens,
                )
            )

    def _check_evaluation(self) -> None:
        if self.eval_strategy == "no" or self.has_held_out_prompts or self.dataset is None:
            return
        if is_path(self.dataset, DATASET_SUFFIXES) and self.dataset.endswith(DATASET_SUFFIXES):
            raise ConfigError(
                told(
                    "eval_strategy is {eval_strategy}, but the dataset {dataset} is a file without a split that is "
                    "kept out of training; name an eval_dataset",
                    eval_strategy=self.eval_strategy,
                    dataset=self.dataset,
                )
            )

    def _check_fault(self) -> None:
        if self.fault is None:
            return
        case = FAULTS[self.fault].case(self.algorithm, self.task)
        if case is None:
            raise ConfigError(
                told(
                    "the fault {fault} is not available for {algorithm} on {task}; --list_faults shows what each is "
                    "available for",
                    fault=self.fault,
                    algorithm=self.algorithm,
                    task=self.task,
                )
            )
        if case.rows is not None and self.dataset:
            raise ConfigError(
                told("the fault {fault} changes the demo task's prompts; leave dataset empty", fault=self.fault)
            )
