"""Tests of zero-variance-excess."""

from collections.abc import Callable
from typing import Any

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


FOUR = {"num_generations": 4}
COIN = {"reward_func_mean/right": "0.5x40", "reward_func_std/right": "0.5x40"}  # explains 2 · 0.5⁴ = 0.125


def outcome_of(judge: Judge, silent: str, **more: Any) -> Outcome:
    given = {"config": FOUR, "functions": COIN, **more}
    return judge("zero-variance-excess", "grpo", zero_std_fraction=silent, **given)


def test_thirty_points_more_than_explained_for_ten_points_are_noted(judge: Judge) -> None:
    outcome = outcome_of(judge, "0.1x20 0.43x10 0.1x10")
    assert (outcome.severity, outcome.first_step, outcome.limit) == (Severity.INFO, 21, 0.425)


def test_nine_points_or_a_little_less_are_quiet(judge: Judge) -> None:
    assert outcome_of(judge, "0.1x20 0.43x9 0.1x11").verdict is Verdict.QUIET
    assert outcome_of(judge, "0.42x40").verdict is Verdict.QUIET


def test_easy_prompts_explain_many_silent_groups(judge: Judge) -> None:
    easy = {"reward_func_mean/right": "0.9x40", "reward_func_std/right": "0.3x40"}  # 0.9⁴ = 0.66
    assert outcome_of(judge, "0.9x40", functions=easy).verdict is Verdict.QUIET


def test_it_is_skipped_where_the_reward_is_no_coin(judge: Judge) -> None:
    graded = {"reward_func_mean/right": "0.5x40", "reward_func_std/right": "0.2x40"}
    two = {**COIN, "reward_func_mean/form": "0.5x40", "reward_func_std/form": "0.5x40"}
    assert outcome_of(judge, "0.9x40", functions=graded).verdict is Verdict.SKIPPED
    assert outcome_of(judge, "0.9x40", functions=two).verdict is Verdict.SKIPPED


def test_it_is_skipped_where_the_size_of_a_group_is_not_known(judge: Judge) -> None:
    outcome = outcome_of(judge, "0.9x40", config={})
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("zero-variance-excess", "grpo", zero_std_fraction="0.9x40", config=FOUR).verdict is Verdict.SKIPPED
