"""Faults of the data: prompts that are too easy or too hard for the model of the addition task."""

from collections.abc import Sequence

from trainer.faults.fault import Case, Fault, Row, Sign
from trainer.tasks.addition import Sum

_HUNDREDS = 100


def too_easy(rows: Sequence[Row]) -> list[Row]:
    """The sums with their scratchpad filled in, so that nearly every answer is right."""
    return [{**row, "prompt": row["prompt"] + _sum(row).scratchpad} for row in rows]


def too_hard(rows: Sequence[Row]) -> list[Row]:
    """Three-digit sums, which the checkpoint has never seen."""
    return [_with_hundreds(row) for row in rows]


def _sum(row: Row) -> Sum:
    left, _, right = row["prompt"].rstrip("=").partition("+")
    return Sum(int(left), int(right))


def _with_hundreds(row: Row) -> Row:
    problem = _sum(row)
    larger = Sum(_HUNDREDS + problem.left, _HUNDREDS + problem.right)
    return {**row, "prompt": larger.prompt, "answer": larger.answer}


FAULTS = (
    Fault(
        "too-easy-data",
        "The prompts are too easy",
        "Each sum comes with its scratchpad filled in, so that nearly every answer is right: nothing is left to learn.",
        cause="task-too-easy",
        rules=("zero-variance-groups", "reward-saturated"),
        cases=(
            Case("grpo", "addition", {}, Sign("frac_reward_zero_std", "above", 0.6), rows=too_easy),
            Case("ppo", "addition", {}, Sign("objective/scores", "above", 0.95), steps=10, rows=too_easy),
        ),
    ),
    Fault(
        "too-hard-data",
        "The prompts are too hard",
        "Sums of three digits, which the model cannot do at all: no reward, and nothing to learn from.",
        cause="no-reward-signal",
        rules=("reward-stuck-at-floor", "zero-variance-groups", "reward-func-constant", "reward-regression"),
        cases=(
            Case("grpo", "addition", {}, Sign("frac_reward_zero_std", "above", 0.9), rows=too_hard),
            Case("ppo", "addition", {}, Sign("objective/scores", "below", 0.02), rows=too_hard),
        ),
    ),
)
