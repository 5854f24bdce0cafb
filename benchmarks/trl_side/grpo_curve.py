"""Trains TRL's GRPO on the addition task; writes one row of metrics per step.

python -P -m benchmarks.trl_side.grpo_curve FOLDER     (FOLDER/run, ours, has the options; → FOLDER/trl.json)
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from benchmarks.trl_side.arguments import GRPO, arguments
from benchmarks.trl_side.recorded import config_of
from trainer.tasks import addition, get_task


def addition_accuracy(prompts: list[str], completions: list[str], answer: list[Any], **columns: Any) -> list[float]:
    """1 if the text after the optional scratchpad is the answer, else 0."""
    return [float(addition.final_answer(c) == str(a)) for c, a in zip(completions, answer, strict=True)]


def train(folder: Path, trainer_class: type[Any], config_class: type[Any], names: tuple[str, ...]) -> None:
    """Train with those options of our run that TRL's configuration also has."""
    config = config_of(folder)
    task = get_task(config["task"])
    options = arguments(config, names, output_dir=str(folder / "trl"), max_steps=config["max_steps"])
    trainer = trainer_class(
        model=AutoModelForCausalLM.from_pretrained(task.checkpoint, dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained(task.checkpoint, padding_side="left"),
        args=config_class(**options),
        reward_funcs=[addition_accuracy],
        train_dataset=Dataset.from_list(task.prompts(seed=config["seed"])),
    )
    trainer.train()
    rows = [row for row in trainer.state.log_history if "loss" in row]
    (folder / "trl.json").write_text(json.dumps(rows), "utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(Path(sys.argv[1]), GRPOTrainer, GRPOConfig, GRPO)
