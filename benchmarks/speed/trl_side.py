"""TRL's side of the speed benchmark, run by TRL's own Python: one GRPO or PPO training with TRL 1.12.

python trl_side.py '{"algorithm": "grpo", "folder": "…", "output": "…", "batch": 64, …}'
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import transformers
from clock import record_time, reward
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer


class StubReward(torch.nn.Module):
    """A reward model in the form that TRL's PPO calls, at negligible cost: a token's id, modulo 7."""

    base_model_prefix = "backbone"

    def __init__(self) -> None:
        super().__init__()
        self.score = torch.nn.Identity()

    def backbone(self, input_ids: torch.Tensor, **options: Any) -> SimpleNamespace:
        record_time()
        return SimpleNamespace(hidden_states=[(input_ids % 7).float().unsqueeze(2)])


def grpo(case: SimpleNamespace, shared: dict[str, Any]) -> None:
    """TRL's GRPO with the case's settings."""
    from trl import GRPOConfig, GRPOTrainer  # noqa: PLC0415 - seconds to import, and each side needs one of the two

    args = GRPOConfig(
        **shared,
        num_generations=case.group,
        max_completion_length=case.new_tokens,
        beta=case.beta,
        num_iterations=case.epochs,
        temperature=1.0,
        max_steps=case.steps,
        shuffle_dataset=True,
    )
    model = AutoModelForCausalLM.from_pretrained(case.model, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(case.model, padding_side="left")
    trainer = GRPOTrainer(
        model, reward_funcs=reward, args=args, train_dataset=_prompts(case), processing_class=tokenizer
    )
    trainer.train()


def ppo(case: SimpleNamespace, shared: dict[str, Any]) -> None:
    """TRL's PPO with the case's settings; its value model is a second model of the same size."""
    from trl.experimental.ppo import PPOConfig, PPOTrainer  # noqa: PLC0415 - likewise

    args = PPOConfig(
        **shared,
        num_ppo_epochs=case.epochs,
        num_mini_batches=case.mini_batches,
        response_length=case.new_tokens,
        total_episodes=case.batch * case.steps,
        stop_token="eos",
        temperature=1.0,
        kl_coef=0.05,
        num_sample_generations=0,
    )
    tokenizer = AutoTokenizer.from_pretrained(case.model, padding_side="left")
    policy, reference = (AutoModelForCausalLM.from_pretrained(case.model, dtype=torch.float32) for _ in range(2))
    value = AutoModelForSequenceClassification.from_pretrained(case.model, num_labels=1, dtype=torch.float32)
    rows = [{"input_ids": tokenizer(row["prompt"])["input_ids"]} for row in _prompts(case)]
    trainer = PPOTrainer(
        args=args,
        processing_class=tokenizer,
        model=policy,
        ref_model=reference,
        reward_model=StubReward(),
        train_dataset=Dataset.from_list(rows),
        eval_dataset=Dataset.from_list(rows[: case.batch]),
        value_model=value,
    )
    trainer.train()


def main() -> None:
    """Run one case with TRL's defaults, but without reporting, saving and gradient checkpointing.

    TRL's GRPO recomputes activations by default, trading time for memory; the other side does not. A fair comparison
    does it on both sides or on neither.
    """
    case = SimpleNamespace(**json.loads(sys.argv[1]))
    case.model = str(Path(case.folder) / "model")
    if case.threads:
        torch.set_num_threads(case.threads)
    sys.stdout.write(f"threads {torch.get_num_threads()}\n")
    transformers.logging.set_verbosity_error()
    shared = {
        "output_dir": case.output,
        "per_device_train_batch_size": case.batch,
        "learning_rate": 1e-5,
        "lr_scheduler_type": "constant",
        "logging_steps": 1,
        "save_strategy": "no",
        "gradient_checkpointing": False,
        "report_to": "none",
        "disable_tqdm": True,
        "seed": case.seed,
        "use_cpu": True,
        "bf16": False,
    }
    {"grpo": grpo, "ppo": ppo}[case.algorithm](case, shared)


def _prompts(case: SimpleNamespace) -> Dataset:
    lines = (Path(case.folder) / "prompts.jsonl").read_text().splitlines()
    return Dataset.from_list([json.loads(line) for line in lines])


if __name__ == "__main__":
    main()
