"""The time budget in reports: one line for people, the same in full for programs."""

from typing import Any

from diagnostics.model.run import Run
from diagnostics.time_budget.bottleneck import bottleneck
from diagnostics.time_budget.budget import time_budget
from diagnostics.time_budget.tail import tail
from diagnostics.wording.time_budget import budget_sentence, shares_line


def time_lines(run: Run) -> tuple[str, ...]:
    """What holds the run up, and what the stages of a step take; empty where the log does not tell."""
    budget = time_budget(run)
    return () if budget is None else (budget_sentence(run, budget), shares_line(budget))


def time_document(run: Run) -> dict[str, Any] | None:
    """The budget for programs: mean seconds, shares, and what holds the run up; None where the log does not tell."""
    budget = time_budget(run)
    if budget is None:
        return None
    holds_up, longest = bottleneck(budget), tail(run, budget)
    return {
        "sentence": budget_sentence(run, budget),
        "steps": int(budget.known.sum()),
        "step_seconds": budget.mean_step,
        "shares": budget.shares,
        "beside_seconds": {name: budget.mean(values) for name, values in budget.beside.items()},
        "overlap": budget.overlap,
        "bottleneck": None
        if holds_up is None
        else {
            "stage": holds_up.stage,
            "share": holds_up.share,
            "without": holds_up.without,
            "is_bound": holds_up.is_bound,
            "rivals": holds_up.rivals,
        },
        "tail": None
        if longest is None
        else {"share": longest.share, "limit": longest.limit, "with_limit": longest.with_limit},
    }
