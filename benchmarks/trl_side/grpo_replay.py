"""Replays our rollouts in TRL's GRPO: the same completions and rewards through TRL's own trainer.

python -P -m benchmarks.trl_side.grpo_replay FOLDER

Completions come in through TRL's `rollout_func`, rewards through reward functions; no part of TRL is replaced. Each
case's folder gets the metrics in trl.json (one row per update) and the updates in trl.npz.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from trl import GRPOConfig, GRPOTrainer

from benchmarks.trl_side.arguments import GRPO
from benchmarks.trl_side.recorded import Recorded, cases
from benchmarks.trl_side.replay import ListedMetrics, Replay, config_arguments, train_and_save, trainer_arguments


class ListedTrainer(ListedMetrics, GRPOTrainer):
    """TRL's trainer, keeping the values of each pass."""


def replay(case: Recorded) -> None:
    """Train on the recorded rollouts of a case."""
    source = Replay(case)

    def rollout(prompts: list[str], trainer: GRPOTrainer) -> dict[str, Any]:
        prompt_ids, completion_ids = source.next_step()
        return {"prompt_ids": prompt_ids, "completion_ids": completion_ids, "logprobs": None}

    config = GRPOConfig(**config_arguments(case, GRPO))
    trainer = ListedTrainer(args=config, rollout_func=rollout, **trainer_arguments(case, source))
    train_and_save(trainer, case)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for recorded_case in cases(Path(sys.argv[1]), "grpo"):
        replay(recorded_case)
