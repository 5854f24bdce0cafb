"""The rewards of the demo tasks."""

from typing import Any

from trainer.tasks import addition, positivity, remarks


def remark_positivity(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
    """How positive the completion sounds to the remarks task's learned reward, in 0 … 1."""
    weights = remarks.positivity_weights()
    return [positivity.score(completion, weights) for completion in completions]


def addition_accuracy(
    prompts: list[str], completions: list[str], answer: list[str | int], **columns: list[Any]
) -> list[float]:
    """1 where the text after the optional scratchpad is the answer, else 0."""
    return [float(addition.final_answer(c) == str(a)) for c, a in zip(completions, answer, strict=True)]


def addition_format(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
    """1 where the completion starts with a scratchpad that adds the prompt's digits, else 0."""
    return [float(addition.uses_scratchpad(p, c)) for p, c in zip(prompts, completions, strict=True)]
