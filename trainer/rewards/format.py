"""Rewards for a completion's form, not its content: length, format, words, repetition."""

import re
from typing import Any

from trainer.rewards.function import Function

NGRAM = 3  # words; repeats of this length are rarely chance

_THINK_ANSWER = re.compile(
    r"\s*<think>(?:(?!</?think>).)*</think>\s*<answer>(?:(?!</?answer>).)*</answer>\s*", re.DOTALL
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def think_answer(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
    """1 if a completion is exactly `<think>…</think><answer>…</answer>`, else 0."""
    return [float(_THINK_ANSWER.fullmatch(completion) is not None) for completion in completions]


def length(unit: float) -> Function:
    """The function that gives a point per `unit` characters."""

    def length(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [len(completion) / unit for completion in completions]

    return length


def regex(pattern: str) -> Function:
    """The function that gives 1 if the pattern is found in the completion, else 0."""
    compiled = re.compile(pattern, re.DOTALL)

    def regex(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [float(compiled.search(completion) is not None) for completion in completions]

    return regex


def keyword(word: str) -> Function:
    """The function that gives 1 if the completion has the whole word, in any case, else 0."""
    compiled = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)

    def keyword(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [float(compiled.search(completion) is not None) for completion in completions]

    return keyword


def repetition_penalty(weight: float) -> Function:
    """The function that gives −`weight` × the share of the completion's word trigrams that repeat earlier ones."""

    def repetition_penalty(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        return [-weight * repeated_share(completion) for completion in completions]

    return repetition_penalty


def repeated_share(text: str, ngram: int = NGRAM) -> float:
    """1 − distinct / all word n-grams, in 0 … 1; 0 for a text too short to repeat one."""
    words = _WORD.findall(text.lower())
    ngrams = [tuple(words[start : start + ngram]) for start in range(len(words) - ngram + 1)]
    return 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0
