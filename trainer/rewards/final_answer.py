"""Rewards for questions with one right answer: does the completion's final answer match the dataset's?

The expected answer is in the column `answer` or `solution`. Both the column and the completion may use GSM8K's form
(`#### 42` at the end) or LaTeX's (`\\boxed{42}`).
"""

import math
import re
from typing import Any

Column = list[Any]

_BOXED = re.compile(r"\\boxed\s*\{")
_MARKED = re.compile(r"####\s*(.+)")
_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_NUMBER = re.compile(
    r"(?:(?<![\w.)])[-+−])?(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d*\.\d+|\d+)(?:[eE][-+]?\d+)?(?:\s*/\s*\d+)?"
)


def exact_match(
    prompts: list[str],
    completions: list[str],
    answer: Column | None = None,
    solution: Column | None = None,
    **columns: list[Any],
) -> list[float | None]:
    """1 if the final answer is the expected text, ignoring case and outer spaces, else 0; None without an answer."""
    expected = _expected(answer, solution)
    return [
        None if due is None else float(_plain_number(final_answer(completion)) == _plain_number(final_answer(str(due))))
        for completion, due in zip(completions, expected, strict=True)
    ]


def numeric_match(tolerance: float) -> Any:
    """The function that gives 1 if the last number is the expected one within a relative `tolerance`, else 0."""

    def numeric_match(
        prompts: list[str],
        completions: list[str],
        answer: Column | None = None,
        solution: Column | None = None,
        **columns: list[Any],
    ) -> list[float | None]:
        numbers = [None if due is None else last_number(final_answer(str(due))) for due in _expected(answer, solution)]
        return [
            None if number is None else float(_is_close(last_number(final_answer(completion)), number, tolerance))
            for completion, number in zip(completions, numbers, strict=True)
        ]

    return numeric_match


def final_answer(text: str) -> str:
    """What a text marks as its answer: the last `\\boxed{…}`, else after the last `####`, else `<answer>`, else all."""
    if (boxed := _last_boxed(text)) is not None:
        return boxed
    for form in (_MARKED, _TAGGED):
        if found := form.findall(text):
            return str(found[-1]).strip()
    return text.strip()


def last_number(text: str) -> float | None:
    """The last number of a text: `1,234.5`, `-3`, `2e5` and `1/4` are one each, and `20%` is 20; None without any."""
    found = _NUMBER.findall(text)
    return _value(found[-1]) if found else None


def _expected(answer: Column | None, solution: Column | None) -> Column:
    expected = answer if answer is not None else solution
    if expected is None:
        raise ValueError("the dataset has neither a column `answer` nor `solution`")
    return expected


def _plain_number(text: str) -> str:
    return " ".join(text.strip().strip("$").rstrip(".").split()).casefold()


def _last_boxed(text: str) -> str | None:
    """The content of the last `\\boxed{…}`, inner braces included; None where there is none that closes."""
    starts = [match.end() for match in _BOXED.finditer(text)]
    if not starts:
        return None
    depth = 1
    for end in range(starts[-1], len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[starts[-1] : end].strip()
    return None


def _value(number: str) -> float:
    numerator, _, denominator = number.replace(",", "").replace("−", "-").partition("/")
    divisor = float(denominator) if denominator else 1.0
    return float(numerator) / divisor if divisor else math.nan


def _is_close(found: float | None, expected: float, tolerance: float) -> bool:
    return found is not None and math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
