"""The reward of train_grpo.py and train_rloo.py: write your own here."""

from typing import Any


def reward(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
    """1 for each completion that holds the row's `answer`; without answers, the shorter the better."""
    answers = columns.get("answer")
    if answers is None:
        return [-float(len(completion)) for completion in completions]
    return [float(str(answer) in completion) for completion, answer in zip(completions, answers, strict=True)]
