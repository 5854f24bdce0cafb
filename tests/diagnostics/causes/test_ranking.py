"""Tests of causes: from what fired to a few explanations, with consequences folded under what came first."""

from collections.abc import Callable
from dataclasses import replace

from diagnostics.api import diagnose
from diagnostics.causes import CATALOG, ranked_causes
from diagnostics.model.messages import render
from diagnostics.model.outcome import Fix, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG as RULES
from diagnostics.rules import CONFIG_RULES, evaluate
from diagnostics.texts import templates
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]
ENDING = {"length_min": "3x10 26x12", "length_max": "21x10 26x12", "length_mean": "9x10 26x12"}
EXPECTED = {
    "drastic-updates",
    "sampling-unlike-policy",
    "reference-is-another-model",
    "completion-limit-too-short",
    "never-learned-to-stop",
    "critic-broken",
    "generation-bound",
    "trainer-bound",
    "numerical-breakdown",
    "no-reward-signal",
    "wrong-reward-sign",
    "kl-penalty-too-weak",
    "dead-reward-function",
    "clip-range-too-tight",
    "length-bias",
    "noise-blow-up",
    "mode-collapse",
    "reward-hacking",
    "engine-mismatch",
    "weights-not-synced",
    "samples-stale",
    "experts-routed-apart",
    "text-tokenised-again",
    "resumed-otherwise",
    "wrong-stop-token",
    "answers-too-short",
    "reward-dominated-by-query",
    "format-over-accuracy",
    "kl-penalty-too-strong",
    "not-training",
    "task-too-easy",
    "difficulty-mismatch",
    "reward-scale",
    "dropout-or-precision-noise",
    "noisy-small-batch",
    "memory-runs-out",
    "process-died",
    "process-hangs",
    "log-contradicts-itself",
}


def test_the_catalogue_holds_every_cause_once_and_knows_only_rules_that_exist() -> None:
    names = [entry.name for entry in CATALOG]
    assert sorted(names) == sorted(EXPECTED)
    rules = {rule.name for rule in RULES}
    assert {
        rule for entry in CATALOG for rule in (*entry.rules, *(indicator.rule for indicator in entry.against))
    } <= rules


def test_a_healthy_run_has_no_cause(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", kl_per_sequence="1x30", ratio_mean="1x30", approx_kl="0.001x30")) == []


def test_kl_that_runs_away_after_drastic_updates_is_their_consequence(make_run: MakeRun) -> None:
    logged = {"ratio_mean": "1x9 12x21", "approx_kl": "0.01x9 0.5x21", "kl_per_sequence": "1x12 40x18"}
    (cause,) = diagnosed(make_run("ppo", **logged, functions={"eval/score": "0.8x9 0.1x21"}))
    assert cause.cause == "drastic-updates"
    assert (cause.severity, cause.first_step, cause.last_step) == (Severity.CRITICAL, 10, 30)
    assert set(cause.outcomes) == {"ratio-far-from-one", "update-too-large", "kl-too-high"}


def test_a_nan_after_drastic_updates_is_their_consequence(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x5 12x25", value_loss="1x20 nanx10")
    (cause,) = diagnosed(run)
    assert (cause.cause, cause.outcomes) == ("drastic-updates", ("ratio-far-from-one", "nonfinite-metric"))


def test_a_nan_before_anything_else_is_a_cause_of_its_own(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x25 12x5", value_loss="1x5 nanx25")
    explained = {cause.cause: cause.outcomes for cause in diagnosed(run)}
    assert explained == {"drastic-updates": ("ratio-far-from-one",), "numerical-breakdown": ("nonfinite-metric",)}


def test_the_worst_cause_comes_first(make_run: MakeRun) -> None:
    run = make_run("ppo", value_loss="1x25 9x9", eos_tokens="0x34")
    assert causes(run) == ["completion-limit-too-short", "critic-broken"]


def test_what_was_so_at_the_first_point_comes_before_what_training_brought_about(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0.97x40", kl_per_token="0x10 0.05..1.5x10 1.5x20")
    fired = [item.of_severity(Severity.CRITICAL) for item in evaluate(run) if item.verdict is Verdict.FIRED]
    assert [cause.cause for cause in ranked_causes(run, fired)] == ["completion-limit-too-short", "kl-penalty-too-weak"]


def test_the_first_evidence_of_a_cause_is_a_sign_of_its_own(make_run: MakeRun) -> None:
    length, kl = "40x4 40..12x16 12x20", "0..0.1x16 0.1..3x10 3x14"
    logged = {"length_mean": length, "kl_per_token": kl, "functions": {"eval/reward": "0.8x10 0.1x30"}}
    found = diagnose(make_run("grpo", config={"beta": 0.05}, **logged)).findings[0]
    assert (found.name, found.severity) == ("answers-too-short", Severity.CRITICAL)
    assert [(item.rule, item.severity) for item in found.outcomes] == [
        ("length-collapse", Severity.WARNING),
        ("kl-too-high", Severity.CRITICAL),
    ]
    assert found.leading.rule == "length-collapse"


def test_causes_are_ordered_by_their_earliest_episode_and_not_by_the_gravest(make_run: MakeRun) -> None:
    """The KL left its range first, came back, and left it again, farther, after the entropy had collapsed."""
    logged = {"kl_per_sequence": "0x20 14x10 1x25 40x25", "entropy_per_token": "1x35 0.05x45"}
    (cause,) = diagnosed(make_run("ppo", rlhf_reward="0.5 0.6 0.4 0.3 " * 20, config={"kl_coef": 0.0}, **logged))
    assert (cause.cause, cause.first_step) == ("kl-penalty-too-weak", 56)
    assert "entropy-collapse" in cause.outcomes


def test_a_cause_is_dated_at_its_onset_though_its_rule_cannot_judge_the_first_points(make_run: MakeRun) -> None:
    wreck = {"kl_per_sequence": "0.1 177x119", "entropy_per_token": "1.2 0.01x119", "score": "0.3 -1x119"}
    assert [(cause.cause, cause.first_step) for cause in diagnosed(make_run("ppo", **wreck))] == [
        ("drastic-updates", 2)
    ]
    (shrunk,) = diagnosed(make_run("ppo", length_mean="100x30 20x50", score="0.5..0.6x30 0.6..0.2x50"))
    assert (shrunk.cause, shrunk.first_step) == ("answers-too-short", 31)


def test_consequences_are_listed_with_their_cause(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="-3x50", rlhf_reward="0.5x50", total=50)
    (cause,) = diagnosed(run)
    assert cause.outcomes == ("kl-negative", "reward-not-improving")


def test_every_summary_renders(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="-3x50")
    assert [render(cause.summary, templates()) for cause in diagnosed(run)] == [
        "The answers are sampled from another distribution than the one that is scored."
    ]


def test_every_rival_is_a_cause() -> None:
    names = {entry.name for entry in CATALOG}
    assert {rival for entry in CATALOG for rival in entry.rivals} <= names


def test_settings_checks_support_a_cause_and_make_none_alone(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x12 40x18", config={"kl_coef": 0})
    quiet = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x30", config={"kl_coef": 0})
    preflight = diagnose(run).preflight
    assert "pf-kl-off" in {outcome.rule for outcome in preflight if outcome.verdict is Verdict.FIRED}
    assert [cause.cause for cause in ranked_causes(run, evaluate(run), preflight)] == ["kl-penalty-too-weak"]
    assert ranked_causes(quiet, evaluate(quiet), preflight) == ()


def test_every_settings_check_that_supports_a_cause_exists() -> None:
    names = {check.name for check in CONFIG_RULES}
    assert {check for entry in CATALOG for check in entry.preflight} <= names


def test_a_cause_has_at_most_two_rivals(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0x10 1x12", **ENDING)
    assert all(len(cause.rivals) <= 2 for cause in diagnosed(run))


def test_a_settings_check_overrides_a_fix_where_its_change_is_larger(make_run: MakeRun) -> None:
    run = make_run("ppo", approx_kl="0.04x30", config={"learning_rate": 1e-3})
    check = next(item for item in CONFIG_RULES if item.name == "pf-lr-range")
    for rate, expected in ((1e-4, 1e-4), (9e-4, 5e-4)):
        fix = Fix("learning_rate", 1e-3, rate, check.message("why"), check.source)
        concern = replace(evaluate(run)[0], rule=check.name, verdict=Verdict.FIRED, fixes=(fix,))
        (cause,) = ranked_causes(run, evaluate(run), [concern])
        assert [item.suggested for item in cause.fixes if item.parameter == "learning_rate"] == [expected]


def test_a_critical_cause_explains_what_showed_a_few_points_earlier(make_run: MakeRun) -> None:
    logged = {"kl_per_sequence": "0x12 60x28", "eos_tokens": "60x10 3x30", "length_mean": "7x10 14x30"}
    config = {"kl_coef": 0.0, "response_length": 14, "local_batch_size": 64}
    found = diagnose(make_run("ppo", config=config, **logged, functions={"eval/score": "0.8x12 0.1x28"})).causes
    assert found[0].cause == "kl-penalty-too-weak"
    assert "length-bias" not in [cause.cause for cause in found]
