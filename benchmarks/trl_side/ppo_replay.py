"""Replays our rollouts in TRL's PPO: the same responses, scores and mini-batches through its own loop.

python -P -m benchmarks.trl_side.ppo_replay FOLDER

Responses replace those of TRL's `batch_generation` (their logits are TRL's own forward pass), the recorded orders those
of `np.random.permutation`; everything else is TRL's. Each case's folder gets trl.json (one row per step) and trl.npz.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from datasets import Dataset
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from trl.experimental.ppo import PPOConfig, PPOTrainer, ppo_trainer

from benchmarks.parity.updates import UpdateTape
from benchmarks.parity.value_model import value_model_of
from benchmarks.trl_side.arguments import PPO, arguments
from benchmarks.trl_side.recorded import Recorded, cases
from benchmarks.trl_side.reward_model import ScoringModel
from trainer.tasks import get_task


class Replay:
    """Serves the rollouts of a case one after another."""

    def __init__(self, case: Recorded) -> None:
        self._case = case
        self._step = 0
        self._orders = [order for step in range(1, case.steps + 1) for order in self._orders_of(step)]

    def prompts(self) -> Iterator[dict[str, Tensor]]:
        """The prompt batches that TRL's loop takes from its data loader."""
        for step in range(1, self._case.steps + 1):
            yield {"input_ids": self._case.tensor(step, "prompt_ids_BQ")}

    def generation(self, policy: PreTrainedModel, queries_BQ: Tensor, rows: int, pad_id: int, config: Any) -> Any:
        """Replaces TRL's `batch_generation`: the next recorded responses and their logits."""
        self._step += 1
        query_responses_BS = torch.cat([queries_BQ, self._case.tensor(self._step, "ids_BT")], 1)
        with torch.no_grad():
            logits_BSV = ppo_trainer.forward(policy, query_responses_BS, pad_id).logits
        return query_responses_BS, logits_BSV[:, queries_BQ.shape[1] - 1 : -1] / config.temperature

    def scores(self, input_ids_BS: Tensor, attention_mask_BS: Tensor) -> Tensor:
        """The recorded scores, before the penalty for a missing end token."""
        return torch.tensor([row["score"] for row in self._case.samples(self._step)])

    def permutation(self, rows: int) -> np.ndarray:
        """Replaces `np.random.permutation`: the next recorded order of an epoch."""
        return self._orders.pop(0)

    def _orders_of(self, step: int) -> list[np.ndarray]:
        epochs = self._case.config["num_ppo_epochs"]
        return list(self._case.arrays[f"{step}/order"].reshape(epochs, -1))


@contextmanager
def replayed(source: Replay) -> Iterator[None]:
    """Run TRL's loop with recorded responses and orders."""
    with (
        patch.object(ppo_trainer, "batch_generation", source.generation),
        patch.object(np.random, "permutation", source.permutation),
    ):
        yield


def replay(case: Recorded) -> None:
    """Train on the recorded rollouts and write the results."""
    config, checkpoint = case.config, get_task(case.config["task"]).checkpoint
    source = Replay(case)
    policy = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    value_model = value_model_of(checkpoint)
    rows = config["per_device_train_batch_size"] * config["gradient_accumulation_steps"]
    trainer = PPOTrainer(
        args=PPOConfig(
            **arguments(
                config,
                PPO,
                output_dir=str(case.folder / "trl"),
                total_episodes=case.steps * rows,
                num_sample_generations=0,
            )
        ),
        processing_class=AutoTokenizer.from_pretrained(checkpoint, padding_side="left"),
        model=policy,
        ref_model=AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32),
        reward_model=ScoringModel(source.scores),
        value_model=value_model,
        train_dataset=Dataset.from_dict({"input_ids": [[2]] * rows}),
        eval_dataset=Dataset.from_dict({"input_ids": [[2]] * rows}),
    )
    trainer.dataloader = source.prompts()
    tape = UpdateTape([*policy.parameters(), *value_model.parameters()])
    with tape.recording(), replayed(source):
        trainer.train()
    tape.save(case.folder / "trl.npz")
    rows_logged = [row for row in trainer.state.log_history if "objective/kl" in row]
    (case.folder / "trl.json").write_text(json.dumps(rows_logged), "utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for recorded_case in cases(Path(sys.argv[1]), "ppo"):
        replay(recorded_case)
