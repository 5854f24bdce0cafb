"""Trains TRL's PPO on the remarks task; writes one row of metrics per step.

python -P -m benchmarks.trl_side.ppo_curve FOLDER     (FOLDER/run, ours, has the options; → FOLDER/trl.json)
"""

import json
import sys
from pathlib import Path

import torch
from datasets import Dataset
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase
from trl.experimental.ppo import PPOConfig, PPOTrainer

from benchmarks.parity.value_model import value_model_of
from benchmarks.trl_side.arguments import PPO, arguments
from benchmarks.trl_side.recorded import config_of
from benchmarks.trl_side.reward_model import ScoringModel
from trainer.tasks import get_task, positivity, remarks


class Positivity:
    """The learned reward of the remarks task, on token ids: every prompt takes `context` tokens, padding included."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, context: int) -> None:
        self._tokenizer = tokenizer
        self._context = context

    def __call__(self, input_ids_BS: Tensor, attention_mask_BS: Tensor) -> Tensor:
        rows = zip(input_ids_BS[:, self._context :], attention_mask_BS[:, self._context :].bool(), strict=True)
        texts = [self._tokenizer.decode(ids[mask], skip_special_tokens=True) for ids, mask in rows]
        return torch.tensor([positivity.score(text, remarks.positivity_weights()) for text in texts])


def train(folder: Path) -> None:
    """Train with the options of our run."""
    config = config_of(folder)
    task = get_task(config["task"])
    tokenizer = AutoTokenizer.from_pretrained(task.checkpoint, padding_side="left")
    prompts = [row["prompt"] for row in task.prompts(seed=config["seed"])]
    ids = tokenizer(prompts, padding=True)["input_ids"]
    trainer = PPOTrainer(
        args=PPOConfig(
            **arguments(
                config,
                PPO,
                output_dir=str(folder / "trl"),
                total_episodes=config["max_steps"] * config["per_device_train_batch_size"],
                num_sample_generations=0,
            )
        ),
        processing_class=tokenizer,
        model=AutoModelForCausalLM.from_pretrained(task.checkpoint, dtype=torch.float32),
        ref_model=AutoModelForCausalLM.from_pretrained(task.checkpoint, dtype=torch.float32),
        reward_model=ScoringModel(Positivity(tokenizer, len(ids[0]))),
        value_model=value_model_of(task.checkpoint),
        train_dataset=Dataset.from_dict({"input_ids": ids}),
        eval_dataset=Dataset.from_dict({"input_ids": ids[:2]}),
    )
    trainer.train()
    rows = [row for row in trainer.state.log_history if "objective/kl" in row]
    (folder / "trl.json").write_text(json.dumps(rows), "utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(Path(sys.argv[1]))
