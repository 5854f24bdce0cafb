"""Tests of causes: from what fired to a few explanations, with consequences folded under what came first."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.api import diagnose
from diagnostics.causes import CATALOG, explain
from diagnostics.diagnosis import Cause, Fix, Severity, Verdict
from diagnostics.messages import render
from diagnostics.preflight import CHECKS
from diagnostics.rules import CATALOG as RULES
from diagnostics.rules import evaluate, templates
from diagnostics.run import Run, Sample, Samples

MakeRun = Callable[..., Run]
EXPECTED = {
    "drastic-updates",
    "sampling-unlike-policy",
    "completion-limit-too-short",
    "never-learned-to-stop",
    "critic-broken",
    "numerical-breakdown",
    "no-reward-signal",
    "wrong-reward-sign",
    "kl-leash-too-loose",
    "dead-reward-function",
    "clip-range-too-tight",
    "length-bias",
    "noise-blow-up",
    "mode-collapse",
    "reward-hacking",
    "engine-mismatch",
    "wrong-stop-token",
    "answers-too-short",
    "reward-dominated-by-query",
    "format-over-accuracy",
    "kl-leash-too-tight",
    "not-training",
    "task-too-easy",
    "difficulty-mismatch",
    "reward-scale",
    "dropout-or-precision-noise",
    "noisy-small-batch",
    "out-of-memory",
    "process-hangs",
    "log-contradicts-itself",
}


def causes(run: Run) -> list[str]:
    return [cause.cause for cause in diagnosed(run)]


def diagnosed(run: Run) -> tuple[Cause, ...]:
    return explain(run, evaluate(run))


def test_the_catalogue_holds_every_cause_once_and_knows_only_rules_that_exist() -> None:
    names = [entry.name for entry in CATALOG]
    assert sorted(names) == sorted(EXPECTED)
    rules = {rule.name for rule in RULES}
    assert {rule for entry in CATALOG for rule in (*entry.rules, *(clue.rule for clue in entry.against))} <= rules


def test_a_healthy_run_has_no_cause(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", kl_per_sequence="1x30", ratio_mean="1x30", approx_kl="0.001x30")) == []


def test_kl_that_runs_away_behind_drastic_updates_is_their_consequence(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x9 12x21", approx_kl="0.01x9 0.5x21", kl_per_sequence="1x12 40x18")
    (cause,) = diagnosed(run)
    assert cause.cause == "drastic-updates"
    assert (cause.severity, cause.first_step, cause.last_step) == (Severity.CRITICAL, 10, 30)
    assert set(cause.outcomes) == {"ratio-far-from-one", "update-too-large", "kl-too-high"}


def test_kl_that_runs_away_alone_has_a_loose_leash(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x12 40x18")
    assert causes(run) == ["kl-leash-too-loose"]


def test_a_nan_after_drastic_updates_is_folded_under_them(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x5 12x25", value_loss="1x20 nanx10")
    (cause,) = diagnosed(run)
    assert (cause.cause, cause.outcomes) == ("drastic-updates", ("ratio-far-from-one", "nonfinite-metric"))


def test_a_nan_before_anything_else_stands_for_itself(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x25 12x5", value_loss="1x5 nanx25")
    explained = {cause.cause: cause.outcomes for cause in diagnosed(run)}
    assert explained == {"drastic-updates": ("ratio-far-from-one",), "numerical-breakdown": ("nonfinite-metric",)}


def test_negative_kl_speaks_against_drastic_updates(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="-3x20", approx_kl="0.04x20")
    assert causes(run) == ["sampling-unlike-policy"]


def test_answers_cut_off_from_the_start_want_a_longer_limit(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0.98x20", config={"max_completion_length": 8})
    (cause,) = diagnosed(run)
    assert (cause.cause, set(cause.outcomes)) == (
        "completion-limit-too-short",
        {"truncation-high", "eos-never-generated"},
    )
    assert [(fix.parameter, fix.suggested) for fix in cause.fixes] == [("max_completion_length", 24)]


def test_answers_that_grow_into_the_limit_are_paid_for_length(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", truncated_fraction="0.05x10 0.98x20")) == ["length-bias"]


def test_no_end_token_in_ppo_is_a_model_that_never_learned_to_stop(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", eos_tokens="0x20")) == ["never-learned-to-stop"]


def test_a_few_answers_that_end_all_along_show_a_limit_that_cuts_off_the_others(make_run: MakeRun) -> None:
    batch = {"local_batch_size": 64, "response_length": 3}
    assert causes(make_run("ppo", eos_tokens="4x20", config=batch)) == ["completion-limit-too-short"]
    assert causes(make_run("ppo", eos_tokens="60x10 4x20", config=batch)) == ["length-bias"]


@pytest.mark.parametrize(("fewest", "cause"), [(26, "sampling-unlike-policy"), (12, "completion-limit-too-short")])
def test_answers_that_may_not_end_are_not_the_limits_fault(make_run: MakeRun, fewest: int, cause: str) -> None:
    run = make_run("grpo", truncated_fraction="1x20", config={"max_completion_length": 26, "min_new_tokens": fewest})
    assert causes(run) == [cause]


def test_answers_that_do_not_end_at_a_token_of_the_users_choice_want_the_models_own(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", truncated_fraction="1x20", config={"stop_token_id": 2})) == ["wrong-stop-token"]


@pytest.mark.parametrize(("token", "cause"), [(None, "never-learned-to-stop"), ("eos", "wrong-stop-token")])
def test_more_ends_than_answers_are_no_riddle_where_none_is_heeded(
    make_run: MakeRun, token: str | None, cause: str
) -> None:
    config = {"local_batch_size": 64, "stop_token": token, "response_length": 14}
    assert causes(make_run("ppo", eos_tokens="140x20", config=config)) == [cause]


@pytest.mark.parametrize(("temperature", "cause"), [(0.2, "mode-collapse"), (0.3, "difficulty-mismatch")])
def test_equal_groups_of_cold_samples_are_copies(make_run: MakeRun, temperature: float, cause: str) -> None:
    run = make_run("grpo", zero_std_fraction="0.7x30", reward="0.5x30", config={"temperature": temperature})
    assert causes(run)[0] == cause


def test_a_kl_that_leaps_in_three_updates_shows_that_they_were_too_large(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", kl_per_token="0x12 1x18")) == ["drastic-updates"]


@pytest.mark.parametrize("kl", ["0x12 0.89x18", "0x12 9x1 0.3x18", "0x5 0.1x3 0.3x3 0.6x3 1x3 1.5x3 2.1x9"])
def test_a_kl_that_drifts_or_has_an_outlier_has_a_loose_leash(make_run: MakeRun, kl: str) -> None:
    assert causes(make_run("grpo", kl_per_token=kl)) == ["kl-leash-too-loose"]


@pytest.mark.parametrize(("second", "cause"), [("0x30", "no-reward-signal"), ("0.3x30", "dead-reward-function")])
def test_one_dead_function_is_not_the_end_of_all_signal(make_run: MakeRun, second: str, cause: str) -> None:
    functions = {"reward_func_std/format": "0x30", "reward_func_std/accuracy": second}
    assert causes(make_run("grpo", functions=functions)) == [cause]


def test_a_task_that_is_solved_has_no_dead_function(make_run: MakeRun) -> None:
    functions = {"reward_func_std/accuracy": "0x30", "reward_func_mean/accuracy": "1x30"}
    assert causes(make_run("grpo", functions=functions)) == []


@pytest.mark.parametrize(("epsilon", "cause"), [(0.2, "drastic-updates"), (0.01, "clip-range-too-tight")])
def test_what_clipping_means_depends_on_the_clip_range(make_run: MakeRun, epsilon: float, cause: str) -> None:
    run = make_run("grpo", clip_ratio_region_mean="0.5x20", config={"epsilon": epsilon})
    assert causes(run) == [cause]


def test_clipping_of_small_updates_is_a_tight_range_and_of_large_ones_is_not(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", clip_fraction="0.6x20", approx_kl="0.001x20")) == ["clip-range-too-tight"]
    assert causes(make_run("ppo", clip_fraction="0.6x20", approx_kl="0.5x20")) == ["drastic-updates"]


def test_a_value_loss_that_jumps_alone_is_the_critics(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9")) == ["critic-broken"]


def test_the_worst_cause_comes_first(make_run: MakeRun) -> None:
    run = make_run("ppo", value_loss="1x25 9x9", eos_tokens="0x34")
    assert causes(run) == ["never-learned-to-stop", "critic-broken"]


def test_what_follows_is_listed_with_its_cause(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="-3x50", rlhf_reward="0.5x50", total=50)
    (cause,) = diagnosed(run)
    assert cause.outcomes == ("kl-negative", "reward-not-improving")


def test_every_summary_renders(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="-3x50")
    assert [render(cause.summary, templates()) for cause in diagnosed(run)] == [
        "The answers are sampled from another distribution than the one that is scored."
    ]


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


def test_answers_cut_off_before_they_count_come_before_a_reward_that_never_moved(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0.99x40", reward="0x40", reward_std="0x40", zero_std_fraction="1x40")
    assert causes(run)[0] == "completion-limit-too-short"


def test_a_gradient_of_zero_although_rewards_differ_is_no_training(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", grad_norm="0x40", zero_std_fraction="0.2x40")) == ["not-training"]


def test_form_at_the_cost_of_the_answer_is_named_as_such(make_run: MakeRun) -> None:
    functions = {"reward_func_mean/format": "0.2..1x80", "reward_func_mean/accuracy": "0.6..0.2x80"}
    assert causes(make_run("grpo", reward="0.8..1.2x80", functions=functions)) == ["format-over-accuracy"]


def test_a_penalty_beyond_the_gain_wants_a_looser_leash(make_run: MakeRun) -> None:
    logged = {"score": "1x100", "score_std": "1x100", "non_score_reward": "-0.9x100", "kl_per_sequence": "2x100"}
    (cause,) = diagnosed(make_run("ppo", config={"kl_coef": 0.45}, **logged))
    assert (cause.cause, cause.outcomes) == ("kl-leash-too-tight", ("kl-penalty-dominates",))
    assert (cause.fixes[0].parameter, cause.fixes[0].suggested) == ("kl_coef", 0.15)


def test_a_solved_task_is_too_easy_and_nothing_else(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.5..0.98x30 0.98x40", zero_std_fraction="0.1..0.8x30 0.9x40")
    assert causes(run) == ["task-too-easy"]


def test_silent_groups_at_half_the_reward_are_the_prompts(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", reward="0.5x40", zero_std_fraction="0.6x40")) == ["difficulty-mismatch"]


def test_an_evaluation_that_falls_under_a_rising_reward_is_a_hack(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.2..0.9x40", functions={"eval/reward": "0.5x20 0.6..0.2x5"})
    assert causes(run) == ["reward-hacking"]


@pytest.mark.parametrize(("size", "expected"), [(16, ["noisy-small-batch"]), (256, [])])
def test_no_progress_in_much_noise_is_a_small_batch_only_where_it_is_small(
    make_run: MakeRun, size: int, expected: list[str]
) -> None:
    noise = " ".join(["0.2 0.8 0.5 0.9 0.1"] * 30)
    assert causes(make_run("ppo", score=noise, config={"per_device_train_batch_size": size})) == expected


def test_a_kl_that_is_not_zero_at_the_start_is_another_distribution(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", kl_per_token="0.15x30")) == ["sampling-unlike-policy"]


def test_an_entropy_that_explodes_is_noise_and_its_ruins_are_folded_under_it(make_run: MakeRun) -> None:
    run = make_run(
        "grpo", entropy_per_token="1x40 3x20", kl_per_token="0.01x44 2x16", truncated_fraction="0.05x48 1x12"
    )
    (cause,) = diagnosed(run)
    assert (cause.cause, cause.outcomes[0]) == ("noise-blow-up", "entropy-explosion")


def test_entropy_used_up_without_reward_is_a_mode_collapse(make_run: MakeRun) -> None:
    reward = "0.2 0.3 0.25 0.28 0.22 0.27 0.24 0.26 0.29 0.21 " * 8
    assert causes(make_run("grpo", entropy_per_token="1x20 0.1x60", reward=reward))[0] == "mode-collapse"


def test_engines_that_drift_apart_come_before_the_noise_that_they_make(make_run: MakeRun) -> None:
    run = make_run("grpo", engine_logprob_difference="0.01x25 0.09x35", entropy_per_token="1x40 3x20")
    (cause,) = diagnosed(run)
    assert cause.cause == "engine-mismatch"


def test_an_end_that_is_not_recognised_is_no_short_limit(make_run: MakeRun) -> None:
    run = make_run("grpo", config={"max_completion_length": 99}, truncated_fraction="0.97x20", length_max="60x20")
    (cause,) = diagnosed(run)
    assert cause.cause == "wrong-stop-token"
    assert [rival.cause for rival in cause.rivals] == []


def test_answers_that_shrink_are_too_short(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", length_mean="100x30 10x20")) == ["answers-too-short"]


def marked(make_run: MakeRun, pays: float, **metrics: str) -> Run:
    """A PPO run whose answers turn into exclamation marks at step 30."""

    def load(step: int) -> tuple[Sample, ...]:
        if step >= 30:
            return tuple(Sample(step, f"q{row}", "!!!!!!!!", score=pays) for row in range(16))
        return tuple(Sample(step, f"q{row}", f"a film about the sea, {row}", score=row / 16) for row in range(16))

    return replace(make_run("ppo", **metrics), samples=Samples((1, 2, 3, 30, 31, 32), load))


def test_marks_that_pay_are_a_hack_and_the_report_says_what_would_decide(make_run: MakeRun) -> None:
    first = diagnosed(marked(make_run, pays=3.0))[0]
    assert first.cause == "reward-hacking"
    (rival,) = (rival for rival in first.rivals if rival.cause == "numerical-breakdown")
    assert "NaN" in render(rival.decides, templates())


def test_marks_that_nobody_pays_for_are_broken_numbers(make_run: MakeRun) -> None:
    first = diagnosed(marked(make_run, pays=math.nan))[0]
    assert first.cause == "numerical-breakdown"
    assert [rival.cause for rival in first.rivals] == ["reward-hacking"]


def test_every_rival_is_a_cause() -> None:
    names = {entry.name for entry in CATALOG}
    assert {rival for entry in CATALOG for rival in entry.rivals} <= names


ENDING = {"length_min": "3x10 26x12", "length_max": "21x10 26x12", "length_mean": "9x10 26x12"}


def test_a_limit_that_is_lowered_during_a_run_is_told_by_the_lengths(make_run: MakeRun) -> None:
    lengths = {"length_max": "14 13 16 14 15 13 14 16 15 14 3x15", "length_mean": "7x10 3x15"}
    run = make_run("grpo", truncated_fraction="0x10 0.9x15", config={"max_completion_length": 16}, **lengths)
    assert causes(run)[0] == "completion-limit-too-short"


def test_an_end_that_is_forbidden_during_a_run_is_told_by_the_lengths(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0x10 1x12", kl_per_token="0.01x10 0.1x12", **ENDING)
    first = diagnosed(run)[0]
    assert first.cause == "sampling-unlike-policy"
    assert "wrong-stop-token" in [rival.cause for rival in first.rivals]


def test_a_stop_token_that_changes_during_a_run_is_told_by_the_few_that_still_end(make_run: MakeRun) -> None:
    lengths = {**ENDING, "length_min": "3x10 19 12 9 26 9 19 6 24 26 20 14 12", "length_mean": "9x10 25.8x12"}
    assert causes(make_run("grpo", truncated_fraction="0x10 0.96x12", **lengths))[0] == "wrong-stop-token"


def test_answers_that_grow_step_by_step_are_still_paid_for_length(make_run: MakeRun) -> None:
    lengths = {"length_min": "3x10 3..14x20", "length_max": "14x30", "length_mean": "7x10 7..14x20"}
    assert causes(make_run("grpo", truncated_fraction="0x10 0..1x20", **lengths))[0] == "length-bias"


def test_a_nan_that_a_reward_began_with_asks_for_the_reward_and_not_for_a_lower_learning_rate(
    make_run: MakeRun,
) -> None:
    config = {"learning_rate": 1e-4}
    (first,) = diagnosed(make_run("grpo", reward="1x9 nanx9", loss="1x10 nanx8", config=config))
    assert first.cause == "numerical-breakdown"
    assert "learning_rate" not in {fix.parameter for fix in first.fixes}
    assert "reward" in render(first.summary, templates())
    (other,) = diagnosed(make_run("grpo", reward="1x18", loss="1x9 nanx9", config=config))
    assert "learning_rate" in {fix.parameter for fix in other.fixes}


def test_marks_that_earn_more_than_any_answer_before_outweigh_the_updates_and_the_kl(make_run: MakeRun) -> None:
    run = marked(make_run, 3.0, approx_kl="0.001x20 0.2x12", kl_per_sequence="1x22 90x10", score="0.5x22 3x10")
    first = diagnosed(run)[0]
    assert (first.cause, {"update-too-large", "kl-too-high"} <= set(first.outcomes)) == ("reward-hacking", True)
    assert "drastic-updates" in [rival.cause for rival in first.rivals]


def test_marks_behind_drastic_updates_that_earn_nothing_new_are_their_ruins(make_run: MakeRun) -> None:
    run = marked(make_run, 0.9, approx_kl="0.001x20 0.2x12", kl_per_sequence="1x22 90x10", score="0.5x22 0.9x10")
    assert diagnosed(run)[0].cause == "drastic-updates"


def test_updates_that_are_merely_large_are_not_what_a_run_away_policy_is_put_down_to(make_run: MakeRun) -> None:
    logged = {"ratio_mean": "1x40", "kl_per_sequence": "1x20 90x20"}
    assert causes(make_run("ppo", approx_kl="0.001x10 0.04x30", config={"kl_coef": 0.0}, **logged))[0] == (
        "kl-leash-too-loose"
    )
    assert causes(make_run("ppo", approx_kl="0.001x10 0.4x30", config={"kl_coef": 0.0}, **logged)) == [
        "drastic-updates"
    ]


def test_updates_that_are_large_because_sampling_is_cold_are_the_temperatures(make_run: MakeRun) -> None:
    cold = {"approx_kl": "0.001x12 0.05x20", "entropy_per_token": "2.6x12 0.3x20"}
    assert causes(make_run("ppo", **cold)) == ["mode-collapse"]
    assert causes(make_run("ppo", approx_kl="0.05x20", config={"temperature": 0.2})) == ["mode-collapse"]
    later = {**cold, "entropy_per_token": "2.6x15 0.3x17"}
    assert causes(make_run("ppo", **later)) == ["drastic-updates"]


def test_samples_that_surprise_the_policy_are_not_its_own(make_run: MakeRun) -> None:
    logged = {"entropy_per_sequence": "60x20", "entropy_per_token": "2x20", "length_mean": "10x20"}
    assert causes(make_run("ppo", **logged)) == ["sampling-unlike-policy"]


def test_a_sign_that_is_wrong_explains_the_fall_that_it_made(make_run: MakeRun) -> None:
    means = "0.5 0.6 0.4 0.7 0.5 0.6 0.4 0.5 0.7 0.6 " * 4
    values = [float(value) for value in means.split()]
    reward = " ".join(str(value if step < 20 else -value) for step, value in enumerate(values))
    run = make_run("grpo", reward=reward, functions={"reward_func_mean/accuracy": means})
    (cause,) = diagnosed(run)
    assert (cause.cause, set(cause.outcomes)) == ("wrong-reward-sign", {"reward-sign-flipped", "reward-regression"})


def test_a_weight_that_is_raised_at_once_is_a_leash_and_a_controller_is_none(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", kl_coef="0.05x20 5x30")) == ["kl-leash-too-tight"]
    assert "kl-leash-too-tight" not in causes(make_run("ppo", kl_coef="0.05..5x120"))


def test_a_new_reward_surprises_any_critic(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9", score="1x25 3x9")) == []


def test_what_the_settings_show_supports_a_cause_and_alone_makes_none(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x12 40x18", config={"kl_coef": 0})
    quiet = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x30", config={"kl_coef": 0})
    preflight = diagnose(run).preflight
    assert "pf-kl-off" in {outcome.rule for outcome in preflight if outcome.verdict is Verdict.FIRED}
    assert [cause.cause for cause in explain(run, evaluate(run), preflight)] == ["kl-leash-too-loose"]
    assert explain(quiet, evaluate(quiet), preflight) == ()


def test_every_check_of_settings_that_supports_a_cause_exists() -> None:
    names = {check.name for check in CHECKS}
    assert {check for entry in CATALOG for check in entry.preflight} <= names


def test_at_most_two_other_explanations_stand_beside_a_cause(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0x10 1x12", **ENDING)
    assert all(len(cause.rivals) <= 2 for cause in diagnosed(run))


def test_what_the_documented_range_suggests_counts_where_it_reaches_farther(make_run: MakeRun) -> None:
    run = make_run("ppo", approx_kl="0.04x30", config={"learning_rate": 1e-3})
    check = next(item for item in CHECKS if item.name == "pf-lr-range")
    for rate, expected in ((1e-4, 1e-4), (9e-4, 5e-4)):
        fix = Fix("learning_rate", 1e-3, rate, check.say("why"), check.source)
        concern = replace(evaluate(run)[0], rule=check.name, verdict=Verdict.FIRED, fixes=(fix,))
        (cause,) = explain(run, evaluate(run), [concern])
        assert [item.suggested for item in cause.fixes if item.parameter == "learning_rate"] == [expected]


def test_a_critical_cause_takes_in_what_showed_a_few_points_before_it(make_run: MakeRun) -> None:
    logged = {"kl_per_sequence": "0x12 60x28", "eos_tokens": "60x10 3x30", "length_mean": "7x10 14x30"}
    config = {"kl_coef": 0.0, "response_length": 14, "local_batch_size": 64}
    found = diagnose(make_run("ppo", config=config, **logged)).causes
    assert found[0].cause == "kl-leash-too-loose"
    assert "length-bias" not in [cause.cause for cause in found]


def test_all_that_follows_from_a_nan_is_one_finding(make_run: MakeRun) -> None:
    logged = {
        "score": "0.5x20 nanx20",
        "eos_tokens": "60x20 0x20",
        "length_mean": "7x20 14x20",
        "value_loss": "1x20 nanx20",
    }
    run = make_run("ppo", config={"response_length": 14, "local_batch_size": 64}, **logged)
    samples = Samples(tuple(range(1, 41)), lambda step: tuple(_until_nan(step, row) for row in range(16)))
    (cause,) = diagnose(replace(run, samples=samples)).causes
    assert cause.cause == "numerical-breakdown"
    assert {"nonfinite-metric", "smp-empty", "eos-never-generated"} <= set(cause.outcomes)


def _until_nan(step: int, row: int) -> Sample:
    text = f"an answer of ten words and more that says something {row}" if step <= 20 else ""
    return Sample(step, f"q{row}", text, score=row / 10 if step <= 20 else math.nan, terminated=step <= 20)
