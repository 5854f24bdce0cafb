"""A cell's trainer: TRL's own class and arguments, with the cell's task, model, reward functions and fault."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, PreTrainedModel, Trainer

from benchmarks.trl_runs.tasks.task import Problem, Score, Task
from benchmarks.trl_side.corpus.rewards import rewards_of, text_of, total
from benchmarks.trl_side.corpus.scoring import longest_answer, messages, prompt_text
from benchmarks.trl_side.corpus.tokenization import load_tokenizer
from benchmarks.trl_side.reward_model import ScoringModel

PROMPTS = 512
_LOST = "answer: "
_HERE: Mapping[str, Any] = {
    "use_cpu": not torch.cuda.is_available(),
    "bf16": False,
    "gradient_checkpointing": False,
    "report_to": ["tensorboard", "wandb", "trackio"],
    "save_strategy": "no",
}


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What both kinds of trainer are made of. `limit` is the room for an answer, in tokens."""

    plan: Mapping[str, Any]
    task: Task
    taught: Path
    model: PreTrainedModel
    tokenizer: Any
    problems: Sequence[Problem]
    limit: int
    arguments: Mapping[str, Any]

    @property
    def questions(self) -> list[str]:
        """The questions that the model gets: the fault may have lost them on the way."""
        lost = self.plan["data"] == "lost"
        return [_LOST if lost else problem.question for problem in self.problems]

    @property
    def rewards(self) -> Mapping[str, Score]:
        """The reward functions, as the fault leaves them."""
        return rewards_of(self.task, self.plan["reward"], self.plan["seed"])


def trainer_of(plan: Mapping[str, Any], task: Task, taught: Path, model: PreTrainedModel, folder: Path) -> Trainer:
    """The trainer of a plan, ready to train `model`, which was loaded from `taught`."""
    tokenizer = load_tokenizer(taught)
    problems, limit = problems_and_limit(plan, task, tokenizer)
    if plan["end"]:
        tokenizer.eos_token = plan["end"]
        model.generation_config.eos_token_id = model.config.eos_token_id = tokenizer.eos_token_id
    arguments = {
        **_HERE,
        **plan["settings"],
        "output_dir": str(folder / "output"),
        "logging_steps": plan["logging_steps"],
        "seed": plan["seed"],
        "run_name": plan["name"],
        "project": plan["name"],  # trackio has a database per project
        "disable_tqdm": random.Random(plan["name"]).random() < 0.5,
    }
    make = _ppo if plan["algorithm"] == "ppo" else _groups
    return make(_Prepared(plan, task, taught, model, tokenizer, problems, limit, arguments))


def problems_and_limit(plan: Mapping[str, Any], task: Task, tokenizer: Any) -> tuple[Sequence[Problem], int]:
    """What a plan trains on, and the room for an answer in tokens, which goes with the usual problems."""
    usual = task.problems("train", PROMPTS, plan["seed"])
    is_other = plan["data"] in ("easy", "hard")
    problems = task.problems("train", PROMPTS, plan["seed"], plan["data"]) if is_other else usual
    return problems, max(1, round(plan["room"] * longest_answer(tokenizer, usual)))


def _groups(made: _Prepared) -> Trainer:
    """GRPO or RLOO: reward functions see texts, a prompt is a text or a chat."""
    from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer  # noqa: PLC0415 - the other TRL has no PPO

    is_grpo = made.plan["algorithm"] == "grpo"
    config, trainer = (GRPOConfig, GRPOTrainer) if is_grpo else (RLOOConfig, RLOOTrainer)
    arguments = {**made.arguments, "max_completion_length": made.limit, "max_steps": made.plan["steps"]}
    if arguments.pop("generation_kwargs", None):
        arguments["generation_kwargs"] = {"min_new_tokens": made.limit}
    prompts = [messages(question) if made.task.is_chat else question for question in made.questions]
    return trainer(
        model=made.model,
        processing_class=made.tokenizer,
        args=config(**arguments),
        reward_funcs=[_as_reward_function(name, score, made.problems) for name, score in made.rewards.items()],
        train_dataset=Dataset.from_dict({"prompt": prompts, "row": list(range(len(prompts)))}),
    )


def _as_reward_function(name: str, score: Score, problems: Sequence[Problem]) -> Callable[..., list[float]]:
    """A reward function as TRL calls it; TRL logs it under its name."""

    def reward(prompts: Any, completions: Any, row: Sequence[int], **columns: Any) -> list[float]:
        return [score(problems[at], text_of(text)) for at, text in zip(row, completions, strict=True)]

    reward.__name__ = name
    return reward


def _ppo(made: _Prepared) -> Trainer:
    """PPO: a reward model sees token ids, so that every prompt is padded to the same length."""
    from trl.experimental.ppo import PPOConfig, PPOTrainer  # noqa: PLC0415 - the other TRL has none

    texts = [prompt_text(made.tokenizer, made.task, question) for question in made.questions]
    ids = made.tokenizer(texts, padding=True)["input_ids"]
    device_batch = made.arguments["per_device_train_batch_size"]
    episodes = made.plan["steps"] * device_batch * made.arguments["num_mini_batches"]
    by_prompt = dict(zip(map(tuple, ids), made.problems, strict=True))
    score = partial(total, made.rewards)
    dataset = Dataset.from_dict({"input_ids": ids})
    return PPOTrainer(
        args=PPOConfig(**made.arguments, response_length=made.limit, stop_token="eos", total_episodes=episodes),
        processing_class=made.tokenizer,
        model=made.model,
        ref_model=AutoModelForCausalLM.from_pretrained(made.taught, dtype=made.model.dtype),
        reward_model=ScoringModel(partial(_score_rows, made.tokenizer, len(ids[0]), by_prompt, score)),
        value_model=_value_model(made.taught, made.model.dtype),
        train_dataset=dataset,
        eval_dataset=dataset.select(range(device_batch)),
    )


def _score_rows(
    tokenizer: Any,
    context: int,
    by_prompt: Mapping[tuple[int, ...], Problem],
    score: Score,
    input_ids_BS: Tensor,
    attention_mask_BS: Tensor,
) -> Tensor:
    scores = []
    for ids, mask in zip(input_ids_BS.tolist(), attention_mask_BS.bool().tolist(), strict=True):
        answer = [token for token, is_text in zip(ids[context:], mask[context:], strict=True) if is_text]
        problem = by_prompt[tuple(ids[:context])]
        scores.append(score(problem, tokenizer.decode(answer, skip_special_tokens=True)))
    return torch.tensor(scores, device=input_ids_BS.device)


def _value_model(taught: Path, dtype: torch.dtype) -> PreTrainedModel:
    """The taught model's body with one output that starts at 0."""
    model: PreTrainedModel = AutoModelForSequenceClassification.from_pretrained(taught, num_labels=1, dtype=dtype)
    torch.nn.init.zeros_(model.score.weight)
    return model
