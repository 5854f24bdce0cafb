"""The built-in reward functions as data; `trainer.rewards.catalog` holds their code. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A built-in reward function, which takes nothing, or a number or text after a colon."""

    summary: str
    number: str = ""
    """What its number means; empty where it takes none."""
    default: float | None = 0.0
    """The number when none is given; None where one must be given."""
    must_be_positive: bool = False
    """Whether the number must be above 0."""
    text: str = ""
    """What its text means; empty where it takes none. It must be given."""

    def syntax(self, name: str) -> str:
        """Its syntax under that name: `keyword:WORD`, `length[:NUMBER]`."""
        if self.text:
            return f"{name}:{self.text}"
        number = ":NUMBER" if self.default is None else "[:NUMBER]"
        return f"{name}{number}" if self.number else name


BUILT_IN: Mapping[str, BuiltIn] = MappingProxyType(
    {
        "remark_positivity": BuiltIn("How positive a film remark sounds, 0 to 1."),
        "addition_accuracy": BuiltIn("1 for the right sum, else 0."),
        "addition_format": BuiltIn("1 for a well-formed scratchpad, else 0."),
        "exact_match": BuiltIn("1 where the final answer is the column `answer`."),
        "numeric_match": BuiltIn(
            "1 where the last number is that of the column `answer`.", "relative tolerance", 1e-6, must_be_positive=True
        ),
        "format": BuiltIn("1 for `<think>…</think><answer>…</answer>`, else 0."),
        "regex": BuiltIn("1 where the pattern is found in the completion, else 0.", text="PATTERN"),
        "keyword": BuiltIn("1 where the completion has the word, else 0.", text="WORD"),
        "length": BuiltIn(
            "Length of the completion: learns to ramble.", "characters per point", 10.0, must_be_positive=True
        ),
        "repetition_penalty": BuiltIn(
            "Minus the share of word trigrams that are repeated.",
            "points for nothing but repetition",
            1.0,
            must_be_positive=True,
        ),
        "sentiment": BuiltIn("VADER's sentiment of the completion, -1 to 1."),
        "reward_model": BuiltIn("The score of a sequence classifier.", text="FOLDER_OR_ID"),
        "exclamation": BuiltIn("A bonus per exclamation mark: invites a hack.", "points per mark", 0.3),
        "constant": BuiltIn("The same for every completion: nothing to learn from.", "points", 0.0),
        "random": BuiltIn("Chance, uniform in 0 to 1: a control without signal.", "seed", 0.0),
        "nan_after": BuiltIn("0, and NaN once it was called that often: a faulty reward.", "calls", None),
    }
)
