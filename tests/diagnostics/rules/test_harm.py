"""Tests of harm: a distance or a size alone is a warning, and critical once the run is shown to be worse off for it."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules import CATALOG, evaluate, harm
from diagnostics.wording.messages import message_text
from tests.diagnostics.conftest import values_of

MakeRun = Callable[..., Run]
FAR = {"kl_per_sequence": "1x20 40x40", "length_mean": "30x60"}


def noisy(shorthand: str, scale: float = 0.02) -> Values:
    level = values_of(shorthand)
    return level + np.random.default_rng(3).normal(scale=scale, size=len(level))


def outcome_of(run: Run, rule: str = "kl-too-high") -> Outcome:
    return next(outcome for outcome in evaluate(run) if outcome.rule == rule)


@pytest.mark.parametrize(
    ("score", "words"),
    [("0.2x20 0.2..0.8x40", "while the score rose from"), ("0.4x60", "while the score held (")],
)
def test_a_distance_is_a_warning_while_the_score_holds_or_rises(make_run: MakeRun, score: str, words: str) -> None:
    outcome = outcome_of(make_run("ppo", **FAR, score=noisy(score), score_std="0.3x60"))
    assert outcome.severity is Severity.WARNING
    assert words in message_text(outcome.message)
    assert message_text(outcome.message).endswith(": no harm is shown.")


def test_a_distance_that_is_over_and_did_no_harm_is_a_note(make_run: MakeRun) -> None:
    over = FAR | {"kl_per_sequence": "1x20 40x20 1x20"}
    assert outcome_of(make_run("ppo", **over, score=noisy("0.4x60"), score_std="0.3x60")).severity is Severity.INFO


def test_a_distance_is_critical_once_the_score_has_fallen_since(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run("ppo", **FAR, score=noisy("0.6x20 0.6..0.1x20 0.1x20"), score_std="0.3x60"))
    assert outcome.severity is Severity.CRITICAL
    assert "while the score fell from 0.5" in message_text(outcome.message)


def test_a_score_that_falls_at_once_and_freezes_has_fallen(make_run: MakeRun) -> None:
    far = {"kl_per_sequence": "1x2 177x28", "length_mean": "30x30"}
    assert outcome_of(make_run("ppo", **far, score="0.4 0.42 0x28", score_std="0.3x30")).severity is Severity.CRITICAL


def test_a_fall_within_chance_is_no_harm(make_run: MakeRun) -> None:
    score = noisy("0.5x20 0.44x40", scale=0.15)
    outcome = outcome_of(make_run("ppo", **FAR, score=score, score_std="0.2x60"))
    assert outcome.severity is Severity.WARNING


def test_a_certain_fall_that_hardly_matters_is_no_harm(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run("ppo", **FAR, score=noisy("0.5x20 0.46x40", scale=0.001), score_std="0.3x60"))
    assert outcome.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("since", "severity"), [("0.3x60", Severity.INFO), ("1.2x80 0.3x20", Severity.WARNING)], ids=["back", "caught up"]
)
def test_an_entropy_that_came_back_is_over_and_one_that_its_past_caught_up_with_is_not(
    make_run: MakeRun, since: str, severity: Severity
) -> None:
    logged = {"entropy_per_token": f"0.3x60 1.2x8 {since}"}
    points = 68 + sum(int(part.partition("x")[2]) for part in since.split())
    run = make_run("grpo", **logged, reward=noisy(f"0.4x{points}"), reward_std=f"0.3x{points}")
    assert outcome_of(run, "entropy-explosion").severity is severity


def test_a_fall_that_has_recovered_is_no_harm(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run("ppo", **FAR, score=noisy("0.6x20 0.1x20 0.6x20"), score_std="0.3x60"))
    assert outcome.severity is Severity.WARNING


def test_a_large_value_loss_is_critical_only_where_the_run_is_worse_off(make_run: MakeRun) -> None:
    spike = {"value_loss": "1x60 8x20 1x20"}
    for score, severity in (("0.1x20 0.9x40 0.1x40", Severity.CRITICAL), ("0.9x60 0.3x20 0.95x20", Severity.INFO)):
        run = make_run(
            "ppo", **spike, score=noisy(score), score_std="0.3x100", rlhf_reward=noisy("0.1x20 0.9x40 0.1x40")
        )
        assert outcome_of(run, "value-loss-spike").severity is severity


def test_the_kl_penalty_that_grows_with_the_distance_is_no_harm(make_run: MakeRun) -> None:
    run = make_run("ppo", **FAR, score=noisy("0.4x60"), rlhf_reward=noisy("0.4x20 -1.5x40"), score_std="0.3x60")
    assert outcome_of(run).severity is Severity.WARNING


def test_an_evaluation_that_fell_shows_harm_although_the_score_rises(make_run: MakeRun) -> None:
    series = {"score": noisy("0.2x20 0.2..0.8x40"), "eval/score": noisy("0.5x20 0.1x40")}
    outcome = outcome_of(make_run("ppo", **FAR, **series, score_std="0.3x60"))
    assert outcome.severity is Severity.CRITICAL
    assert "while the score of the evaluation fell from" in message_text(outcome.message)


def test_answers_that_are_all_cut_off_since_show_harm(make_run: MakeRun) -> None:
    far = {"kl_per_token": "0.1x20 2x40", "reward": noisy("0.4x60"), "reward_std": "0.3x60"}
    run = make_run("grpo", **far, truncated_fraction="0x25 1x35")
    assert outcome_of(run).severity is Severity.CRITICAL
    assert "and nearly every answer is cut off" in message_text(outcome_of(run).message)


def test_answers_that_were_all_cut_off_before_show_no_harm_of_the_distance(make_run: MakeRun) -> None:
    far = {"kl_per_token": "0.1x20 2x40", "reward": noisy("0.4x60"), "reward_std": "0.3x60"}
    assert outcome_of(make_run("grpo", **far, truncated_fraction="1x60")).severity is Severity.WARNING


def test_answers_that_were_all_cut_off_before_and_some_of_them_since_show_no_harm_of_the_distance(
    make_run: MakeRun,
) -> None:
    far = {"kl_per_token": "0.1x30 2x50", "reward": noisy("0.4x80"), "reward_std": "0.3x80"}
    run = make_run("grpo", **far, truncated_fraction="1x15 0x20 0.5x45")
    assert outcome_of(run, "truncation-high").severity is Severity.CRITICAL
    assert outcome_of(run).severity is Severity.WARNING


def test_without_a_score_it_says_that_harm_cannot_be_seen(make_run: MakeRun) -> None:
    outcome = outcome_of(make_run("ppo", **FAR))
    assert outcome.severity is Severity.WARNING
    assert message_text(outcome.message).endswith(
        "; no score is logged for long enough to show whether that does harm."
    )


@pytest.mark.parametrize("rule", [rule for rule in CATALOG if rule.measures_distance], ids=lambda rule: rule.name)
def test_a_rule_of_a_distance_leaves_room_for_what_it_does(rule) -> None:
    assert any("{harm}" in text for text in rule.texts.values())
    assert rule.name not in harm.SHOWN_BY


def test_the_rules_that_show_harm_exist() -> None:
    assert set(harm.SHOWN_BY) <= {rule.name for rule in CATALOG}


def test_a_score_that_the_first_update_ruined_has_fallen_from_its_first_point(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="0 140x39", score=noisy("0.63 -0.86 0.05x38"), length_mean="20x40")
    assert outcome_of(run).severity is Severity.CRITICAL
    assert "while the score fell from 0.6" in message_text(outcome_of(run).message)


@pytest.mark.parametrize(
    ("score", "severity"),
    [
        ("0.2..0.8x60", Severity.INFO),
        ("0.5x60", Severity.WARNING),
        ("0.1x20 0.1..0.9x20 0.4x20", Severity.WARNING),  # it has lost half of what it gained
    ],
)
def test_large_updates_are_a_note_while_the_score_rises(make_run: MakeRun, score: str, severity: Severity) -> None:
    run = make_run("ppo", approx_kl="0.01x20 0.2x40", score=noisy(score), score_std="0.3x60")
    assert outcome_of(run, "update-too-large").severity is severity


@pytest.mark.parametrize(("rate", "severity"), [("1e-4..0x60", Severity.WARNING), ("1e-4x60", Severity.INFO)])
def test_clipping_that_ends_with_the_schedule_is_not_over(make_run: MakeRun, rate: str, severity: Severity) -> None:
    logged = {"clip_fraction": "0.4x40 0.1x20", "score": noisy("0.2..0.8x60"), "score_std": "0.3x60"}
    run = make_run("ppo", **logged, learning_rate=rate)
    assert outcome_of(run, "clipfrac-high").severity is severity


def test_large_updates_are_a_note_as_soon_as_the_score_is_likely_to_rise(make_run: MakeRun) -> None:
    """The first points of a run of TRL that learned its task: one before any update says little of a level."""
    rises = "0.219 0.344 0.562 0.25 0.25 0.656 0.469 0.594 0.812 0.5 0.5 0.781"
    for course, severity in ((rises, Severity.INFO), (rises.replace("0.219", "0.6"), Severity.WARNING)):
        run = make_run("ppo", approx_kl="0.4x12", score=course)
        assert outcome_of(run, "update-too-large").severity is severity
