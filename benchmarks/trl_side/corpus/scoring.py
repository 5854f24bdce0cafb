"""Greedy answers to held-out prompts, scored with the task's real score, and the prompts as text."""

from collections.abc import Sequence

import torch
from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerFast

from benchmarks.trl_runs.tasks.task import Problem, Task

_BATCH = 64
_ROOM = 1.5
"""The room for a greedy answer, in lengths of the longest right one."""
HELD_OUT = 128
"""Held-out problems that each training is scored on, the same for all of a task."""
_HELD_OUT_SEED = 7


def messages(question: str) -> list[dict[str, str]]:
    """A question as a chat."""
    return [{"role": "user", "content": question}]


def prompt_text(tokenizer: PreTrainedTokenizerFast, task: Task, question: str) -> str:
    """What the model reads before its answer."""
    if not task.is_chat:
        return question
    return str(tokenizer.apply_chat_template(messages(question), tokenize=False, add_generation_prompt=True))


def longest_answer(tokenizer: PreTrainedTokenizerFast, problems: Sequence[Problem]) -> int:
    """The tokens of the longest right answer, its end included."""
    return max(len(ids) for ids in tokenizer([problem.answer for problem in problems])["input_ids"]) + 1


@torch.no_grad()
def greedy_scores(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, task: Task, problems: Sequence[Problem], end: int
) -> list[float]:
    """The score of each greedy answer; `end` is the token that ends one."""
    model.eval()
    config = GenerationConfig(
        do_sample=False,
        max_new_tokens=round(_ROOM * longest_answer(tokenizer, problems)),
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=end,
        bos_token_id=None,
    )
    scores: list[float] = []
    for start in range(0, len(problems), _BATCH):
        batch = problems[start : start + _BATCH]
        prompts = [prompt_text(tokenizer, task, problem.question) for problem in batch]
        inputs = tokenizer(prompts, return_tensors="pt", padding=True)
        ids = model.generate(**inputs, generation_config=config)[:, inputs["input_ids"].shape[1] :]
        texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
        scores += [task.score(problem, text) for problem, text in zip(batch, texts, strict=True)]
    return scores


def held_out_scores(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, task: Task) -> list[float]:
    """The score of each greedy answer to the held-out problems."""
    problems = task.problems("held-out", HELD_OUT, _HELD_OUT_SEED)
    return greedy_scores(model, tokenizer, task, problems, tokenizer.eos_token_id)
