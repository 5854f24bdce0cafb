"""A cell's training with the first PPOTrainer of TRL: the loop that its users wrote around `step` and `log_stats`."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import torch
from accelerate.tracking import TensorBoardTracker
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import AutoModelForCausalLMWithValueHead, PPOConfig, PPOTrainer, create_reference_model
from trl.core import convert_to_scalar

from benchmarks.trl_runs.tasks.task import Problem, Task
from benchmarks.trl_side.corpus.rewards import rewards_of, total
from benchmarks.trl_side.corpus.scoring import prompt_text
from benchmarks.trl_side.corpus.tokenization import load_tokenizer
from benchmarks.trl_side.corpus.training import problems_and_limit

_OF_GENERATION = ("temperature", "top_k")
_PROJECT = "trl"
_LOST = "answer: "
_PRINTED = (
    "env/reward_mean",
    "env/reward_std",
    "objective/kl",
    "objective/kl_coef",
    "objective/entropy",
    "ppo/policy/entropy",
    "ppo/policy/approxkl",
    "ppo/policy/clipfrac",
    "ppo/loss/policy",
    "ppo/loss/value",
    "ppo/val/clipfrac",
    "ppo/val/var_explained",
    "tokens/responses_len_mean",
)


class TrainerWithBothTrackers(PPOTrainer):  # type: ignore[misc]  # TRL is not installed where types are checked
    """TRL logs to W&B or to TensorBoard; this one does both, each as TRL would have done alone.

    `rows` gets the scalars of each step as JSON lines. `config.log_with` must be "wandb".
    """

    def __init__(self, *, tensorboard: Path, rows: TextIO, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._rows = rows
        self._wandb = list(self.accelerator.trackers)
        self._tensorboard = [TensorBoardTracker(_PROJECT, tensorboard)]
        self._tensorboard[0].store_init_configuration({**self.config.to_dict(), "log_with": "tensorboard"})

    def log_stats(self, stats: dict[str, Any], batch: dict[str, Any], rewards: list[torch.Tensor]) -> None:
        """One row in each log. W&B comes last, which refuses an array with a value that is no number."""
        scalars = convert_to_scalar(stats)
        for log_with, trackers, row in (("tensorboard", self._tensorboard, scalars), ("wandb", self._wandb, stats)):
            self.config.log_with, self.accelerator.trackers = log_with, trackers
            super().log_stats(dict(row), batch, rewards)

    def end_logs(self, exit_code: int) -> None:
        """Write what the trackers still hold. W&B keeps how the process ended, as it does by itself."""
        for tracker in self._tensorboard:
            tracker.finish()
        for tracker in self._wandb:
            tracker.tracker.finish(exit_code=exit_code)

    def print_row(self, step: int, steps: int, stats: Mapping[str, Any], rewards: list[torch.Tensor]) -> None:
        """The line of a step on the console, and its row for other programs."""
        reward_B = torch.stack(rewards)
        values = {"env/reward_mean": reward_B.mean().item(), "env/reward_std": reward_B.std().item()}
        numbers = {name: value for name, value in convert_to_scalar(stats).items() if isinstance(value, int | float)}
        row = {**numbers, **values}
        self._rows.write(json.dumps({"step": step, **row}) + "\n")
        printed = " | ".join(f"{name}: {row[name]:.4g}" for name in _PRINTED)
        sys.stdout.write(f"Step {step}/{steps} | {printed}\n")
        sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class Training:
    """A plan that is ready to be trained. `limit` is the room for an answer, in tokens."""

    plan: Mapping[str, Any]
    task: Task
    taught: Path
    tokenizer: PreTrainedTokenizerFast
    problems: Sequence[Problem]
    limit: int

    @property
    def config(self) -> dict[str, Any]:
        """TRL's own arguments."""
        names = {*_OF_GENERATION, "generation_kwargs"}
        return {name: value for name, value in self.plan["settings"].items() if name not in names}

    @property
    def generation(self) -> dict[str, Any]:
        """What `generate` is called with: as TRL's documentation has it, unless a fault changes it."""
        settings = self.plan["settings"]
        return {
            "do_sample": True,
            "top_k": 0,
            "top_p": 1.0,
            **{name: settings[name] for name in _OF_GENERATION if name in settings},
            "max_new_tokens": self.limit,
            "pad_token_id": self.tokenizer.pad_token_id,
            "eos_token_id": self.tokenizer.eos_token_id,
            **({"min_new_tokens": self.limit} if settings.get("generation_kwargs") else {}),
        }

    def batches(self, size: int) -> Iterator[tuple[list[Problem], list[torch.Tensor], list[str]]]:
        """Problems with their prompts, as token ids and as text, endlessly."""
        lost, order = self.plan["data"] == "lost", self._order()
        while chosen := [self.problems[at] for at in islice(order, size)]:
            texts = [prompt_text(self.tokenizer, self.task, _LOST if lost else each.question) for each in chosen]
            yield chosen, [torch.tensor(self.tokenizer(text)["input_ids"]) for text in texts], texts

    def _order(self) -> Iterator[int]:
        """All problems over and over, in an order drawn anew each time."""
        generator = torch.Generator().manual_seed(self.plan["seed"])
        while True:
            yield from torch.randperm(len(self.problems), generator=generator).tolist()


def prepared(plan: Mapping[str, Any], task: Task, taught: Path) -> Training:
    """What a plan's training needs, its fault in it."""
    tokenizer = load_tokenizer(taught)
    tokenizer.padding_side = "right"  # TRL scores without position ids: padding on the left would shift GPT-2's
    problems, limit = problems_and_limit(plan, task, tokenizer)
    if plan["end"]:
        tokenizer.eos_token = plan["end"]
    return Training(plan, task, taught, tokenizer, problems, limit)


def policy_of(training: Training) -> Any:
    """The taught model with a value head."""
    dtype = getattr(torch, training.plan["weights"])
    model = AutoModelForCausalLM.from_pretrained(training.taught, torch_dtype=dtype)
    return AutoModelForCausalLMWithValueHead.from_pretrained(model)


def train(training: Training, policy: Any, folder: Path, rows: TextIO) -> Iterator[int]:
    """Train a policy in place, logging into a folder; yields each step's number when it is done."""
    plan = training.plan
    config = PPOConfig(
        **training.config,
        seed=plan["seed"],
        model_name=plan["architecture"],
        task_name=plan["task"],
        query_dataset=plan["task"],
        reward_model=plan["task"],
        log_with="wandb",
        tracker_project_name=_PROJECT,
        tracker_kwargs={"wandb": {"name": plan["name"], "dir": str(folder)}},
        project_kwargs={"logging_dir": str(folder / "output")},
        accelerator_kwargs={"cpu": True},
    )
    trainer = TrainerWithBothTrackers(
        tensorboard=folder / "output",
        rows=rows,
        config=config,
        model=policy,
        ref_model=create_reference_model(policy),
        tokenizer=training.tokenizer,
    )
    try:
        yield from _steps(training, trainer)
    except BaseException:
        trainer.end_logs(exit_code=1)
        raise
    trainer.end_logs(exit_code=0)


def _steps(training: Training, trainer: TrainerWithBothTrackers) -> Iterator[int]:
    plan, config = training.plan, trainer.config
    rewards = rewards_of(training.task, plan["reward"], plan["seed"])
    batches = training.batches(config.batch_size)
    for step, (problems, query_tensors, texts) in enumerate(islice(batches, plan["steps"]), start=1):
        response_tensors = trainer.generate(
            query_tensors, return_prompt=False, batch_size=config.batch_size, **training.generation
        )
        answers = training.tokenizer.batch_decode(response_tensors, skip_special_tokens=True)
        scores = [
            torch.tensor(float(total(rewards, problem, answer)))
            for problem, answer in zip(problems, answers, strict=True)
        ]
        stats = trainer.step(query_tensors, response_tensors, list(scores))
        batch = {"query": texts, "response": training.tokenizer.batch_decode(response_tensors)}
        trainer.print_row(step, plan["steps"], stats, scores)
        trainer.log_stats(stats, batch, scores)
        yield step
