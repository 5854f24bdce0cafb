"""Checkpoints: the models in folders that transformers loads, and the remaining state for resuming a training.

A checkpoint is <run>/checkpoints/step-N with the policy and its tokenizer, PPO's value model in a subfolder, and
trainer_state.pt (plain data; `torch.load(weights_only=True)` reads it). A folder under its final name is complete.
"""

import os
import random
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import torch
from accelerate.utils import DistributedType
from torch.optim import Optimizer
from transformers import PreTrainedTokenizerBase

from diagnostics.language import N_
from diagnostics.told import told
from trainer.acceleration.parallel.processes import Processes
from trainer.acceleration.parallel.sharding import is_sharded
from trainer.acceleration.parallel.split_state import (
    restore_engine,
    save_engine,
    split_again,
    split_like,
    weights_below,
    whole_state,
)
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.launch.resuming import ENGINE_FOLDER, STATE_FILE, checkpoint_folder
from trainer.rewards import RewardFunc
from trainer.run.journal import Journal
from trainer.run.retention import Retention

VALUE_MODEL_FOLDER = "value_model"
_STATE_VERSION = 1


class Stateful(Protocol):
    """Anything that changes during a training and can be restored; its state is plain data and tensors."""

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: Any) -> Any: ...


class GeneratorState:
    """Makes a random generator stateful."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator

    def state_dict(self) -> dict[str, Any]:
        """The generator's state."""
        return {"state": self._generator.get_state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue drawing from the saved state."""
        self._generator.set_state(state["state"])


class RewardStates:
    """The stateful reward functions: those with `state_dict` and `load_state_dict`."""

    def __init__(self, functions: Iterable[RewardFunc]) -> None:
        kept = [function for function in functions if hasattr(function.function, "state_dict")]
        self._functions: dict[str, Any] = {f"{number} {func.name}": func.function for number, func in enumerate(kept)}

    def state_dict(self) -> dict[str, Any]:
        """The states, keyed by number and name."""
        return {name: function.state_dict() for name, function in self._functions.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore every function's state."""
        for name, function in self._functions.items():
            function.load_state_dict(state[name])


class Counter:
    """A count that belongs in a checkpoint."""

    def __init__(self) -> None:
        self.value = 0

    def state_dict(self) -> dict[str, Any]:
        """The count."""
        return {"value": self.value}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the saved count."""
        self.value = int(state["value"])


class Checkpoints:
    """Saves, prunes and restores the checkpoints of a training; every process calls every method."""

    def __init__(
        self,
        config: TrainConfig,
        journal: Journal,
        processes: Processes,
        tokenizer: PreTrainedTokenizerBase,
        trained: torch.nn.Module,
        folders: Mapping[str, str],
        parts: Mapping[str, Stateful],
    ) -> None:
        """`folders` maps each folder to a submodule of `trained`; `parts` are the other stateful objects.

        Both folder and submodule are "" for a policy alone; the optimizer is the part named "optimizer".
        """
        self._config = config
        self._journal = journal
        self._processes = processes
        self._tokenizer = tokenizer
        self._trained = trained
        self._folders = folders
        plain = processes.accelerator.unwrap_model(trained)
        self._models = {folder: plain.get_submodule(name) for folder, name in folders.items()}
        self._is_sharded = is_sharded(processes.accelerator)
        self._has_deepspeed = processes.accelerator.distributed_type == DistributedType.DEEPSPEED
        self._retention = Retention(config, journal.directory)
        self._parts = {**parts, "retention": self._retention}
        if self._has_deepspeed:  # DeepSpeed's engine owns the optimizer
            del self._parts["optimizer"]
        self._saved_step = journal.last_step

    def restore(self) -> None:
        """Restore the state after the journal's last step; does nothing in a new run."""
        if not self._journal.last_step:
            return
        folder = checkpoint_folder(self._journal.directory, self._journal.last_step)
        if (folder / ENGINE_FOLDER).is_dir() != self._has_deepspeed:
            words = N_("{folder} was saved with DeepSpeed, and can be resumed only in the same way")
            if self._has_deepspeed:
                words = N_("{folder} was saved without DeepSpeed, and can be resumed only in the same way")
            raise ConfigError(told(words, folder=folder))
        path = folder / STATE_FILE
        state = torch.load(path, map_location="cpu", weights_only=True)
        if state["version"] != _STATE_VERSION:
            raise ConfigError(
                told(
                    "{path} has version {found}, but this rlvitals reads {known}",
                    path=path,
                    found=state["version"],
                    known=_STATE_VERSION,
                )
            )
        for name, part in self._parts.items():
            part.load_state_dict(state["parts"][name])
        if self._has_deepspeed:
            restore_engine(self._trained, folder)
        else:
            for name, model in self._models.items():
                _put_back(model, state["weights"][name])
            split_again(cast(Optimizer, self._parts["optimizer"]))
        _set_randomness(state["randomness"][self._processes.accelerator.process_index])

    def save_if_due(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record a step's metrics; if a checkpoint is due, save it and prune the others."""
        self._retention.observe(metrics)
        if self._config.save_strategy == "steps" and step % self._config.save_steps == 0:
            self._save(step)

    def finish(self) -> None:
        """Save the last step unless it is saved already."""
        if self._config.save_strategy == "steps" and self._journal.last_step != self._saved_step:
            self._save(self._journal.last_step)

    def _save(self, step: int) -> None:
        """Write a checkpoint, unless the run directory holds another run by now."""
        self._journal.check_in_place()
        try:
            self._write_whole(step)
        except Exception:  # safetensors has errors of its own
            self._journal.check_in_place()  # where it was replaced meanwhile, that is the reason
            raise
        self._saved_step = step

    def _write_whole(self, step: int) -> None:
        """Write a temporary folder and rename it once all files are on disk, so that no partial checkpoint remains."""
        self._retention.rate(step)
        state = self._state(step)
        weights = self._processes.accelerator.get_state_dict(self._trained) if self._is_sharded else None
        folder = checkpoint_folder(self._journal.directory, step)
        partial = folder.with_name(f".{folder.name}.partial")
        if self._processes.is_first:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
        try:
            if self._has_deepspeed:
                save_engine(self._trained, partial)
            if self._processes.is_first:
                self._write(partial, state, weights)
        except BaseException:  # most often a full disk, which a partial checkpoint would keep full
            if self._processes.is_first:
                shutil.rmtree(partial, ignore_errors=True)
            raise
        if self._processes.is_first:
            shutil.rmtree(folder, ignore_errors=True)
            partial.rename(folder)
            _flush_folder(folder.parent)
            self._retention.prune()

    def _check_alike(self, step: int) -> None:
        """Raise RuntimeError if the processes' parameters are no longer bitwise equal."""
        sums = [float(value.double().sum()) for model in self._models.values() for value in _learning(model).values()]
        if len({tuple(map(repr, found)) for found in self._processes.gather_objects(sums)}) > 1:
            raise RuntimeError(f"the processes hold different parameters after step {step}: their updates diverged")

    def _write(self, folder: Path, state: Mapping[str, Any], weights: Mapping[str, torch.Tensor] | None) -> None:
        """Write everything except DeepSpeed's engine state, and flush the whole folder to disk.

        Args:
            weights: Gathered weights of a sharded module; None if unsharded, when each model saves its own.
        """
        for name, model in self._models.items():
            own = None if weights is None else weights_below(weights, self._folders[name])
            model.save_pretrained(folder / name, state_dict=own)
        self._tokenizer.save_pretrained(folder)
        with (folder / STATE_FILE).open("wb") as file:  # given a path, torch would not report a full disk
            torch.save(state, file)
        _flush(folder)

    def _state(self, step: int) -> dict[str, Any]:
        """Everything that `restore` needs: the same on every process, plus each process's global random state."""
        if not self._is_sharded:
            self._check_alike(step)
        state = {
            "version": _STATE_VERSION,
            "step": step,
            "weights": {} if self._has_deepspeed else {name: _learning(model) for name, model in self._models.items()},
            "parts": {name: part.state_dict() for name, part in self._parts.items()},
            "randomness": self._processes.gather_objects(_randomness()),
        }
        return whole_state(state, self._processes.is_first) if self._is_sharded else state


def _learning(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The trainable parameters, bit for bit; with an adapter, only the adapter's."""
    return {name: value.detach() for name, value in model.named_parameters() if value.requires_grad}


@torch.no_grad()
def _put_back(model: torch.nn.Module, weights: Mapping[str, torch.Tensor]) -> None:
    for name, value in _learning(model).items():
        value.copy_(split_like(value, weights[name]))


def _randomness() -> dict[str, Any]:
    """The state of every global generator that libraries or reward functions may use."""
    version, internal, gauss = random.getstate()
    name, keys, position, has_gauss, cached = np.random.get_state()  # the global generator, which others use
    return {
        "python": [version, list(internal), gauss],
        "numpy": [str(name), [int(key) for key in keys], int(position), int(has_gauss), float(cached)],
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def _set_randomness(state: Mapping[str, Any]) -> None:
    version, internal, gauss = state["python"]
    random.setstate((version, tuple(internal), gauss))
    np.random.set_state(tuple(state["numpy"]))
    torch.set_rng_state(state["torch"])
    if state["cuda"] and torch.cuda.device_count() == len(state["cuda"]):
        torch.cuda.set_rng_state_all(state["cuda"])


def _flush(folder: Path) -> None:
    """Flush a folder's files to disk: after a power cut, the final name must not lead to empty files."""
    for parent, _, names in os.walk(folder):
        for name in names:
            _flush_file(Path(parent) / name, os.O_RDONLY)
        _flush_folder(Path(parent))


def _flush_folder(folder: Path) -> None:
    _flush_file(folder, os.O_RDONLY | os.O_DIRECTORY)


def _flush_file(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
