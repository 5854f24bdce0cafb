"""RLOO with TRL, followed by rlvitals: takes every argument of RLOOConfig, a model, and a JSONL file of prompts."""

from dataclasses import dataclass

from datasets import load_dataset
from rewards import reward
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import RLOOConfig, RLOOTrainer

import rlvitals


@dataclass
class Inputs:
    """What is trained, and on what."""

    model: str
    dataset: str


def main() -> None:
    """Train as the command line says."""
    inputs, args = HfArgumentParser((Inputs, RLOOConfig)).parse_args_into_dataclasses()
    args.logging_steps = 1
    trainer = RLOOTrainer(
        AutoModelForCausalLM.from_pretrained(inputs.model),
        reward,
        args=args,
        train_dataset=load_dataset("json", data_files=inputs.dataset, split="train"),
        processing_class=AutoTokenizer.from_pretrained(inputs.model, padding_side="left"),
        callbacks=[rlvitals.DiagnosisCallback()],
    )
    trainer.train()


if __name__ == "__main__":
    main()
