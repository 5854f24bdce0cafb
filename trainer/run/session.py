"""A training session: everything around the loop, so that the loop itself reads as its algorithm.

A session owns the accelerator and the processes, the models and their optimizer, the rollout engine, the checkpoints,
the journal, the held-out prompts and the changes that a fault makes on the way. Every process has one and calls every
method; all of them run the same steps.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic

import torch
from torch import nn

from diagnostics.told import told
from trainer.acceleration.device import accelerator_for
from trainer.acceleration.parallel.processes import Processes
from trainer.acceleration.parallel.sharding import gathered_model, is_sharded, prepare_frozen
from trainer.config.options import ConfigError
from trainer.data.prompts import Prompts
from trainer.rewards import RewardFunc
from trainer.rewards.scoring import load_reward_funcs
from trainer.rollout.engine import RolloutEngine
from trainer.rollout.models import checkpoint_of, load_tokenizer, reference_of, trainable_policy
from trainer.rollout.policy import stop_ids
from trainer.rollout.sampling import Sampling
from trainer.run.checkpoint import Checkpoints, GeneratorState, RewardStates, Stateful
from trainer.run.held_out import HeldOut, HeldOutAnswers
from trainer.run.journal import Journal
from trainer.run.optimizer import make_optimizer, make_scheduler
from trainer.run.schedule import set_base_rates
from trainer.run.stages import Changes, Config, Stage
from trainer.run.step import Step
from trainer.run.stopwatch import Stopwatch
from trainer.run.updates import Learner

POLICY_ALONE: Mapping[str, str] = {"": ""}
"""Checkpoint folders and their submodules when only the policy is trained."""


class Session(Generic[Config]):
    """The life of one training: construct it, `start` it with the module to train, run the loop over its `steps`."""

    def __init__(
        self,
        config: Config,
        prompts: Prompts,
        reward_funcs: Sequence[RewardFunc],
        journal: Journal,
        changes: Changes[Config] | None = None,
    ) -> None:
        """Seed everything and load the reward functions, the tokenizer and the policy, with an engine if it has one.

        Args:
            changes: A fault's changes; from its onset on each step runs with `changes.at(step)`.

        Raises:
            ConfigError: The policy is sharded, and an engine apart from the trainer would need all of it.
        """
        self.config, self.changes, self.journal = config, changes, journal
        self._first_stage = Stage(config, prompts, reward_funcs)
        accelerator = accelerator_for(config)
        self.processes, self.device = Processes(accelerator, config.acceleration), accelerator.device
        journal.note_device(self.device.type)
        self.generator = torch.Generator().manual_seed(config.seed)
        load_reward_funcs(self._every_reward_func)
        self.tokenizer = load_tokenizer(checkpoint_of(config))
        self.policy: Any = trainable_policy(config)
        self.eos_ids = stop_ids(self.policy, self.tokenizer)
        self.reference: nn.Module | None = None
        self.engine = self._make_engine()
        self.stopwatch = Stopwatch()
        self._module: Any = None

    @property
    def configs(self) -> tuple[Config, ...]:
        """Every configuration in force at some step."""
        return (self.config, self.changes.after.config) if self.changes else (self.config,)

    @property
    def _every_reward_func(self) -> list[RewardFunc]:
        return [*self._first_stage.reward_funcs, *(self.changes.after.reward_funcs if self.changes else ())]

    def load_reference(self) -> None:
        """Keep a frozen copy of the current policy."""
        self.reference = prepare_frozen(self.processes.accelerator, reference_of(self.config, self.policy))

    def _make_engine(self) -> RolloutEngine | None:
        """A copy of the current policy to generate with, where some step has its engine apart from the trainer."""
        settings = [config.separate_engine for config in self.configs if config.separate_engine]
        if not settings:
            return None
        if is_sharded(self.processes.accelerator):
            raise ConfigError(
                told(
                    "rollout_engine = separate copies the whole policy on every process, which FSDP and DeepSpeed "
                    "divide among them; set rollout_engine to shared, or train without either"
                )
            )
        return RolloutEngine(self.policy, settings, self.device)

    def start(
        self,
        module: nn.Module,
        rates: Callable[[Config], Sequence[float]],
        answer_metrics: Callable[[HeldOutAnswers], Mapping[str, float]],
        state: Mapping[str, Stateful],
        folders: Mapping[str, str] = POLICY_ALONE,
    ) -> Any:
        """Prepare the module for training, and restore the checkpoint that a resumed training continues from.

        Args:
            rates: The base learning rate of each submodule in `folders`.
            answer_metrics: Computes the metrics of an evaluation, under their training names.
            state: Further stateful objects of the loop, for the checkpoints.
            folders: Checkpoint folders, and the submodule of `module` that each stores.

        Returns:
            The module to compute losses with.
        """
        config, (_, prompts, reward_funcs) = self.config, self._first_stage
        self._policy_name, self._rates = folders[""], rates
        parameters = [module.get_submodule(name).parameters() for name in folders.values()]
        optimizer = make_optimizer(config, *zip(parameters, rates(config), strict=True))
        scheduler = make_scheduler(config, optimizer)
        self._module, optimizer = self.processes.prepare(module, optimizer)
        self.learner = Learner(self._module, optimizer, scheduler, self.processes)
        self.held_out = HeldOut(config, prompts, reward_funcs, self.tokenizer, self.sampling(config), answer_metrics)
        parts = {"optimizer": optimizer, "scheduler": scheduler, "prompts": prompts, **state}
        parts |= {"sampling": GeneratorState(self.generator), "rewards": RewardStates(self._every_reward_func)}
        parts |= {"engine": self.engine} if self.engine else {}
        self.checkpoints = Checkpoints(
            config, self.journal, self.processes, self.tokenizer, self._module, folders, parts
        )
        self.checkpoints.restore()
        return self._module

    def steps(self) -> Iterator[Step[Config]]:
        """Yield steps until the last one or a request to stop, then save the final checkpoint."""
        started, done, self.stopwatch = time.perf_counter(), self.journal.last_step, Stopwatch()
        for number in range(done + 1, self.config.total_steps + 1):
            if self.processes.any(self.journal.stop_requested):
                break
            stage = self._first_stage if self.changes is None else self.changes.at(number)
            if self.changes is not None:
                set_base_rates(self.learner.scheduler, self._rates(stage.config))
            yield Step(self, number, stage, seconds_before=time.perf_counter() - started, steps_before=done)
        self.checkpoints.finish()

    def sampling(self, config: Config) -> Sampling:
        """A configuration's sampling options for this policy and tokenizer."""
        return Sampling.of(config, self.eos_ids, int(self.tokenizer.pad_token_id))

    def gathered_parameters(self) -> AbstractContextManager[Any]:
        """The trained module with all its parameters, as in a single process, for use without gradients."""
        return gathered_model(self.processes.accelerator, self._module)

    def policy_of(self, module: nn.Module) -> Any:
        """The policy within the trained module."""
        return module.get_submodule(self._policy_name)
