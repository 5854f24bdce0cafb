"""Tests of train-eval-divergence."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules.run.train_eval_divergence import TrainEvalDivergence

MakeRun = Callable[..., Run]


def outcome_of(make_run: MakeRun, evaluations: str, reward: str, **more: Any) -> Outcome:
    """Evaluations at every tenth step beside a training reward at every step."""
    run = make_run("grpo", reward=reward, functions={"eval/reward": evaluations}, **more)
    held_out = run.series["eval/reward"]
    held_out = replace(held_out, steps=np.arange(10, 10 * len(held_out) + 1, 10))
    (outcome,) = engine.evaluate(replace(run, series={**run.series, "eval/reward": held_out}), [TrainEvalDivergence()])
    return outcome


def test_five_falling_evaluations_under_a_rising_reward_are_critical(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run, "0.5x5 0.6..0.4x5", "0.3..0.9x100")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 60, 100)
    assert (outcome.message.values["before"], outcome.measured) == (0.6, 0.4)


def test_one_of_them_that_does_not_fall_keeps_it_quiet(make_run: MakeRun) -> None:
    assert outcome_of(make_run, "0.5x5 0.6 0.55 0.56 0.45 0.4", "0.3..0.9x100").verdict is Verdict.QUIET


def test_a_training_reward_that_falls_as_well_is_a_regression(make_run: MakeRun) -> None:
    assert outcome_of(make_run, "0.5x5 0.6..0.4x5", "0.9..0.3x100").verdict is Verdict.QUIET


def test_a_fall_within_the_error_of_an_evaluation_is_quiet(make_run: MakeRun) -> None:
    config = {"num_eval_prompts": 100}
    run = make_run(
        "grpo",
        reward="0.3..0.9x100",
        config=config,
        functions={"eval/reward": "0.5x5 0.69..0.5x5", "eval/reward_std": "0.5x10"},
    )
    (outcome,) = engine.evaluate(run, [TrainEvalDivergence()])
    assert (outcome.verdict, outcome.limit) == (Verdict.QUIET, 0.2)


def test_a_short_run_says_how_many_evaluations_it_needs(make_run: MakeRun) -> None:
    few = outcome_of(make_run, "0.6..0.4x4", "0.3..0.9x40")
    without_error = outcome_of(make_run, "0.5x3 0.6..0.4x5", "0.3..0.9x80")
    assert (few.verdict, few.message.values) == (Verdict.SKIPPED, {"needed": 5, "found": 4})
    assert (without_error.verdict, without_error.message.values) == (Verdict.SKIPPED, {"needed": 9, "found": 8})


def test_it_is_skipped_where_nothing_is_evaluated(make_run: MakeRun) -> None:
    (outcome,) = engine.evaluate(make_run("grpo", reward="0.5x50"), [TrainEvalDivergence()])
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)
