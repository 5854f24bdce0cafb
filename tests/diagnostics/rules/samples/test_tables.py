"""Tests of the budget: whatever the length of a run, few tables are read, and each only once."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.model.outcome import Verdict
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import evaluate
from diagnostics.rules.samples.tables import MOST_ROWS, onset, view

LOOP = "great film great film great film great film great film great film"
BUDGET = 60  # tables, of all checks together


@pytest.fixture
def long_run(make_run: Callable[..., Run]) -> Callable[..., tuple[Run, Counter[int]]]:
    """A run with as many tables, whose answers repeat themselves from a step on; and which steps were read."""

    def make(tables: int, sick_from: int, rows: int = 16) -> tuple[Run, Counter[int]]:
        read: Counter[int] = Counter()

        def load(step: int) -> tuple[Sample, ...]:
            read[step] += 1
            texts = [
                LOOP if step >= sick_from else f"word{step} says {row} and nothing else of it" for row in range(rows)
            ]
            return tuple(Sample(step, f"q{row}", text, score=row / 10) for row, text in enumerate(texts))

        return replace(make_run("ppo"), samples=Samples(tuple(range(1, tables + 1)), load)), read

    return make


def test_a_run_of_ten_thousand_tables_is_not_read_whole(long_run) -> None:
    run, read = long_run(10_000, sick_from=6000)
    fired = {outcome.rule for outcome in evaluate(run) if outcome.verdict is Verdict.FIRED}
    assert "smp-repetition" in fired
    assert (max(read.values()), len(read) <= BUDGET) == (1, True)


def test_the_beginning_of_a_finding_is_found(long_run) -> None:
    run, _ = long_run(200, sick_from=120)
    outcome = next(outcome for outcome in evaluate(run) if outcome.rule == "smp-repetition")
    assert outcome.first_step is not None
    assert 120 <= outcome.first_step <= 122
    assert (outcome.last_step, outcome.still) == (200, True)


def test_bisection_stops_within_its_budget(long_run) -> None:
    run, _ = long_run(10_000, sick_from=1)
    looked: list[int] = []
    assert onset(len(run.samples.steps) - 1, lambda table: looked.append(table) or table >= 6000) - 6000 <= 10_000 / 64
    assert len(looked) <= 7


def test_the_first_tables_and_the_newest_do_not_overlap(long_run) -> None:
    run, _ = long_run(5, sick_from=9)
    seen = view(run, 4)
    assert ({row.step for row in seen.first}, {row.step for row in seen.recent}) == ({1, 2}, {3, 4, 5})
    assert not view(run, 0).can_compare


def test_a_huge_table_is_read_as_far_as_its_first_rows(long_run) -> None:
    run, _ = long_run(9, sick_from=99, rows=500)
    assert len(view(run, 8).recent) == 3 * MOST_ROWS


def test_answers_to_held_out_prompts_are_not_judged(make_run: Callable[..., Run]) -> None:
    rows = (Sample(1, "q", "answer"), Sample(1, "q", "held out", split="eval"), Sample(1, "q", "another"))
    run = replace(make_run("ppo"), samples=Samples((1,), lambda step: rows))
    assert [(row.index, row.sample.response) for row in view(run, 0).recent] == [(0, "answer"), (2, "another")]
