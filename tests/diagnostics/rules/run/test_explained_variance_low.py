"""Tests of explained-variance-low."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize(("value", "severity"), [("-0.5", Severity.WARNING), ("-0.49", None), ("0", None)])
def test_far_worse_than_a_constant_is_a_warning(judge: Judge, value: str, severity) -> None:
    assert judge("explained-variance-low", "ppo", explained_variance=f"0.5x60 {value}x9").severity is severity


def test_a_new_value_head_may_start_below_zero(judge: Judge) -> None:
    assert judge("explained-variance-low", "ppo", explained_variance="-3x50 0.6x40").verdict is Verdict.QUIET


def test_a_critic_that_is_still_learning_is_noted_until_it_turns(judge: Judge) -> None:
    learning = "-12 -14 -9 -11 -8 -9 -6 -7 -5 -6 " + "-3 -4 -2.5 -3 -2 -2.5 " * 3 + "-1 -1.3 -0.8 -1.1 " * 12
    assert judge("explained-variance-low", "ppo", explained_variance=learning).severity is Severity.INFO
    turned = learning + "-20 -26 -23 -30 " * 8
    assert judge("explained-variance-low", "ppo", explained_variance=turned).severity is Severity.WARNING


def test_little_is_noted_only_late(judge: Judge) -> None:
    assert judge("explained-variance-low", "ppo", explained_variance="0.1x195").verdict is Verdict.QUIET
    assert judge("explained-variance-low", "ppo", explained_variance="0.1x230").severity is Severity.INFO


def test_it_is_skipped_where_the_old_trainer_logs_it_not(judge: Judge) -> None:
    assert judge("explained-variance-low", "ppo-legacy", score="1x90").verdict is Verdict.SKIPPED
    assert judge("explained-variance-low", "ppo", explained_variance="0.1x20").verdict is Verdict.SKIPPED


def test_a_score_that_may_be_rising_makes_it_a_note(judge: Judge) -> None:
    noise = np.random.default_rng(0).normal(scale=0.02, size=80)
    slow = 0.06 + noise + np.linspace(0, 0.03, 80)
    logged = {"explained_variance": "0.5x60 -0.6x20", "score_std": "0.24x80"}
    assert judge("explained-variance-low", "ppo", score=slow, **logged).severity is Severity.INFO
    assert judge("explained-variance-low", "ppo", score=slow[::-1].copy(), **logged).severity is Severity.WARNING
