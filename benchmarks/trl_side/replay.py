"""Shared by the GRPO and RLOO replays: serves recorded rollouts and keeps each pass's metrics."""

import json
from collections.abc import Callable
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

from benchmarks.parity.updates import UpdateTape
from benchmarks.trl_side.arguments import arguments
from benchmarks.trl_side.recorded import Recorded
from trainer.tasks import get_task


class ListedMetrics:
    """Mixin for TRL's trainers: keeps each metric's values, one per pass, which TRL averages when it logs."""

    _metrics: dict[str, dict[str, list[float]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.rows: list[dict[str, Any]] = []
        self._tokens: list[int] = []
        super().__init__(*args, **kwargs)

    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        self._tokens.append(int(inputs["completion_mask"].sum()))
        return super().compute_loss(model, inputs, *args, **kwargs)  # type: ignore[misc]

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        passes = {name: list(values) for name, values in self._metrics["train"].items()}
        super().log(logs, start_time)  # type: ignore[misc]
        self.rows.append({**logs, "passes": passes, "tokens_of_passes": self._tokens})
        self._tokens = []


class Replay:
    """Serves the rollouts of a case one after another."""

    def __init__(self, case: Recorded) -> None:
        self._case = case
        self._step = 0

    def next_step(self) -> tuple[list[list[int]], list[list[int]]]:
        """The ids of the next recorded prompts and completions, in place of those that TRL would have drawn."""
        self._step += 1
        return self._unpadded("prompt_ids_BQ", "prompt_mask_BQ"), self._unpadded("ids_BT", "mask_BT")

    @property
    def reward_funcs(self) -> list[Callable[..., list[float | None]]]:
        """The case's reward functions, which return the recorded rewards."""
        return [self.reward_func(name.rpartition(":")[2]) for name in self._case.config["reward_funcs"]]

    def reward_func(self, name: str) -> Callable[..., list[float | None]]:
        """The rewards that the function of that name gave these completions."""

        def recorded(prompts: list[str], completions: list[str], **columns: Any) -> list[float | None]:
            return [row["rewards"].get(name) for row in self._case.samples(self._step)]

        recorded.__name__ = name
        return recorded

    def _unpadded(self, ids: str, mask: str) -> list[list[int]]:
        rows = zip(self._case.tensor(self._step, ids), self._case.tensor(self._step, mask).bool(), strict=True)
        return [row_ids[row_mask].tolist() for row_ids, row_mask in rows]


def trainer_arguments(case: Recorded, source: Replay) -> dict[str, Any]:
    """The arguments of both TRL trainers besides their configuration."""
    checkpoint = get_task(case.config["task"]).checkpoint
    return {
        "model": AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32),
        "processing_class": AutoTokenizer.from_pretrained(checkpoint, padding_side="left"),
        "reward_funcs": source.reward_funcs,
        "train_dataset": Dataset.from_dict({"prompt": ["1+1="] * 1024}),
    }


def config_arguments(case: Recorded, names: tuple[str, ...]) -> dict[str, Any]:
    """The options of TRL's configuration: our run's, with as many updates as were recorded."""
    config = case.config
    return arguments(
        config,
        names,
        output_dir=str(case.folder / "trl"),
        max_steps=case.steps * config["num_iterations"],
        reward_weights=config["reward_weights"] or None,
    )


def train_and_save(trainer: Any, case: Recorded) -> None:
    """Train on the recorded rollouts and write the results."""
    tape = UpdateTape(list(trainer.model.parameters()))
    with tape.recording():
        trainer.train()
    tape.save(case.folder / "trl.npz")
    (case.folder / "trl.json").write_text(json.dumps([row for row in trainer.rows if "loss" in row]), "utf-8")
