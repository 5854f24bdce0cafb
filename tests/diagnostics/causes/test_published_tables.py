"""The tables that people published of engines apart, each in step and out of step, judged as logs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from tests.diagnostics.causes.explained import causes

TABLES = json.loads((Path(__file__).parents[2] / "fixtures" / "engine_tables" / "tables.json").read_text())
STEPS = 20  # as long as the trainings of TRL issue 5312; the last published figure is held to the end
JUDGED = {"engine-weights-stale", "engine-mismatch", "logp-diff-growing", "is-ratio-off"}


def path_of(figures: list[float] | str) -> str:
    if isinstance(figures, str):
        return figures
    *first, last = figures
    return " ".join([*map(str, first), f"{last}x{STEPS - len(first)}"])


def run_of(make_run: Callable[..., Run], table: dict[str, Any]) -> Run:
    metrics = {name: path_of(figures) for name, figures in table["metrics"].items()}
    return make_run("grpo", config=table.get("config"), **{"grad_norm": f"1x{STEPS}", **metrics})


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["source"])
def test_a_published_table_gives_the_cause_that_its_thread_found(make_run: Callable[..., Run], table) -> None:
    run = run_of(make_run, table)
    fired = {item.rule: str(item.severity) for item in evaluate(run) if item.severity and item.rule in JUDGED}
    if table["cause"] is None:
        assert fired == {}
        assert causes(run) == []
    else:
        assert fired[table["rule"]] == table["severity"]
        assert causes(run)[:1] == [table["cause"]]


def test_never_more_than_two_numbers_are_reported(make_run: Callable[..., Run]) -> None:
    """The ratio and the difference are two numbers; each is told once."""
    for table in TABLES:
        found = [item for item in evaluate(run_of(make_run, table)) if item.severity and item.rule in JUDGED]
        metrics = [item.metric for item in found if item.severity is not Severity.INFO]
        assert sorted(metrics) == sorted(set(metrics))
