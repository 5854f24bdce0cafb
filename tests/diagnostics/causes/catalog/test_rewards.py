"""Tests of causes in the reward and in the prompts."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import evaluate
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


@pytest.mark.parametrize(
    ("second", "cause"), [("0.5..0.2x40 0x40", "dead-reward-function"), ("0.5 0.2 0x78", "no-reward-signal")]
)
def test_a_mean_that_moves_tells_answers_apart_where_no_spread_is_logged(
    make_run: MakeRun, second: str, cause: str
) -> None:
    functions = {"reward_func_mean/format": "0x80", "reward_func_mean/accuracy": second}
    assert causes(make_run("grpo", functions=functions)) == [cause]


def test_a_task_that_was_solved_beside_a_dead_function_is_no_lack_of_a_signal(make_run: MakeRun) -> None:
    functions = {"reward_func_mean/format": "0x100", "reward_func_mean/right": "0.4..1.95x53 2x47"}
    (cause,) = diagnosed(make_run("grpo", functions=functions))
    assert (cause.cause, cause.severity) == ("dead-reward-function", Severity.WARNING)


@pytest.mark.parametrize(("kl", "is_decided"), [("0..2x20 2x80", True), ("0..0.2x20 0.2x80", False)])
def test_a_flat_reward_is_no_signal_for_sure_where_a_policy_so_far_away_would_have_gained(
    make_run: MakeRun, kl: str, *, is_decided: bool
) -> None:
    flat = {"score": "0.48 0.52 0.49 0.51 " * 25, "score_std": "0.3x100"}
    (cause,) = diagnosed(make_run("ppo", **flat, kl_per_sequence=kl))
    assert (cause.cause, cause.is_decided) == ("no-reward-signal", is_decided)
    assert cause.summary.template == ("cause.no-reward-signal.unmoved" if is_decided else "cause.undecided.2")
    assert [rival.cause for rival in cause.rivals] == ([] if is_decided else ["not-training"])


def test_a_reward_that_fell_and_climbed_did_not_stay_where_it_was(make_run: MakeRun) -> None:
    far = {"score_std": "0.4x180", "kl_per_sequence": "0..2x20 2x160", "state": "finished"}
    stayed = "0.22 0.3 " * 90
    left = "0.36 0.44 " * 15 + "0.1 0.18 " * 45 + "0.22 0.3 " * 30
    fell = "0.5 0.3 " + "0.22 0.3 " * 89
    for score, found in ((stayed, ["no-reward-signal"]), (left, []), (fell, [])):
        run = make_run("ppo", score=score, **far)
        assert "reward-not-improving" in {item.rule for item in evaluate(run) if item.is_alarm}
        assert causes(run) == found


def test_a_flat_reward_says_nothing_beside_what_says_more(make_run: MakeRun) -> None:
    flat = {"score": "0.48 0.52 0.49 0.51 " * 25, "score_std": "0.3x100"}
    assert causes(make_run("ppo", **flat, eos_tokens="60x10 4x90", config={"local_batch_size": 64})) == ["length-bias"]


def test_a_policy_that_goes_far_under_a_flat_reward_is_led_by_nothing(make_run: MakeRun) -> None:
    far = {"kl_per_token": "0x5 0..3x20 3x15", "length_mean": "10x40", "state": "finished"}
    run = make_run("grpo", reward="0.5 0.52 0.48 0.5 " * 10, reward_std="0.3x40", **far)
    assert causes(run) == ["no-reward-signal"]
    assert causes(make_run("grpo", reward="0.4..0.6x40", reward_std="0.3x40", **far)) == ["kl-penalty-too-weak"]


def test_answers_that_shrink_for_a_while_under_a_flat_reward_are_led_by_nothing(make_run: MakeRun) -> None:
    far = {"kl_per_token": "0x5 0..3x40 3x55", "length_mean": "40x20 40..9x10 9x10 9..16x60"}
    flat = {"reward": "0.5 0.52 0.48 0.5 " * 25, "reward_std": "0.3x100", "state": "finished"}
    cause = diagnosed(make_run("grpo", **far, **flat))[0]
    assert (cause.cause, "length-collapse" in cause.outcomes) == ("no-reward-signal", True)
    assert causes(make_run("grpo", **far, **flat | {"reward": "0.3..0.7x100"}))[0] == "answers-too-short"


def torn_by(much: float) -> Samples:
    """Each answer is given twice in a step; the second scores higher by so much, whoever gives it."""

    def rows(step: int) -> tuple[Sample, ...]:
        return tuple(Sample(step, f"q{row // 2}", "same", score=row // 8 + much * (row % 2)) for row in range(16))

    return Samples(tuple(range(1, 31)), rows)


@pytest.mark.parametrize(("torn", "cause"), [(1.0, ["no-reward-signal"]), (0.02, ["not-training", "no-reward-signal"])])
def test_where_chance_decides_the_scores_a_policy_that_stands_still_is_its_doing(
    make_run: MakeRun, torn: float, cause: list[str]
) -> None:
    still = {"entropy_per_token": "0.5 0.501 0.5 " * 10, "reward": "0.5 0.51 0.49 " * 10, "reward_std": "0.4x30"}
    assert causes(replace(make_run("grpo", **still), samples=torn_by(torn))) == cause


def test_scores_that_the_first_update_has_wrecked_are_not_without_signal(make_run: MakeRun) -> None:
    wrecked = {"reward": "0.5 0.4 0x38", "reward_std": "0.5x2 0x38", "kl_per_token": "0 2 5x38"}
    assert causes(make_run("grpo", **wrecked, length_mean="10x40"))[0] == "drastic-updates"


@pytest.mark.parametrize(("torn", "is_explained"), [(1.0, True), (0.02, False)])
def test_chance_explains_where_a_policy_wanders_only_where_it_decides_the_scores(
    make_run: MakeRun, torn: float, *, is_explained: bool
) -> None:
    run = make_run("grpo", reward="0.4..0.6x30", kl_per_token="0x5 0..3x20 3x5")
    found = {cause.cause: cause for cause in diagnosed(replace(run, samples=torn_by(torn)))}
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


@pytest.mark.parametrize("functions", [{}, {"reward_func_std/right": "0x40", "reward_func_mean/right": "1x40"}])
def test_full_marks_that_leave_no_signal_ask_for_no_easier_prompts(
    make_run: MakeRun, functions: dict[str, str]
) -> None:
    (cause,) = diagnosed(make_run("grpo", reward="1x40", functions=functions))
    assert (cause.cause, cause.summary.template) == ("no-reward-signal", "cause.no-reward-signal.solved")
    assert [fix.why.template for fix in cause.fixes] == ["remedy.checked-reward", "remedy.harder-prompts"]
    (cause,) = diagnosed(make_run("grpo", reward="0x40"))
    assert cause.summary.template == "cause.no-reward-signal"
    assert "remedy.easier-prompts" in [fix.why.template for fix in cause.fixes]


@pytest.mark.parametrize(("overlap", "first"), [("0x120", "dead-reward-function"), ("0.1 0.2 " * 60, "not-training")])
def test_a_policy_that_most_functions_never_paid_stands_still_because_of_them(
    make_run: MakeRun, overlap: str, first: str
) -> None:
    """As in a public GRPO run: only what long answers cost told answers apart, and the KL stayed at 0.0002."""
    means = {"correct": "0x120", "format": "0x120", "overlap": overlap, "length": "-0.6 -0.55 -0.62 " * 40}
    functions = {f"reward_func_mean/{name}": mean for name, mean in means.items()}
    flat = {"reward": "-0.6 -0.55 -0.62 " * 40, "reward_std": "0.3x120", "length_mean": "80 93 88 104 91 84 " * 20}
    run = make_run("grpo", **flat, kl_per_token="0.0002x120", functions=functions)
    cause = diagnosed(run)[0]
    assert (cause.cause, "policy-hardly-moves" in cause.outcomes) == (first, True)
    assert first == "not-training" or cause.summary.template == "cause.dead-reward-function.most"


@pytest.mark.parametrize(("spread", "is_weighted"), [("0x40", False), ("0.2x10 0x30", True)])
def test_no_weight_makes_a_difference_of_what_never_differed(
    make_run: MakeRun, spread: str, *, is_weighted: bool
) -> None:
    functions = {"reward_func_std/format": spread, "reward_func_std/right": "0.3x40"}
    functions |= {"reward_func_mean/format": "0.2x40", "reward_func_mean/right": "0.2 0.3 " * 20}
    (cause,) = diagnosed(make_run("grpo", functions=functions))
    assert cause.summary.template == f"cause.dead-reward-function{'' if is_weighted else '.never'}"
    assert ("remedy.reweighted-rewards" in [fix.why.template for fix in cause.fixes]) is is_weighted


def test_a_flat_reward_under_a_policy_that_moves_is_no_signal_though_no_kl_is_logged(make_run: MakeRun) -> None:
    flat = "0.4 0.6 0.45 0.55 0.5x20 0.42 0.58 0.5x74 0.45 0.55"
    moves = make_run("grpo", reward=flat, reward_std="0.3x100", entropy_per_token="0.1..0.15x100")
    stands = make_run("grpo", reward=flat, reward_std="0.3x100", entropy_per_token="0.1..0.11x100")
    assert [cause.is_decided for cause in diagnosed(moves)] == [True]
    assert [cause.is_decided for cause in diagnosed(stands)] == [False]
    assert causes(moves) == causes(stands) == ["no-reward-signal"]


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


@pytest.mark.parametrize(("score", "first"), [("800..900x40", "reward-scale"), ("12..15x40", "numerical-breakdown")])
def test_scores_of_hundreds_explain_numbers_that_break_later(make_run: MakeRun, score: str, first: str) -> None:
    run = make_run("ppo", score=score, policy_loss="0.1x30 nanx10", config={"cliprange_value": 0.2})
    assert "reward-scale-extreme" in [outcome.rule for outcome in evaluate(run) if outcome.severity]
    assert causes(run)[0] == first


def test_a_flat_reward_where_the_policy_never_left_its_start_is_no_training(make_run: MakeRun) -> None:
    lengths = "118 120 116 122 " * 15 + "98 100 96 102 " * 15
    flat = {"reward": "0.48 0.52 0.49 0.51 " * 30, "reward_std": "0.3x120", "length_mean": lengths}
    assert causes(make_run("grpo", **flat, kl_per_token="0.0009x120")) == ["not-training"]
    assert causes(make_run("grpo", **flat, kl_per_token="0.002x120")) == ["no-reward-signal"]


def test_a_reward_that_does_not_go_along_explains_no_harm_that_is_worse(make_run: MakeRun) -> None:
    flat = {"reward": "0.5 0.52 0.48 0.5 " * 20, "reward_std": "0.3x80", "length_mean": "10x80", "state": "finished"}
    far = {**flat, "kl_per_token": "0x10 0..3x30 3x40"}
    assert causes(make_run("grpo", **far)) == ["no-reward-signal"]
    worse_off = {"eval/reward": "1x20 1..0x60"}
    assert causes(make_run("grpo", **far, functions=worse_off)) == ["kl-penalty-too-weak", "no-reward-signal"]


def test_functions_that_hardly_an_answer_satisfies_are_no_signal_and_not_one_that_is_dead(make_run: MakeRun) -> None:
    for mean, first in (("0.01 0.015 " * 40, "no-reward-signal"), ("0.3 0.31 " * 40, "dead-reward-function")):
        functions = {"reward_func_std/format": "0x80", "reward_func_std/right": "0.1x40 0x40"}
        functions |= {"reward_func_mean/format": "0x80", "reward_func_mean/right": mean}
        assert causes(make_run("grpo", functions=functions, reward=mean))[0] == first


def test_a_function_that_falls_silent_as_answers_shrink_is_their_doing(make_run: MakeRun) -> None:
    functions = {"reward_func_std/right": "0.3x4 0x76", "reward_func_mean/right": "0.3x4 0x76"}
    shrinks = {"length_mean": "10x4 7x26 1x50", "reward": "-0.6..-0.2x20 0x60", "reward_std": "0.3x20 0x60"}
    functions |= {"reward_func_std/brief": "0.2x20 0x60", "reward_func_mean/brief": "-0.9..-0.2x20 0x60"}
    assert causes(make_run("grpo", **shrinks, functions=functions))[0] == "answers-too-short"


def test_scores_of_hundreds_explain_log_probabilities_that_shift(make_run: MakeRun) -> None:
    for scale, found in (("200..700x60", ["reward-scale"]), ("0.2..0.7x60", ["sampling-unlike-policy"])):
        logged = {"score": scale, "rlhf_reward": scale, "ratio_mean": "1x30 0.97x30", "approx_kl": "0.002x60"}
        assert causes(make_run("ppo", **logged)) == found


def test_scores_of_hundreds_from_the_start_explain_updates_that_are_too_large(make_run: MakeRun) -> None:
    for scale, first in ((1000, "reward-scale"), (20, "drastic-updates")):
        falls = " ".join(str(scale * share) for share in (*[2.0] * 20, *[1.0] * 40))
        logged = {"score": falls, "rlhf_reward": falls, "ratio_mean": "1x30 2.5x3 1x27"}
        assert causes(make_run("ppo", **logged, config={"cliprange_value": 0.2}))[0] == first


def test_prompts_that_are_all_the_same_are_told_before_answers_that_are_empty_from_the_start(
    make_run: MakeRun,
) -> None:
    def row(step: int, place: int) -> Sample:
        prompt, is_empty = f"q{place}" if step < 4 else "answer:", place % 3 == 0
        return Sample(step, prompt, "" if is_empty else f"a {place} {step}", score=0.1 * (place % 5) * (not is_empty))

    tables = {step: tuple(row(step, place) for place in range(32)) for step in range(1, 41)}
    logged = {"score": "0.2 0.21 0.19 0.2 " * 10, "score_std": "0.01x40", "length_mean": "5x40"}
    far = {"kl_per_sequence": "0x3 10x37", "kl_coef": "0.2x40"}
    run = replace(make_run("ppo-legacy", **logged, **far), samples=Samples(tuple(tables), tables.__getitem__))
    assert causes(run)[:2] == ["no-reward-signal", "answers-too-short"]


@pytest.mark.parametrize(("kl", "cause"), [("0.0012x120", "not-training"), ("0.0005..0.004x120", "no-reward-signal")])
def test_a_flat_reward_under_a_small_kl_that_does_not_grow_is_no_training(
    make_run: MakeRun, kl: str, cause: str
) -> None:
    flat = {"reward": "0.48 0.52 0.49 0.51 " * 30, "reward_std": "0.3x120"}
    assert causes(make_run("grpo", **flat, kl_per_token=kl))[0] == cause
