"""Tests of resume-jump, and of where a run was taken up again."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.series import Series
from diagnostics.rules import evaluate
from diagnostics.rules.attempts import resumptions

RULE = "resume-jump"
MakeRun = Callable[..., Run]


def noisy(before: float, after: float, seed: int = 1, deviation: float = 0.01) -> np.ndarray:
    """Thirty points of one level and thirty of another."""
    noise = np.random.default_rng(seed).normal(scale=deviation, size=60)
    return np.repeat([before, after], 30) + noise


def outcome_of(run: Run, *resumed_after: int) -> Outcome | None:
    found = evaluate(replace(run, resumed_after=resumed_after))
    return next((outcome for outcome in found if outcome.rule == RULE), None)


def test_two_metrics_that_jump_where_the_run_was_resumed_are_a_warning(make_run: MakeRun) -> None:
    run = make_run("grpo", reward=noisy(0.5, 0.2), entropy_per_token=noisy(1.0, 2.0, 2), grad_norm=noisy(1, 1, 3))
    outcome = outcome_of(run, 30)
    assert outcome is not None
    assert (outcome.severity, outcome.first_step, outcome.metric) == (Severity.WARNING, 31, "entropy_per_token")


def test_one_metric_may_have_a_reason_of_its_own(make_run: MakeRun) -> None:
    run = make_run("grpo", reward=noisy(0.5, 0.2), entropy_per_token=noisy(1.0, 1.0, 2), grad_norm=noisy(1, 1, 3))
    outcome = outcome_of(run, 30)
    assert outcome is not None
    assert outcome.verdict is Verdict.QUIET


@pytest.mark.parametrize(("change", "severity"), [(0.041, Severity.WARNING), (0.039, None)])
def test_a_jump_is_more_than_four_deviations(make_run: MakeRun, change: float, severity: Severity | None) -> None:
    spread = np.tile([-1.0, 1.0], 15) * 0.01 / 1.4826  # of which the robust deviation is 0.01
    before, after = 0.1 + spread, np.full(30, 0.1 + change + spread[-1])
    path = np.concatenate([before, after])
    outcome = outcome_of(make_run("grpo", reward=path, grad_norm=path), 30)
    assert outcome is not None
    assert outcome.severity is severity


def test_a_resumption_that_restores_everything_is_quiet(make_run: MakeRun) -> None:
    fall = np.linspace(2.0, 0.5, 60)
    run = make_run("grpo", reward=noisy(0.5, 0.5), entropy_per_token=fall, grad_norm=noisy(1, 1, 3, 0.2))
    outcome = outcome_of(run, 30)
    assert outcome is not None
    assert outcome.verdict is Verdict.QUIET


def test_a_jump_elsewhere_is_none_of_the_resumption(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run("grpo", reward=noisy(0.5, 0.2), grad_norm=noisy(1, 3)), 15)
    assert outcome is not None
    assert outcome.verdict is Verdict.QUIET


def test_few_points_since_the_resumption_are_too_few(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run("grpo", reward=noisy(0.5, 0.2), grad_norm=noisy(1, 3)), 57)
    assert outcome is not None
    assert outcome.verdict is Verdict.SKIPPED


def test_a_run_that_was_never_resumed_has_nothing_to_miss(make_run: MakeRun) -> None:
    assert outcome_of(make_run("grpo", reward=noisy(0.5, 0.2), grad_norm=noisy(1, 3))) is None


def repeated(steps: list[int], *again: int) -> Series:
    """A series in which some steps were logged twice."""
    values = np.zeros(len(steps))
    return Series("reward", "reward", np.array(steps), values, replaced_steps=np.array(again), replaced_values=values)


@pytest.mark.parametrize(
    ("again", "rewinds", "found"),
    [
        ([41, 42, 43], 1, (40,)),
        ([11, 12, 41, 42, 43], 2, (10, 40)),
        ([11, 12, 41, 42, 43], 1, ()),
        (list(range(1, 61)), 0, ()),
        ([1, 2, 3], 1, ()),
    ],
)
def test_a_resumption_is_seen_by_steps_that_were_logged_again(make_run: MakeRun, again, rewinds, found) -> None:
    run = replace(
        make_run("grpo"),
        series={"reward": repeated(list(range(1, 61)), *again)},
        data_health=DataHealth(rewinds=rewinds),
    )
    assert resumptions(run) == found
