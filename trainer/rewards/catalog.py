"""The reward functions that come with the trainer, by the names that a config gives them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from trainer.rewards import demo, faulty
from trainer.rewards import final_answer as answers
from trainer.rewards import format as form
from trainer.rewards.function import Function
from trainer.rewards.reward_model import reward_model
from trainer.rewards.sentiment import sentiment


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A reward function that comes with the trainer; it takes nothing, a number or a text behind a colon."""

    summary: str
    make: Callable[[Any], Function]
    """The number or text behind the colon → the function."""
    number: str = ""
    """What that number means; empty where the function takes none."""
    default: float | None = 0.0
    """The number when none is given; None where one must be given."""
    must_be_positive: bool = False
    """Whether the number must be above 0."""
    text: str = ""
    """What the text means; empty where the function takes none. It must be given."""
    takes_messages: bool = False
    """Whether conversations reach it as messages; else as plain text."""

    def form(self, name: str) -> str:
        """How it is written under that name: `keyword:WORD`, `length[:NUMBER]`."""
        if self.text:
            return f"{name}:{self.text}"
        number = ":NUMBER" if self.default is None else "[:NUMBER]"
        return f"{name}{number}" if self.number else name


BUILT_IN: Mapping[str, BuiltIn] = MappingProxyType(
    {
        "remark_positivity": BuiltIn("How positive a film remark sounds, 0 to 1.", lambda _: demo.remark_positivity),
        "addition_accuracy": BuiltIn("1 for the right sum, else 0.", lambda _: demo.addition_accuracy),
        "addition_format": BuiltIn("1 for a well-formed scratchpad, else 0.", lambda _: demo.addition_format),
        "exact_match": BuiltIn("1 where the final answer is the column `answer`.", lambda _: answers.exact_match),
        "numeric_match": BuiltIn(
            "1 where the last number is that of the column `answer`.",
            answers.numeric_match,
            "relative tolerance",
            1e-6,
            must_be_positive=True,
        ),
        "format": BuiltIn("1 for `<think>…</think><answer>…</answer>`, else 0.", lambda _: form.think_answer),
        "regex": BuiltIn("1 where the pattern is found in the completion, else 0.", form.regex, text="PATTERN"),
        "keyword": BuiltIn("1 where the completion has the word, else 0.", form.keyword, text="WORD"),
        "length": BuiltIn(
            "Length of the completion: learns to ramble.",
            form.length,
            "characters per point",
            10.0,
            must_be_positive=True,
        ),
        "repetition_penalty": BuiltIn(
            "Minus the share of word trigrams that are repeated.",
            form.repetition_penalty,
            "points for nothing but repetition",
            1.0,
            must_be_positive=True,
        ),
        "sentiment": BuiltIn("VADER's sentiment of the completion, -1 to 1.", lambda _: sentiment()),
        "reward_model": BuiltIn(
            "The score of a sequence classifier.", reward_model, text="FOLDER_OR_ID", takes_messages=True
        ),
        "exclamation": BuiltIn(
            "A bonus per exclamation mark: invites a hack.", faulty.exclamation, "points per mark", 0.3
        ),
        "constant": BuiltIn("The same for every completion: nothing to learn from.", faulty.constant, "points", 0.0),
        "random": BuiltIn("Chance, uniform in 0 to 1: a control without signal.", faulty.random, "seed", 0.0),
        "nan_after": BuiltIn(
            "0, and NaN once it was called that often: a faulty reward.", faulty.nan_after, "calls", None
        ),
    }
)
