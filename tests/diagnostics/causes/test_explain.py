"""Tests of causes: from what fired to a few explanations, with consequences folded under what came first."""

from collections.abc import Callable

import pytest

from diagnostics.causes import CATALOG, explain
from diagnostics.diagnosis import Cause, Severity
from diagnostics.messages import render
from diagnostics.rules import CATALOG as RULES
from diagnostics.rules import evaluate, templates
from diagnostics.run import Run

MakeRun = Callable[..., Run]
EXPECTED = {
    "drastic-updates",
    "sampling-unlike-policy",
    "completion-limit-too-short",
    "never-learned-to-stop",
    "critic-broken",
    "numerical-breakdown",
    "no-reward-signal",
    "kl-leash-too-loose",
    "dead-reward-function",
    "clip-range-too-tight",
    "length-bias",
}


def causes(run: Run) -> list[str]:
    return [cause.cause for cause in diagnosed(run)]


def diagnosed(run: Run) -> tuple[Cause, ...]:
    return explain(run, evaluate(run))


def test_the_catalogue_holds_every_cause_once_and_knows_only_rules_that_exist() -> None:
    names = [entry.name for entry in CATALOG]
    assert sorted(names) == sorted(EXPECTED)
    rules = {rule.name for rule in RULES}
    assert {rule for entry in CATALOG for rule in (*entry.rules, *entry.against)} <= rules


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
    run = make_run("ppo", value_loss="1x25 9x9", eos_tokens="5x20 0x14")
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
