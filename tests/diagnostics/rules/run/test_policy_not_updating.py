"""Tests of policy-not-updating."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize("metric", ["grad_norm", "learning_rate"])
def test_ten_zeros_behind_the_warm_up_are_critical(judge: Judge, metric: str) -> None:
    outcome = judge("policy-not-updating", "grpo", **{metric: "0x15"})
    assert (outcome.severity, outcome.metric, outcome.first_step) == (Severity.CRITICAL, metric, 6)
    assert judge("policy-not-updating", "grpo", **{metric: "1x5 0x9 1x9"}).verdict is Verdict.QUIET


def test_a_tiny_gradient_is_a_gradient(judge: Judge) -> None:
    assert judge("policy-not-updating", "grpo", grad_norm="1e-9x20").verdict is Verdict.QUIET


@pytest.mark.parametrize("metric", ["grad_norm", "learning_rate"])
def test_a_log_that_rounds_proves_no_zero(judge: Judge, metric: str) -> None:
    outcome = judge("policy-not-updating", "grpo", rounded_to=0.0005, **{metric: "0x15"})
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)
    assert judge("policy-not-updating", "grpo", rounded_to=0.0005, **{metric: "0.001x15"}).verdict is Verdict.QUIET


def test_a_gradient_of_zero_is_right_where_no_group_has_a_signal(judge: Judge) -> None:
    assert judge("policy-not-updating", "grpo", grad_norm="1x5 0x20", zero_std_fraction="0x5 1x20").verdict is (
        Verdict.SKIPPED
    )
    assert judge("policy-not-updating", "grpo", grad_norm="1x5 0x20", reward_std="0.1x5 0x20").verdict is (
        Verdict.SKIPPED
    )
    assert judge("policy-not-updating", "grpo", grad_norm="1x5 0x20", reward_std="0.1x25").verdict is Verdict.FIRED


def test_updates_that_change_nothing_count_where_there_are_several(judge: Judge) -> None:
    logged = {"approx_kl": "0x20", "clip_fraction": "0x20", "learning_rate": "1e-6x20"}
    several, one = {"num_ppo_epochs": 4, "num_mini_batches": 1}, {"num_ppo_epochs": 1, "num_mini_batches": 1}
    assert judge("policy-not-updating", "ppo", config=several, **logged).verdict is Verdict.FIRED
    assert judge("policy-not-updating", "ppo", config=one, **logged).verdict is Verdict.QUIET


def test_a_schedule_that_ends_at_zero_is_quiet(judge: Judge) -> None:
    assert judge("policy-not-updating", "ppo", learning_rate="1e-6..0x40").verdict is Verdict.QUIET


def test_it_is_skipped_where_its_inputs_are_missing(judge: Judge) -> None:
    assert judge("policy-not-updating", "ppo", score="1x60").verdict is Verdict.SKIPPED


def test_an_entropy_and_a_kl_that_are_the_same_to_the_last_digit_are_of_a_policy_that_stands_still(
    judge: Judge,
) -> None:
    still = {"entropy_per_token": "1x16", "kl_per_sequence": "0.0187x16", "policy_loss": "0x16"}
    outcome = judge("policy-not-updating", "grpo", **still)
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "policy-not-updating.unchanged")
    for other in (
        {"entropy_per_token": "1x14", "kl_per_sequence": "0.0187x14", "policy_loss": "0x14"},
        still | {"kl_per_sequence": "0x16"},
        still | {"entropy_per_token": "1x15 1.0001"},
        still | {"policy_loss": "0x15 0.1"},
        still | {"rounded_to": 0.001},
    ):
        assert judge("policy-not-updating", "grpo", **other).verdict is not Verdict.FIRED


def test_a_size_of_updates_alone_is_too_little_to_judge(judge: Judge) -> None:
    outcome = judge("policy-not-updating", "ppo", approx_kl="0x20", score="1x20")
    assert (outcome.verdict, outcome.message.values["found"]) == (Verdict.SKIPPED, 0)


def test_updates_that_change_nothing_between_others_that_do_are_a_warning(judge: Judge) -> None:
    """As where the later passes over the same samples are clipped away."""
    outcome = judge("policy-not-updating", "grpo", grad_norm="3x9 0x15 4x9 0x12")
    assert (outcome.severity, outcome.message.values["share"]) == (Severity.WARNING, 75)
    assert outcome.message.template == "policy-not-updating.grad_norm_mostly"
    assert {item.severity for item in outcome.episodes} == {Severity.WARNING}
