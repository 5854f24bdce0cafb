"""A TRL training with the DiagnosisCallback in it: GRPO or RLOO on the addition demo, run by TRL's Python.

python followed.py MODEL FOLDER grpo|rloo STEPS [STOP_ON]
"""

import sys

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

import rlvitals

TRAINERS = {"grpo": (GRPOTrainer, GRPOConfig), "rloo": (RLOOTrainer, RLOOConfig)}


def brevity(completions: list[str], **columns: list[object]) -> list[float]:
    """The fewer characters, the better."""
    return [-float(len(text)) for text in completions]


def main(model: str, folder: str, algorithm: str, steps: str, stop_on: str = "") -> None:
    """Train with answers of three tokens, which cuts every one of them off."""
    trainer_class, config_class = TRAINERS[algorithm]
    args = config_class(
        output_dir=folder,
        report_to="none",
        logging_steps=1,
        save_strategy="no",
        max_steps=int(steps),
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=3,
        use_cpu=True,
        bf16=False,
        disable_tqdm=True,
        seed=0,
    )
    tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
    rows = Dataset.from_list([{"prompt": f"{one}+{two}="} for one in range(10, 18) for two in range(20, 28)])
    policy = AutoModelForCausalLM.from_pretrained(model)
    callback = rlvitals.DiagnosisCallback(stop_on=stop_on or None)
    trainer = trainer_class(
        policy, brevity, args=args, train_dataset=rows, processing_class=tokenizer, callbacks=[callback]
    )
    trainer.train()
    sys.stdout.write(f"stopped for {callback.stopped_for!r} at step {trainer.state.global_step}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
