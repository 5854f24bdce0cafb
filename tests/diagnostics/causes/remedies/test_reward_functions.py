"""Tests of the reward functions that are left out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples

MakeRun = Callable[..., Run]
Suggested = Callable[[Run, str], Any]


def test_a_function_that_returned_nan_is_left_out_unless_it_is_the_only_one(
    suggested: Suggested, make_run: MakeRun
) -> None:
    functions = {"reward_func_mean/right": "0.5x9", "reward_func_mean/broken": "0.5x4 nanx5"}
    config = {"reward_funcs": ["right", "broken:4"]}
    assert suggested(make_run("grpo", functions=functions, config=config), "finite-functions") == ["right"]
    alone = make_run("grpo", functions={"reward_func_mean/broken": "nanx9"}, config={"reward_funcs": ["broken"]})
    assert suggested(alone, "finite-functions") is None
    sound = make_run("grpo", functions={**functions, "reward_func_mean/broken": "0.5x9"}, config=config)
    assert suggested(sound, "finite-functions") is None


def run_with_exclamation_marks(make_run: MakeRun, kind: Callable[[int], float], marks: Callable[[int], float]) -> Run:
    functions = {"reward_func_mean/kind": "0.5x9", "reward_func_mean/marks": "0.5x9"}
    run = make_run("ppo", functions=functions, config={"reward_weights": []})

    def load(step: int) -> tuple[Sample, ...]:
        rewards = [{"kind": kind(row), "marks": marks(row)} for row in range(16)]
        return tuple(Sample(step, "q", "so nice" + "!" * row, rewards=rewards[row]) for row in range(16))

    return replace(run, samples=Samples((1, 2), load))


def test_the_function_that_pays_for_marks_loses_its_weight(suggested: Suggested, make_run: MakeRun) -> None:
    run = run_with_exclamation_marks(make_run, kind=lambda row: row * 7 % 16, marks=lambda row: row)
    assert suggested(run, "unpaid-marks") == [1.0, 0.0]


def test_where_both_functions_pay_for_marks_or_none_does_only_a_person_can_say(
    suggested: Suggested, make_run: MakeRun
) -> None:
    both = run_with_exclamation_marks(make_run, kind=lambda row: row, marks=lambda row: row)
    none = run_with_exclamation_marks(make_run, kind=lambda row: row * 7 % 16, marks=lambda row: 1.0)
    assert (suggested(both, "unpaid-marks"), suggested(none, "unpaid-marks")) == (None, None)
