"""Checks of the rewards, at their boundaries."""

import math

import pytest

from diagnostics.model.setup import Trial


def reward_trials(function: str = "accuracy", **scores: float | None) -> tuple[Trial, ...]:
    """What a function gave, one answer of each kind: `tried(gold=1, junk=0)`."""
    return tuple(Trial(function, kind, "1+1=", f"a {kind} answer", score) for kind, score in scores.items())


@pytest.mark.parametrize(("count", "word"), [(2, "quiet"), (3, "info")])
def test_three_reward_functions_are_many(judged, count, word) -> None:
    assert judged("pf-many-rewards", {"reward_funcs": ["length"] * count}).word == word


@pytest.mark.parametrize(
    ("trials", "word", "sentence"),
    [
        (reward_trials(gold=1, empty=0, junk=0), "quiet", ""),
        (reward_trials(gold=0, empty=1, junk=0), "critical", "right ones must rank above"),
        (reward_trials(gold=0.1, empty=0, junk=0.2), "critical", "right ones must rank above"),
        (reward_trials(gold=0.5, empty=0.5, junk=0.5), "critical", "gave 0.5 to every answer"),
        # nothing is known to be right
        (reward_trials(empty=0.5, junk=0.5), "warning", "accuracy gave 0.5 to every answer"),
        (reward_trials(gold=1, empty=math.nan, junk=0), "critical", "gave nan to the empty answer"),
        (reward_trials(gold=math.inf, junk=0), "critical", "must be finite"),
        (reward_trials(gold=None, junk=None), "skipped", "No reward function could score"),
        (None, "skipped", "were not tried"),
    ],
)
def test_rewards_are_finite_and_rank_what_is_right_above_junk(judged, trials, word, sentence) -> None:
    found = judged("pf-reward-smoke", {}, trials=trials)
    assert found.word == word
    assert sentence in found.sentence


def test_the_weighted_sum_is_what_must_rank(judged) -> None:
    trials = (*reward_trials("accuracy", gold=1, junk=0), *reward_trials("brevity", gold=0, junk=1))
    weights = {"reward_weights": [1.0, 0.5]}
    assert judged("pf-reward-smoke", weights, trials=trials).word == "quiet"
    assert judged("pf-reward-smoke", {"reward_weights": [0.5, 1.0]}, trials=trials).word == "critical"


def test_one_function_among_several_that_tells_nothing_apart_is_a_warning(judged) -> None:
    trials = (*reward_trials("accuracy", gold=1, junk=0), *reward_trials("keyword", gold=0, junk=0))
    found = judged("pf-reward-smoke", {}, trials=trials)
    assert found.word == "warning"
    assert found.sentence.startswith("keyword gave 0 to every answer")


def test_the_best_form_of_a_right_answer_counts(judged) -> None:
    forms = (Trial("format", "gold", "1+1=", "2", 0.0), Trial("format", "gold", "1+1=", "<answer>2</answer>", 1.0))
    assert judged("pf-reward-smoke", {}, trials=(*forms, *reward_trials("format", junk=0.4))).word == "quiet"


def test_of_another_program_the_rewards_are_not_asked_for(judged) -> None:
    assert judged("pf-reward-smoke", {}, producer="trl") is None


@pytest.mark.parametrize(
    ("config", "score", "word"),
    [
        ({"cliprange_value": 0.2}, 2.01, "warning"),
        ({"cliprange_value": 0.2}, 2.0, "quiet"),
        ({"cliprange_value": 0.21}, 9.0, "quiet"),
        ({"cliprange_value": 0.2, "use_score_scaling": True}, 9.0, "quiet"),
        ({"cliprange_value": 0.2}, None, "skipped"),
    ],
)
def test_large_scores_and_a_narrow_value_clip_range_are_a_warning(judged, config, score, word) -> None:
    assert judged("pf-value-clip", config, "ppo", trials=reward_trials(junk=score)).word == word
