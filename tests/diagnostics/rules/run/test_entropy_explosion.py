"""Tests of entropy-explosion."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_twice_its_own_median_is_critical(judge_harmed: Judge) -> None:
    outcome = judge_harmed("entropy-explosion", "grpo", entropy_per_token="1x40 2x9")
    assert (outcome.severity, outcome.first_step) == (Severity.CRITICAL, 43)


def test_a_little_less_than_twice_is_none(judge: Judge) -> None:
    assert judge("entropy-explosion", "grpo", entropy_per_token="1x40 1.99x20").verdict is Verdict.QUIET


def test_four_points_are_too_few(judge: Judge) -> None:
    assert judge("entropy-explosion", "grpo", entropy_per_token="1x40 2x4 1x10").verdict is Verdict.QUIET


def test_a_spike_is_not_an_explosion(judge: Judge) -> None:
    assert judge("entropy-explosion", "grpo", entropy_per_token="1x40 9x2 1x20").verdict is Verdict.QUIET


def test_an_entropy_of_nearly_nothing_is_no_noise_however_often_it_multiplies(judge: Judge) -> None:
    solved = "0.77 0.4 0.1 0.01x20 0.0002x40"  # of a public log of a task that was solved within ten steps
    assert judge("entropy-explosion", "grpo", entropy_per_token=f"{solved} 0.0097x9").verdict is Verdict.QUIET
    assert judge("entropy-explosion", "grpo", entropy_per_token="0.04x40 0.099x9").verdict is Verdict.FIRED
    assert judge("entropy-explosion", "grpo", entropy_per_token="0.02x40 0.049x9").verdict is Verdict.QUIET


def test_a_collapsed_entropy_may_double(judge: Judge) -> None:
    assert judge("entropy-explosion", "grpo", entropy_per_token="1x30 0.1x40 0.3x20").verdict is Verdict.QUIET


@pytest.mark.parametrize(("reached", "severity"), [(0.99, Severity.INFO), (1.01, Severity.CRITICAL)])
def test_an_entropy_that_comes_back_to_what_it_was_at_the_start_is_a_note(
    judge_harmed: Judge, reached: float, severity: Severity
) -> None:
    outcome = judge_harmed("entropy-explosion", "grpo", entropy_per_token=f"1x30 0.3x40 {reached}x20")
    assert (outcome.severity, outcome.measured) == (severity, reached)


def test_an_entropy_that_stays_up_is_not_over_once_its_median_has_caught_up(judge_harmed: Judge) -> None:
    stays = judge_harmed("entropy-explosion", "grpo", entropy_per_token="1.2x60 9x140")
    assert (stays.first_step, stays.last_step, stays.still, stays.measured) == (63, 200, True, 9.0)
    returns = judge_harmed("entropy-explosion", "grpo", entropy_per_token="1.2x60 9x100 1.2x40")
    assert (returns.first_step, returns.last_step, returns.still) == (63, 160, False)


@pytest.mark.parametrize("calm", [1, 3, 5, 8, 12])
def test_an_entropy_that_one_of_the_first_updates_throws_to_noise_is_critical_from_then_on(
    judge_harmed: Judge, calm: int
) -> None:
    outcome = judge_harmed("entropy-explosion", "grpo", entropy_per_token=f"1.2x{calm} 9x60")
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "entropy-explosion.thrown")
    assert (outcome.first_step, outcome.last_step, outcome.still) == (calm + 1, calm + 60, True)
    assert (outcome.measured, outcome.limit, outcome.message.values["before"]) == (9.0, 4.0, 1.2)


def test_a_throw_that_no_harm_follows_is_a_warning(judge: Judge) -> None:
    held = judge("entropy-explosion", "grpo", entropy_per_token="1.2x3 9x60", reward=FLAT + FLAT)
    assert held.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("entropy", "verdict"),
    [
        ("1x3 4x60", Verdict.FIRED),
        ("1x3 3.9x60", Verdict.QUIET),
        ("2x3 6x60", Verdict.FIRED),
        ("2x3 5.9x60", Verdict.QUIET),
        ("1x6 9x20", Verdict.FIRED),
        ("1x6 9x19", Verdict.QUIET),
        ("1x6 9x20 1x20", Verdict.QUIET),
        ("0.04 9x60", Verdict.QUIET),
        ("1..7x100", Verdict.QUIET),
    ],
    ids=["4 nats", "less", "thrice", "less than thrice", "20 points", "19 points", "back", "from nothing", "slowly"],
)
def test_only_what_is_beyond_doubt_counts_among_the_first_points(judge: Judge, entropy: str, verdict: Verdict) -> None:
    assert judge("entropy-explosion", "grpo", entropy_per_token=entropy).verdict is verdict


def test_noise_around_a_falling_entropy_never_explodes(judge: Judge) -> None:
    generator = np.random.default_rng(0)
    for _ in range(20):
        noise = np.zeros(500)
        for step in range(1, 500):
            noise[step] = 0.8 * noise[step - 1] + generator.normal(scale=0.03)
        entropy = np.linspace(1.0, 0.3, 500) + noise
        assert judge("entropy-explosion", "grpo", entropy_per_token=entropy).verdict is Verdict.QUIET


def test_it_is_skipped_without_entropy(judge: Judge) -> None:
    assert judge("entropy-explosion", "grpo", reward="1x60").verdict is Verdict.SKIPPED


FLAT = "0.2 0.3 0.25 0.28 0.22 0.27 0.24 0.26 0.29 0.21 " * 4
HOT = {"temperature": 3.0}


def test_a_stated_temperature_that_makes_noise_is_a_warning(judge: Judge) -> None:
    outcome = judge("entropy-explosion", "grpo", entropy_per_token="1.5x40", reward=FLAT, config=HOT)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "entropy-explosion.hot")
    assert (outcome.first_step, outcome.limit, outcome.message.values["temperature"]) == (1, 1.5, 3.0)
    assert [(fix.parameter, fix.suggested) for fix in outcome.fixes] == [("temperature", 1.0)]


def test_neither_the_temperature_nor_the_entropy_alone_makes_noise(judge: Judge) -> None:
    for temperature, entropy in ((1.5, "2x40"), (3.0, "1.49x40"), (3.0, "1x10 1.6x30"), (3.0, "2x12 1x28")):
        config = {"temperature": temperature}
        assert judge("entropy-explosion", "grpo", entropy_per_token=entropy, reward=FLAT, config=config).verdict is (
            Verdict.QUIET
        )
    assert judge("entropy-explosion", "grpo", entropy_per_token="2x40", reward=FLAT).verdict is Verdict.QUIET


def test_a_rise_of_a_reward_without_known_marks_excuses_noise_only_as_it_goes(judge: Judge) -> None:
    rises = {"score": "-0.4..-0.1x40", "config": HOT}
    for entropy, severity in (("5..4.5x40", Severity.WARNING), ("5..2x40", Severity.INFO)):
        assert judge("entropy-explosion", "ppo", entropy_per_token=entropy, **rises).severity is severity


def test_most_marks_learned_from_noise_make_it_a_note(judge: Judge) -> None:
    for reward, severity in (("0.2..0.8x40", Severity.INFO), ("0.2..0.5x40", Severity.WARNING)):
        outcome = judge("entropy-explosion", "grpo", entropy_per_token="2x40", reward=reward, config=HOT)
        assert outcome.severity is severity
