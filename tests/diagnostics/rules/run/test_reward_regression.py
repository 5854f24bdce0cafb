"""Tests of reward-regression."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.detectors.averages import ewma
from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.model.status import Status
from diagnostics.rules import CATALOG, engine
from diagnostics.texts import templates

Judge = Callable[..., Outcome]


def noisy_series(level: Values) -> Values:
    return level + np.random.default_rng(2).normal(scale=0.05, size=len(level))


def rising_then(end: float, points: int = 60) -> Values:
    return noisy_series(np.concatenate([np.linspace(0, 1, 50), np.ones(10), np.full(points, end)]))


def test_losing_a_quarter_of_the_gain_is_a_warning(judge: Judge) -> None:
    assert judge("reward-regression", "grpo", reward=rising_then(0.75)).severity is Severity.WARNING


def test_losing_most_of_the_gain_is_critical(judge: Judge) -> None:
    outcome = judge("reward-regression", "grpo", reward=rising_then(0.2))
    assert outcome.severity is Severity.CRITICAL
    assert 61 <= (outcome.first_step or 0) <= 80
    assert outcome.still


def test_a_fall_among_the_points_that_are_not_judged_is_dated_there(judge: Judge) -> None:
    rises = np.linspace(0.2, 0.5, 30)
    outcome = judge("reward-regression", "grpo", reward=np.concatenate([rises, np.full(170, 0.15)]))
    limit = outcome.limit or 0.0
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 34, 200)
    means = ewma(np.concatenate([rises, [0.5], np.full(169, 0.15)]))  # the median of three lags by one point
    assert means[33] <= limit < means[32]


def test_a_plateau_is_quiet(judge: Judge) -> None:
    assert judge("reward-regression", "grpo", reward=rising_then(1.0)).verdict is Verdict.QUIET


def test_one_bad_batch_is_quiet(judge: Judge) -> None:
    level = rising_then(1.0)
    level[90] = 0.0
    assert judge("reward-regression", "grpo", reward=level).verdict is Verdict.QUIET


def test_a_constant_reward_is_quiet(judge: Judge) -> None:
    assert judge("reward-regression", "grpo", reward="0x60").verdict is Verdict.QUIET
    assert judge("reward-regression", "grpo", reward="0.3x60").verdict is Verdict.QUIET


def test_plain_noise_is_quiet(judge: Judge) -> None:
    assert judge("reward-regression", "grpo", reward=noisy_series(np.zeros(300))).verdict is Verdict.QUIET


def test_forty_nine_points_are_too_few(judge: Judge) -> None:
    outcome = judge("reward-regression", "grpo", reward="1x49")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 50, "found": 49})


def test_it_is_skipped_where_no_reward_is_logged(judge: Judge) -> None:
    assert judge("reward-regression", "ppo", value_loss="1x100").verdict is Verdict.SKIPPED


def test_a_reward_that_falls_at_once_and_stays_is_a_warning_in_a_short_run(judge: Judge) -> None:
    outcome = judge("reward-regression", "grpo", reward=noisy_series(np.repeat([0.6, 0.1], [12, 8])))
    assert (outcome.severity, outcome.first_step, outcome.still) == (Severity.WARNING, 13, True)


def test_a_fall_that_is_over_or_small_or_slow_is_quiet_or_cannot_be_judged(judge: Judge) -> None:
    over, small = np.repeat([0.6, 0.1, 0.6], [12, 5, 9]), np.repeat([0.6, 0.5], [12, 12])
    slow = np.linspace(0.8, 0.2, 30)
    for reward in (over, small, slow):
        assert judge("reward-regression", "grpo", reward=noisy_series(reward)).verdict is not Verdict.FIRED


def test_a_fall_that_came_back_is_over_until_it_is_as_low_again(judge: Judge) -> None:
    levels = {"back": [0.6, 0.1, 0.5], "half": [0.6, 0.1, 0.5, 0.3], "low": [0.6, 0.1, 0.5, 0.05]}
    said = {
        name: judge("reward-regression", "grpo", reward=noisy_series(np.repeat(at, 12))) for name, at in levels.items()
    }
    assert {name: outcome.verdict is Verdict.FIRED for name, outcome in said.items()} == {
        "back": False,
        "half": False,
        "low": True,
    }


def test_a_fall_from_which_the_reward_has_come_back_is_a_note(judge: Judge) -> None:
    noise = np.random.default_rng(5).normal(scale=0.02, size=300)
    fall = np.interp(np.arange(300), [0, 80, 120, 160, 300], [0.2, 0.8, 0.3, 0.85, 0.9]) + noise
    outcome = judge("reward-regression", "grpo", reward=fall)
    assert (outcome.severity, outcome.message.template) == (Severity.INFO, "reward-regression.back")
    assert judge("reward-regression", "grpo", reward=fall[:125]).severity is Severity.CRITICAL


def test_an_rlhf_reward_that_falls_by_its_kl_penalty_alone_is_noted(judge: Judge) -> None:
    """The score decides: where it falls as well, the run was better before."""
    steady, falls = noisy_series(np.ones(120)), rising_then(0.2)
    alone = judge("reward-regression", "ppo", rlhf_reward=falls, score=steady)
    assert (alone.severity, alone.message.template) == (Severity.INFO, "reward-regression.penalty")
    assert judge("reward-regression", "ppo", rlhf_reward=falls, score=falls).severity is Severity.CRITICAL
    assert judge("reward-regression", "ppo", rlhf_reward=falls).severity is Severity.CRITICAL


def test_an_rlhf_reward_is_no_graver_than_what_its_score_has_lost(judge: Judge) -> None:
    a_quarter, most = rising_then(0.75), rising_then(0.2)
    assert judge("reward-regression", "ppo", rlhf_reward=most, score=a_quarter).severity is Severity.WARNING
    assert judge("reward-regression", "ppo", rlhf_reward=a_quarter, score=most).severity is Severity.WARNING


def test_an_rlhf_reward_that_falls_at_once_by_its_penalty_is_noted(judge: Judge) -> None:
    at_once = "1x10 0x10"
    alone = judge("reward-regression", "ppo", rlhf_reward=at_once, score="1x20")
    assert (alone.severity, alone.message.template) == (Severity.INFO, "reward-regression.penalty_at_once")
    assert judge("reward-regression", "ppo", rlhf_reward=at_once, score=at_once).severity is Severity.WARNING


@pytest.mark.parametrize(("spread", "severity"), [("0.6x20", Severity.INFO), ("0.4x20", Severity.WARNING)])
def test_a_first_dip_within_the_spread_of_the_answers_is_a_note(judge: Judge, spread: str, severity: Severity) -> None:
    dip = noisy_series(np.repeat([0.6, 0.1], [12, 8]))
    assert judge("reward-regression", "grpo", reward=dip, reward_std=spread).severity is severity


def test_a_fall_at_once_after_forty_points_is_a_warning_however_large_the_spread(judge: Judge) -> None:
    late = noisy_series(np.repeat([0.6, 0.1], [32, 8]))
    assert judge("reward-regression", "grpo", reward=late, reward_std="0.6x40").severity is Severity.WARNING


@pytest.mark.parametrize(
    ("state", "points", "verdict"),
    [("finished", 24, Verdict.FIRED), ("silent", 24, Verdict.FIRED), ("running", 24, Verdict.SKIPPED),
     ("finished", 12, Verdict.SKIPPED)],
)  # fmt: skip
def test_a_short_run_that_has_ended_is_judged_by_its_thirds(
    make_run: Callable[..., Run], state: str, points: int, verdict: Verdict
) -> None:
    """Rows of fifty steps each: what counts is how sure a fall is."""
    lost = noisy_series(np.interp(np.arange(points), [0, points / 2, points], [0.4, 0.9, 0.2]))
    outcome = outcome_of(replace(make_run("grpo", reward=lost), status=Status(state)))
    assert outcome.verdict is verdict
    gained = noisy_series(np.linspace(0.4, 0.8, points))
    assert outcome_of(replace(make_run("grpo", reward=gained), status=Status(state))).verdict is Verdict.SKIPPED


def test_a_short_ppo_run_whose_penalty_alone_grows_is_noted(make_run: Callable[..., Run]) -> None:
    lost, steady = noisy_series(np.interp(np.arange(24), [0, 12, 24], [0.4, 0.9, 0.2])), noisy_series(np.ones(24))
    alone = replace(make_run("ppo", rlhf_reward=lost, score=steady), status=Status("finished"))
    noted = outcome_of(alone)
    assert (noted.severity, noted.message.template) == (Severity.INFO, "reward-regression.penalty_of_few")
    both = replace(make_run("ppo", rlhf_reward=lost, score=lost), status=Status("finished"))
    assert outcome_of(both).severity is Severity.WARNING


def outcome_of(run: Run) -> Outcome:
    """That of the rule, whose messages must render."""
    (outcome,) = engine.evaluate(run, [rule for rule in CATALOG if rule.name == "reward-regression"])
    for message in (outcome.message, outcome.headline):
        assert message is None or render(message, templates())
    return outcome
