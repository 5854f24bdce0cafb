"""Replays our rollouts in TRL's RLOO: the same completions and rewards through TRL's own trainer.

python -P -m benchmarks.trl_side.rloo_replay FOLDER

RLOOTrainer has no `rollout_func`: its tokenising and sampling are replaced to return the recorded ids; rewards come
through reward functions, and everything else is TRL's. Each case's folder gets the metrics in trl.json (one row per
update) and the updates in trl.npz.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from trl import RLOOConfig, RLOOTrainer

from benchmarks.trl_side.arguments import RLOO
from benchmarks.trl_side.recorded import Recorded, cases
from benchmarks.trl_side.replay import ListedMetrics, Replay, config_arguments, train_and_save, trainer_arguments


class ReplayingTrainer(ListedMetrics, RLOOTrainer):
    """TRL's trainer with recorded completions, keeping the values of each pass."""

    source: Replay

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
        prompt_ids, self._recorded_ids = self.source.next_step()
        return prompt_ids, None, {}

    def _generate_single_turn(self, *_: Any) -> list[list[int]]:
        return self._recorded_ids


def replay(case: Recorded) -> None:
    """Train on the recorded rollouts of a case."""
    source = Replay(case)
    config = RLOOConfig(**config_arguments(case, RLOO))
    trainer = ReplayingTrainer(args=config, **trainer_arguments(case, source))
    trainer.source = source
    train_and_save(trainer, case)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for recorded_case in cases(Path(sys.argv[1]), "rloo"):
        replay(recorded_case)
