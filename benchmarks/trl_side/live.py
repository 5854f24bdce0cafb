"""A TRL training for the test that opens a run while it trains: GRPO on the addition demo, run by TRL's Python.

python live.py MODEL FOLDER STEPS
"""

import sys

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def brevity(completions: list[str], **columns: list[object]) -> list[float]:
    """The fewer characters, the better."""
    return [-float(len(text)) for text in completions]


def main(model: str, folder: str, steps: str) -> None:
    """Train, with TensorBoard, a table of completions at every step, and a checkpoint every tenth step."""
    args = GRPOConfig(
        output_dir=folder,
        report_to="tensorboard",
        logging_steps=1,
        log_completions=True,
        save_steps=10,
        max_steps=int(steps),
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=8,
        use_cpu=True,
        bf16=False,
        seed=0,
    )
    tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
    rows = Dataset.from_list([{"prompt": f"{one}+{two}="} for one in range(10, 18) for two in range(20, 28)])
    policy = AutoModelForCausalLM.from_pretrained(model)
    GRPOTrainer(policy, brevity, args=args, train_dataset=rows, processing_class=tokenizer).train()


if __name__ == "__main__":
    main(*sys.argv[1:])
