"""Tests of single-answer-groups."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.api import diagnose
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG

Judge = Callable[..., Outcome]
ONE = {"num_generations": 1}
FLAT = 0.4 + np.random.default_rng(0).normal(scale=0.05, size=60)


@pytest.mark.parametrize("algorithm", ["grpo", "rloo"])
def test_one_answer_per_prompt_is_a_warning_while_the_reward_does_not_rise(judge: Judge, algorithm: str) -> None:
    outcome = judge("single-answer-groups", algorithm, reward=FLAT, config=ONE)
    assert (outcome.severity, outcome.measured, outcome.last_step) == (Severity.WARNING, 1.0, 60)


def test_it_is_a_note_where_the_reward_rises_all_the_same(judge: Judge) -> None:
    outcome = judge("single-answer-groups", "grpo", reward=FLAT + np.linspace(0, 0.5, 60), config=ONE)
    assert (outcome.severity, outcome.message.template) == (Severity.INFO, "single-answer-groups.rises")


def test_two_answers_are_a_group(judge: Judge) -> None:
    assert judge("single-answer-groups", "grpo", reward=FLAT, config={"num_generations": 2}).verdict is Verdict.QUIET


def test_nineteen_points_are_too_few(judge: Judge) -> None:
    assert judge("single-answer-groups", "grpo", reward=FLAT[:19], config=ONE).verdict is Verdict.SKIPPED


def test_it_means_nothing_for_ppo(make_run: Callable[..., Run]) -> None:
    (rule,) = [rule for rule in CATALOG if rule.name == "single-answer-groups"]
    assert not rule.applies(make_run("ppo", score="1x60"))


def test_the_setting_stands_in_the_headline_of_the_diagnosis(make_run: Callable[..., Run]) -> None:
    first = diagnose(make_run("grpo", reward=FLAT, config=ONE)).causes[0]
    assert (first.cause, first.summary.template) == ("noisy-small-batch", "cause.noisy-small-batch")
    assert "num_generations" in {fix.parameter for fix in first.fixes}


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("single-answer-groups", "grpo", loss="1x60", config=ONE).verdict is Verdict.SKIPPED
