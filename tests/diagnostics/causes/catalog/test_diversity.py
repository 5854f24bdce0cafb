"""Tests of causes in the diversity of completions."""

from collections.abc import Callable

import pytest

from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]


@pytest.mark.parametrize(("temperature", "cause"), [(0.2, "mode-collapse"), (0.3, "difficulty-mismatch")])
def test_equal_groups_of_near_greedy_samples_are_a_mode_collapse(
    make_run: MakeRun, temperature: float, cause: str
) -> None:
    run = make_run("grpo", zero_std_fraction="0.7x45", reward="0.5x45", config={"temperature": temperature})
    assert causes(run)[0] == cause


def test_an_entropy_explosion_is_noise_and_explains_the_garbled_samples(make_run: MakeRun) -> None:
    run = make_run(
        "grpo", entropy_per_token="1x40 3x20", kl_per_token="0.01x44 2x16", truncated_fraction="0.05x48 1x12"
    )
    (cause,) = diagnosed(run)
    assert (cause.cause, cause.outcomes[0]) == ("noise-blow-up", "entropy-explosion")


@pytest.mark.parametrize(
    "logged",
    [
        {"entropy_per_token": "1x40 3x20"},  # nothing shows that the text degraded
        {"entropy_per_token": "1.4x20 0.3x40 1.1x20", "truncated_fraction": "0.05x68 1x12"},  # back to what it was
    ],
)
def test_an_entropy_that_rises_is_no_noise_without_degraded_text_or_below_its_start(
    make_run: MakeRun, logged: dict[str, str]
) -> None:
    run = make_run("grpo", **logged)
    assert "entropy-explosion" in [outcome.rule for outcome in evaluate(run) if outcome.severity]
    assert "noise-blow-up" not in causes(run)


def test_a_shrinking_spread_of_rewards_alone_is_no_mode_collapse(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.5x60", reward_std="0.4x25 0.02x35")
    assert "reward-std-shrink" in [outcome.rule for outcome in evaluate(run) if outcome.severity]
    assert "mode-collapse" not in causes(run)


@pytest.mark.parametrize(("entropy", "is_decided"), [({}, False), ({"entropy_per_token": "1x40"}, True)])
def test_equal_rewards_in_groups_may_be_equal_answers_where_nothing_shows_their_variety(
    make_run: MakeRun, entropy: dict[str, str], *, is_decided: bool
) -> None:
    (cause,) = diagnosed(make_run("grpo", reward="0.5x40", zero_std_fraction="0.6x40", **entropy))
    assert (cause.cause, cause.is_decided) == ("difficulty-mismatch", is_decided)


def test_a_kl_that_near_greedy_sampling_stretches_is_no_drastic_update(make_run: MakeRun) -> None:
    cold = {"entropy_per_token": "0.01x27", "zero_std_fraction": "0.6x27", "reward": "0.2..0.9x8 0.9x19"}
    assert causes(make_run("grpo", kl_per_token="0x8 0.1..7x12 3x7", **cold))[0] == "mode-collapse"
    assert causes(make_run("grpo", kl_per_token="0x8 0.1..7x12 3x7"))[0] == "drastic-updates"


def test_an_entropy_collapse_without_reward_is_a_mode_collapse(make_run: MakeRun) -> None:
    reward = "0.2 0.3 0.25 0.28 0.22 0.27 0.24 0.26 0.29 0.21 " * 8
    assert causes(make_run("grpo", entropy_per_token="1x20 0.1x60", reward=reward))[0] == "mode-collapse"


def test_large_updates_under_near_greedy_sampling_are_the_temperatures(make_run: MakeRun) -> None:
    cold = {"approx_kl": "0.001x12 0.05x20", "entropy_per_token": "2.6x12 0.3x20"}
    assert causes(make_run("ppo", **cold)) == ["mode-collapse"]
    assert causes(make_run("ppo", approx_kl="0.05x20", config={"temperature": 0.2})) == ["mode-collapse"]
    later = {**cold, "entropy_per_token": "2.6x15 0.3x17"}
    assert causes(make_run("ppo", **later)) == ["drastic-updates"]


def test_a_temperature_that_makes_noise_is_the_cause_and_is_what_to_change(make_run: MakeRun) -> None:
    run = make_run(
        "grpo", entropy_per_token="2x40", reward="0.2 0.3 0.25 0.28 0.22 0.27x35", config={"temperature": 3.0}
    )
    (cause,) = diagnosed(run)
    assert (cause.cause, cause.summary.template) == ("noise-blow-up", "cause.noise-blow-up.temperature")
    assert [(fix.parameter, fix.suggested) for fix in cause.fixes] == [("temperature", 1.0)]


def test_an_entropy_that_falls_after_the_first_large_updates_is_their_effect(make_run: MakeRun) -> None:
    entropy = "0.49 0.7 0.6 0.38 0.43 0.43 0.41 0.39 0.19 0.13 0.05 0.03 0.02 0.04x8 0.02..0.002x10 0.002x100"
    sizes = "5 2 1.4 0.39 0.76 0.13 0.015 0.06 0.013 0.001x4 1e-6x10 1e-9..1e-12x108"  # of a run of TRL's PPO
    score = "0.63 -0.86 -0.63 -0.1 0.04x127"
    run = make_run("ppo", entropy_per_token=entropy, approx_kl=sizes, score=score, rlhf_reward=score)
    assert causes(run)[0] == "drastic-updates"
