"""Tests of kl-negative."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_three_points_at_minus_one_are_a_warning(judge: Judge) -> None:
    outcome = judge("kl-negative", "ppo", kl_per_sequence="0.1x5 -1.0x3 0.1x9")
    assert outcome.severity is Severity.WARNING
    assert (outcome.first_step, outcome.last_step, outcome.limit) == (6, 8, -1.0)


def test_two_points_at_minus_one_are_not(judge: Judge) -> None:
    assert judge("kl-negative", "ppo", kl_per_sequence="0.1x5 -1.0x2 0.1x9").verdict is Verdict.QUIET


def test_just_above_minus_one_is_quiet(judge: Judge) -> None:
    assert judge("kl-negative", "ppo", kl_per_sequence="0.1x15 -0.99x10 0.1x15").verdict is Verdict.QUIET


def test_minus_five_is_critical(judge: Judge) -> None:
    outcome = judge("kl-negative", "ppo", kl_per_sequence="0.1x5 -5.0x10")
    assert (outcome.severity, outcome.limit) == (Severity.CRITICAL, -5.0)


def test_a_tenth_of_a_nat_for_each_token_is_critical(judge: Judge) -> None:
    outcome = judge("kl-negative", "ppo", kl_per_sequence="0.1x5 -2.0x10", length_mean="20x15")
    assert (outcome.severity, outcome.limit) == (Severity.CRITICAL, -2.0)


def test_a_longer_answer_bears_more(judge: Judge) -> None:
    outcome = judge("kl-negative", "ppo", kl_per_sequence="0.1x5 -2.0x10", length_mean="21x15")
    assert outcome.severity is Severity.WARNING


def test_noise_around_zero_is_quiet(judge: Judge) -> None:
    assert (
        judge("kl-negative", "ppo", kl_per_sequence="0.3 -0.4 0.2 -0.1 0.3 -0.2 0.1 0.4 -0.3 0.2 -0.1").verdict
        is Verdict.QUIET
    )


def test_ten_points_slightly_below_zero_are_noted(judge: Judge) -> None:
    outcome = judge("kl-negative", "ppo", kl_per_sequence="-0.1 -0.2x4 -0.3x4 -0.1")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.INFO, 1, 10)


@pytest.mark.parametrize(("algorithm", "metric"), [("ppo", "kl_per_sequence"), ("rloo", "kl_per_token")])
def test_what_rounding_makes_of_a_kl_of_nothing_is_not_noted(judge: Judge, algorithm: str, metric: str) -> None:
    for level, verdict in (("-1.2e-7x40", Verdict.QUIET), ("-0.1x40", Verdict.FIRED)):
        assert judge("kl-negative", algorithm, **{metric: level}, length_mean="20x40").verdict is verdict


def test_nine_points_slightly_below_zero_are_too_few_to_note(judge: Judge) -> None:
    assert judge("kl-negative", "ppo", kl_per_sequence="-0.1 -0.2x4 -0.3x4").verdict is Verdict.QUIET


def test_a_nan_does_not_join_two_short_dips(judge: Judge) -> None:
    assert judge("kl-negative", "ppo", kl_per_sequence="0.1x5 -1x4 nan -1x4 0.1x25").verdict is Verdict.QUIET


def test_six_points_are_too_few(judge: Judge) -> None:
    outcome = judge("kl-negative", "ppo", kl_per_sequence="-9x6")
    assert outcome.verdict is Verdict.SKIPPED
    assert outcome.message.values == {"needed": 7, "found": 6}


def test_it_is_skipped_where_no_kl_is_logged(judge: Judge) -> None:
    assert judge("kl-negative", "ppo", score="1x20").verdict is Verdict.SKIPPED


def test_the_kl_of_rloo_per_token_counts_by_its_length(judge: Judge) -> None:
    assert judge("kl-negative", "rloo", kl_per_token="-0.05x9", length_mean="20x9").severity is Severity.WARNING


def test_a_forbidden_end_is_what_to_change_first_among_known_settings(judge: Judge) -> None:
    outcome = judge("kl-negative", "ppo", config={"min_new_tokens": 12, "top_k": 0}, kl_per_sequence="-2x9")
    assert (outcome.fixes[0].parameter, outcome.fixes[0].current, outcome.fixes[0].suggested) == (
        "min_new_tokens",
        12,
        0,
    )
    assert "top_k" not in [fix.parameter for fix in outcome.fixes]
