"""Tests of unscorable-completions."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import engine
from diagnostics.rules.run.unscorable_completions import UnscorableCompletions

MakeRun = Callable[..., Run]
NAN = float("nan")


def outcome_of(
    make_run: MakeRun, tables: Sequence[Sequence[float | None]], logged: bool = True, algorithm: str = "grpo"
) -> Outcome:
    """The outcome on tables of samples, one per step, given by their rewards from a function that may give none."""
    rows = {
        step: tuple(Sample(step, "q", "r", rewards={} if item is None else {"exact": item}) for item in table)
        for step, table in enumerate(tables, start=1)
    }
    run = make_run(algorithm, functions={"reward_func_mean/exact": "0.5x9"} if logged else None, reward="0.5x9")
    run = replace(run, samples=Samples(tuple(rows), rows.__getitem__))
    (outcome,) = engine.evaluate(run, [UnscorableCompletions()])
    return outcome


@pytest.mark.parametrize(
    ("unscored", "severity"), [(1, Severity.WARNING), (9, Severity.WARNING), (10, Severity.CRITICAL)]
)
def test_a_twentieth_is_a_warning_and_half_is_critical(make_run: MakeRun, unscored: int, severity: Severity) -> None:
    outcome = outcome_of(make_run, [[None] * unscored + [0.0] * (20 - unscored)])
    assert (outcome.severity, outcome.measured, outcome.first_step) == (severity, unscored / 20, 1)


@pytest.mark.parametrize("algorithm", ["grpo", "rloo", "ppo"])
def test_every_algorithm_whose_reward_functions_may_give_up_is_judged(make_run: MakeRun, algorithm: str) -> None:
    assert outcome_of(make_run, [[None] * 10 + [1.0] * 10], algorithm=algorithm).severity is Severity.CRITICAL


def test_less_than_a_twentieth_is_quiet(make_run: MakeRun) -> None:
    assert outcome_of(make_run, [[None] + [0.0] * 20]).verdict is Verdict.QUIET


def test_a_reward_of_nan_is_none(make_run: MakeRun) -> None:
    assert outcome_of(make_run, [[NAN] * 10 + [1.0] * 10]).severity is Severity.CRITICAL


def test_only_the_last_five_tables_count(make_run: MakeRun) -> None:
    assert outcome_of(make_run, [[None] * 20] + [[1.0] * 20] * 5).verdict is Verdict.QUIET
    assert outcome_of(make_run, [[None] * 20] + [[1.0] * 20] * 4).verdict is Verdict.FIRED


def test_fifteen_samples_are_too_few(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run, [[None] * 15])
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"found": 15, "needed": 16})


def test_it_is_skipped_where_samples_carry_no_rewards(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run, [[None] * 20], logged=False)
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_no_samples_are_kept(make_run: MakeRun) -> None:
    assert outcome_of(make_run, []).verdict is Verdict.SKIPPED
