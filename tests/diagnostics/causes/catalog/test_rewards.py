"""Tests of causes in the reward and in the prompts."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]


@pytest.mark.parametrize(("second", "cause"), [("0x30", "no-reward-signal"), ("0.3x30", "dead-reward-function")])
def test_one_dead_function_still_leaves_a_signal(make_run: MakeRun, second: str, cause: str) -> None:
    functions = {"reward_func_std/format": "0x30", "reward_func_std/accuracy": second}
    assert causes(make_run("grpo", functions=functions)) == [cause]


def test_a_function_that_was_dead_while_others_told_answers_apart_is_dead_when_none_does(make_run: MakeRun) -> None:
    functions = {"reward_func_std/format": "0x80", "reward_func_std/accuracy": "0.3x40 0x40"}
    assert causes(make_run("grpo", functions=functions)) == ["dead-reward-function"]
    functions = {"reward_func_std/format": "0x80", "reward_func_std/accuracy": "0.3x2 0x78"}
    assert causes(make_run("grpo", functions=functions)) == ["no-reward-signal"]


@pytest.mark.parametrize(("kl", "cause"), [("0..2x20 2x80", ["no-reward-signal"]), ("0..0.2x20 0.2x80", [])])
def test_a_flat_reward_is_no_signal_where_a_policy_so_far_away_would_have_gained(
    make_run: MakeRun, kl: str, cause: list[str]
) -> None:
    flat = {"score": "0.48 0.52 0.49 0.51 " * 25, "score_std": "0.3x100"}
    assert causes(make_run("ppo", **flat, kl_per_sequence=kl)) == cause


@pytest.mark.parametrize(("torn", "is_explained"), [(1.0, True), (0.02, False)])
def test_chance_explains_where_a_policy_wanders_only_where_it_decides_the_scores(
    make_run: MakeRun, torn: float, *, is_explained: bool
) -> None:
    def rows(step: int) -> tuple[Sample, ...]:
        """Each answer is given twice; the second scores higher by `torn`, whoever gives it."""
        return tuple(Sample(step, f"q{row // 2}", "same", score=row // 8 + torn * (row % 2)) for row in range(16))

    run = make_run("grpo", reward="0.5 0.52 0.48 " * 10, kl_per_token="0x5 0..3x20 3x5")
    found = {cause.cause: cause for cause in diagnosed(replace(run, samples=Samples(tuple(range(1, 31)), rows)))}
    assert "smp-score-inconsistent" in found["no-reward-signal"].signs
    assert ("kl-too-high" in found["no-reward-signal"].outcomes) is is_explained
    assert ("kl-penalty-too-weak" in found) is not is_explained


def test_a_solved_task_has_no_dead_function(make_run: MakeRun) -> None:
    learned = {"reward_func_std/accuracy": "0.1 0x30", "reward_func_mean/accuracy": "0.9 1x30"}
    assert causes(make_run("grpo", functions=learned)) == []


def test_full_marks_for_everything_from_the_start_may_ask_for_too_little(make_run: MakeRun) -> None:
    functions = {"reward_func_std/accuracy": "0x30", "reward_func_mean/accuracy": "1x30"}
    (cause,) = diagnosed(make_run("grpo", functions=functions))
    assert (cause.cause, cause.severity) == ("task-too-easy", Severity.WARNING)
    assert cause.summary.template == "cause.task-too-easy.unearned"


def test_a_flat_reward_under_a_policy_that_moves_is_no_signal_though_no_kl_is_logged(make_run: MakeRun) -> None:
    flat = "0.4 0.6 0.45 0.55 0.5x20 0.42 0.58 0.5x74 0.45 0.55"
    moves = make_run("grpo", reward=flat, reward_std="0.3x100", entropy_per_token="0.1..0.15x100")
    stands = make_run("grpo", reward=flat, reward_std="0.3x100", entropy_per_token="0.1..0.11x100")
    assert causes(moves) == ["no-reward-signal"]
    assert "no-reward-signal" not in causes(stands)


def test_a_reward_that_never_moved_is_one_cause_and_not_four(make_run: MakeRun) -> None:
    run = make_run(
        "grpo",
        reward="0x60",
        reward_std="0x60",
        zero_std_fraction="1x60",
        grad_norm="0x60",
        functions={"reward_func_mean/exact": "0x60", "reward_func_std/exact": "0x60"},
        total=60,
    )
    (cause,) = diagnosed(run)
    assert (cause.cause, cause.severity) == ("no-reward-signal", Severity.CRITICAL)
    assert {"reward-stuck-at-floor", "reward-func-constant", "zero-variance-groups"} <= set(cause.outcomes)


def test_a_solved_task_is_too_easy_and_nothing_else(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.5..0.98x30 0.98x40", zero_std_fraction="0.1..0.8x30 0.9x40")
    assert causes(run) == ["task-too-easy"]


def test_equal_groups_at_half_the_reward_are_a_difficulty_mismatch(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", reward="0.5x40", zero_std_fraction="0.6x40")) == ["difficulty-mismatch"]


def test_a_wrong_reward_sign_explains_the_fall_of_the_reward(make_run: MakeRun) -> None:
    means = "0.5 0.6 0.4 0.7 0.5 0.6 0.4 0.5 0.7 0.6 " * 4
    values = [float(value) for value in means.split()]
    reward = " ".join(str(value if step < 20 else -value) for step, value in enumerate(values))
    run = make_run("grpo", reward=reward, functions={"reward_func_mean/accuracy": means})
    (cause,) = diagnosed(run)
    assert (cause.cause, set(cause.outcomes)) == ("wrong-reward-sign", {"reward-sign-flipped", "reward-regression"})


def test_scores_far_beyond_any_range_explain_answers_that_do_not_end_only_where_the_score_fell(
    make_run: MakeRun,
) -> None:
    logged = {"config": {"per_device_train_batch_size": 32, "cliprange_value": 0.2}, "eos_tokens": "32x30 0x30"}
    fell = causes(make_run("ppo", score="300x30 300..20x10 20x20", **logged))
    rose = causes(make_run("ppo", score="300x30 300..400x10 400x20", **logged))
    assert (fell, "length-bias" in rose) == (["reward-scale"], True)
