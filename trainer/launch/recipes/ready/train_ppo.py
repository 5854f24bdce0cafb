"""PPO with TRL, followed by rlvitals: takes every argument of PPOConfig, the models, and a JSONL file of prompts."""

from dataclasses import dataclass

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    HfArgumentParser,
)
from trl.experimental.ppo import PPOConfig, PPOTrainer

import rlvitals


@dataclass
class Inputs:
    """What is trained, and on what."""

    model: str
    dataset: str


def main() -> None:
    """Train as the command line says; the value model begins as the reward model."""
    inputs, args = HfArgumentParser((Inputs, PPOConfig)).parse_args_into_dataclasses()
    args.num_sample_generations = 0
    tokenizer = AutoTokenizer.from_pretrained(inputs.model, padding_side="left")
    rows = load_dataset("json", data_files=inputs.dataset, split="train")
    tokens = rows.map(
        lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]}, remove_columns=rows.column_names
    )
    reward_model, value_model = (
        AutoModelForSequenceClassification.from_pretrained(args.reward_model_path, num_labels=1) for _ in range(2)
    )
    trainer = PPOTrainer(
        args=args,
        processing_class=tokenizer,
        model=AutoModelForCausalLM.from_pretrained(inputs.model),
        ref_model=AutoModelForCausalLM.from_pretrained(inputs.model),
        reward_model=reward_model,
        value_model=value_model,
        train_dataset=tokens,
        eval_dataset=tokens.select(range(min(8, len(tokens)))),
        callbacks=[rlvitals.DiagnosisCallback()],
    )
    trainer.train()


if __name__ == "__main__":
    main()
