"""Severity escalation: a warning alone becomes critical beside another on the same steps."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules import CATALOG, evaluate
from tests.diagnostics.conftest import values_of

MakeRun = Callable[..., Run]
SPIKE = "1x60 8x20 1x20"


def noisy_series(shorthand: str) -> Values:
    level = values_of(shorthand)
    return level + np.random.default_rng(3).normal(scale=0.02, size=len(level))


def outcome_of(run: Run, rule: str) -> Outcome:
    return next(outcome for outcome in evaluate(run) if outcome.rule == rule)


def test_a_value_loss_that_spikes_is_a_warning_where_no_score_tells_and_a_note_where_one_held(
    make_run: MakeRun,
) -> None:
    for logged, severity in (({}, Severity.WARNING), ({"rlhf_reward": "0.5 0.6x79"}, Severity.INFO)):
        run = make_run("ppo", value_loss="1x60 8x20", **logged)
        assert outcome_of(run, "value-loss-spike").severity is severity


def test_it_is_critical_while_the_reward_falls(make_run: MakeRun) -> None:
    run = make_run("ppo", value_loss=SPIKE, rlhf_reward=noisy_series("0.1x20 0.9x40 0.1x40"))
    assert outcome_of(run, "reward-regression").severity is not None
    assert outcome_of(run, "value-loss-spike").severity is Severity.CRITICAL


def test_a_fall_long_after_the_spike_is_no_company(make_run: MakeRun) -> None:
    run = make_run("ppo", value_loss="1x60 8x20 1x120", rlhf_reward=noisy_series("0.1x20 0.9x120 0.1x60"))
    assert outcome_of(run, "reward-regression").severity is not None
    assert outcome_of(run, "value-loss-spike").severity is Severity.WARNING


@pytest.mark.parametrize("rule", [rule for rule in CATALOG if rule.graver_with], ids=lambda rule: rule.name)
def test_the_company_exists_and_folklore_has_none(rule) -> None:
    assert set(rule.graver_with) <= {other.name for other in CATALOG}
    assert rule.grade != "F"
