"""TRL's GRPO on our rollouts: the same completions and rewards through TRL's own trainer, its metrics and updates kept.

python -P -m benchmarks.trl_side.grpo_replay FOLDER

Completions come in through TRL's `rollout_func`, rewards through reward functions; nothing of TRL is replaced. Each
case's folder gets trl.json (one row per update) and trl.npz.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from benchmarks.parity.updates import UpdateTape
from benchmarks.trl_side.arguments import GRPO, arguments
from benchmarks.trl_side.recorded import Recorded, cases
from trainer.tasks import get_task


class ListedTrainer(GRPOTrainer):
    """TRL's trainer, keeping the list of each metric's values, one per pass, that TRL averages when it logs."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.rows: list[dict[str, Any]] = []
        self._tokens: list[int] = []
        super().__init__(*args, **kwargs)

    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        self._tokens.append(int(inputs["completion_mask"].sum()))
        return super().compute_loss(model, inputs, *args, **kwargs)

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        passes = {name: list(values) for name, values in self._metrics["train"].items()}
        super().log(logs, start_time)
        self.rows.append({**logs, "passes": passes, "tokens_of_passes": self._tokens})
        self._tokens = []


class Replay:
    """The rollouts of a case, handed out one after the other."""

    def __init__(self, case: Recorded) -> None:
        self._case = case
        self._step = 0

    def rollout(self, prompts: list[str], trainer: GRPOTrainer) -> dict[str, Any]:
        """TRL's `rollout_func`: the next recorded completions, whatever was asked for."""
        self._step += 1
        return {
            "prompt_ids": self._unpadded("prompt_ids_BQ", "prompt_mask_BQ"),
            "completion_ids": self._unpadded("ids_BT", "mask_BT"),
            "logprobs": None,
        }

    def reward_func(self, name: str) -> Callable[..., list[float | None]]:
        """The rewards that the function of that name gave to these completions."""

        def recorded(prompts: list[str], completions: list[str], **columns: Any) -> list[float | None]:
            return [row["rewards"].get(name) for row in self._case.samples(self._step)]

        recorded.__name__ = name
        return recorded

    def _unpadded(self, ids: str, mask: str) -> list[list[int]]:
        rows = zip(self._case.tensor(self._step, ids), self._case.tensor(self._step, mask).bool(), strict=True)
        return [row_ids[row_mask].tolist() for row_ids, row_mask in rows]


def replay(case: Recorded) -> None:
    """Train on the recorded rollouts and write what came out."""
    config, checkpoint = case.config, get_task(case.config["task"]).checkpoint
    source = Replay(case)
    trainer = ListedTrainer(
        model=AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained(checkpoint, padding_side="left"),
        args=GRPOConfig(
            **arguments(
                config,
                GRPO,
                output_dir=str(case.folder / "trl"),
                max_steps=case.steps * config["num_iterations"],
                reward_weights=config["reward_weights"] or None,
            )
        ),
        reward_funcs=[source.reward_func(name.rpartition(":")[2]) for name in config["reward_funcs"]],
        train_dataset=Dataset.from_dict({"prompt": ["1+1="] * 1024}),
        rollout_func=source.rollout,
    )
    tape = UpdateTape(list(trainer.model.parameters()))
    with tape.recording():
        trainer.train()
    tape.save(case.folder / "trl.npz")
    (case.folder / "trl.json").write_text(json.dumps([row for row in trainer.rows if "loss" in row]), "utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for recorded_case in cases(Path(sys.argv[1]), "grpo"):
        replay(recorded_case)
