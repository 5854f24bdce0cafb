"""The bundled trainers' time budget, on real trainings made slow in a known place."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.samples import Samples
from diagnostics.time_budget.bottleneck import bottleneck
from diagnostics.time_budget.budget import TimeBudget, time_budget
from diagnostics.time_budget.tail import LONGEST, tail

SMALL = ("--per_device_train_batch_size", "16", "--report_to", "none", "--num_sample_generations", "0")
WHOLE = ("--per_device_train_batch_size", "64", "--num_completions_to_log", "64")
SECONDS = 1.2
SLOW_GRADER = f"""
import time

def patient(prompts, completions, **kwargs):
    time.sleep({SECONDS})
    return [float(len(completion) % 2) for completion in completions]
"""

pytestmark = pytest.mark.process


def budget_of(training) -> TimeBudget:
    budget = time_budget(open_run(training.directory))
    assert budget is not None
    return budget


def shorter_than(samples, longest):
    """The samples but the longest ones."""
    return tuple(sample for sample in samples if sample.length < longest)


@pytest.fixture
def slow_grader(training, tmp_path):
    """A training of six steps whose reward function sleeps."""
    (tmp_path / "slow.py").write_text(SLOW_GRADER)
    made = training("slow")
    words = ("--max_steps", "6", "--save_strategy", "no", "--reward_funcs", f"{tmp_path / 'slow.py'}:patient")
    code, errors = made.train("grpo", *SMALL, *words)
    assert code == 0, errors
    return made


def test_a_grader_that_sleeps_is_named_and_so_is_what_a_step_would_take_without(slow_grader):
    budget = budget_of(slow_grader)
    found = bottleneck(budget)
    assert found is not None
    assert (found.stage, found.is_bound) == ("score", False)
    assert budget.seconds["score"] == pytest.approx(SECONDS, rel=0.1)
    rest = float(np.mean(budget.step_seconds - SECONDS)) / budget.mean_step
    assert found.without == pytest.approx(rest, rel=0.2)
    outcomes = diagnose(open_run(slow_grader.directory), {"grader-slow": {"patience": 1}}).fired
    assert ("grader-slow", "info") in {(outcome.rule, outcome.severity) for outcome in outcomes}


def test_the_stages_of_a_training_are_its_steps_and_a_checkpoint_belongs_to_the_next(training):
    saving = training("saving")
    code, errors = saving.train("grpo", *SMALL, "--max_steps", "6", "--save_strategy", "steps", "--save_steps", "2")
    assert code == 0, errors
    budget = budget_of(saving)
    assert budget.overlap < 0.01
    assert budget.shares["other"] < 0.2
    saved = budget.seconds["checkpoint"]
    assert saved[[2, 4]].min() > 10 * saved[[0, 1, 3, 5]].max()
    wall = saving.lines[-1]["time"] - saving.lines[0]["time"]
    assert budget.step_seconds[1:].sum() == pytest.approx(wall, rel=0.05)


def test_the_tail_of_a_generation_is_that_of_its_logged_answers(training):
    made = training("tail")
    code, errors = made.train("grpo", *SMALL, "--max_steps", "3", "--save_strategy", "no", *WHOLE)
    assert code == 0, errors
    run, budget = open_run(made.directory), budget_of(made)
    found = tail(run, budget)
    assert found is not None
    lengths = [[row["length"] for row in made.samples if row["step"] == step] for step in (1, 2, 3)]
    usual = np.mean([np.quantile(each, 1 - LONGEST) for each in lengths])
    longest = np.mean([max(each) for each in lengths])
    assert found.share == pytest.approx(budget.shares["generate"] * (1 - usual / longest))
    longest_of = {step: max(each) for step, each in zip((1, 2, 3), lengths, strict=True)}
    without = replace(
        run, samples=Samples((1, 2, 3), lambda step: shorter_than(run.samples.at(step), longest_of[step]))
    )
    assert tail(without, budget) is None
