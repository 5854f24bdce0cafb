"""Tests of truncation-high."""

from collections.abc import Callable

import pytest

from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG
from diagnostics.texts import templates
from diagnostics.wording.messages import found_text

Judge = Callable[..., Outcome]
MakeRun = Callable[..., Run]


@pytest.mark.parametrize(
    ("level", "severity"), [("0.1", Severity.INFO), ("0.3", Severity.WARNING), ("0.8", Severity.CRITICAL)]
)
def test_five_points_at_the_limit_fire(judge: Judge, level: str, severity: Severity) -> None:
    outcome = judge("truncation-high", "grpo", truncated_fraction=f"0.01x5 {level}x5 0.01x2")
    assert (severity, 6) == (outcome.severity, outcome.first_step)


def test_four_points_do_not(judge: Judge) -> None:
    assert judge("truncation-high", "grpo", truncated_fraction="0.01x5 0.8x4 0.01x9").verdict is Verdict.QUIET


def test_it_works_from_the_first_nine_steps(judge: Judge) -> None:
    assert judge("truncation-high", "grpo", truncated_fraction="0.94x9").severity is Severity.CRITICAL
    assert judge("truncation-high", "grpo", truncated_fraction="0.94x8").verdict is Verdict.SKIPPED


def test_the_message_names_the_limit_that_was_set(judge: Judge) -> None:
    outcome = judge("truncation-high", "grpo", truncated_fraction="0.94x9", config={"max_completion_length": 8})
    assert render(outcome.message, templates()) == (
        "Up to 94 % of completions were cut off at max_completion_length = 8 (step 1); 80 % or more from step 1 to 9."
    )
    assert (
        outcome.fixes[0].parameter,
        outcome.fixes[0].current,
        outcome.fixes[0].suggested,
    ) == ("max_completion_length", 8, 24)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("truncation-high", "grpo", reward="1x20").verdict is Verdict.SKIPPED


def test_ppo_is_judged_where_the_share_is_known_and_not_asked_for_it(judge: Judge, make_run: MakeRun) -> None:
    assert judge("truncation-high", "ppo", truncated_fraction="0.94x9").severity is Severity.CRITICAL
    (rule,) = (rule for rule in CATALOG if rule.name == "truncation-high")
    assert not rule.applies(make_run("ppo", score="1x20"))


def test_answers_that_grew_into_the_limit_do_not_want_a_longer_one(judge: Judge) -> None:
    config = {"max_completion_length": 8, "beta": 0.0}
    grown = judge("truncation-high", "grpo", truncated_fraction="0.1x5 0.1..0.9x20 0.9x10", config=config)
    always = judge("truncation-high", "grpo", truncated_fraction="0.5x5 0.5..0.9x20 0.9x10", config=config)
    assert "max_completion_length" not in [fix.parameter for fix in grown.fixes]
    assert [fix.parameter for fix in always.fixes] == ["max_completion_length"]


def test_a_share_that_dithers_about_its_limit_keeps_its_first_step_while_the_run_grows(judge: Judge) -> None:
    dithering = " ".join(["0.75 0.82 0.79 0.81 0.83"] * 40).split()
    seen = [judge("truncation-high", "grpo", truncated_fraction=" ".join(dithering[:points]))
            for points in range(10, 201, 5)]  # fmt: skip
    fired = [outcome.verdict is Verdict.FIRED for outcome in seen]
    assert len({outcome.first_step for outcome in seen if outcome.verdict is Verdict.FIRED}) == 1
    assert fired == sorted(fired)


def test_a_grave_start_is_told_beside_a_milder_end_that_still_holds(judge: Judge) -> None:
    outcome = judge("truncation-high", "grpo", truncated_fraction="0.95x41 0.01x125 0.15x60")
    told = [(item.first_step, item.last_step, item.severity) for item in outcome.episodes]
    assert told == [(1, 41, Severity.CRITICAL), (167, 226, Severity.INFO)]
    assert (outcome.severity, outcome.first_step) == (Severity.CRITICAL, 167)
    assert found_text(outcome).endswith("10 % or more from step 167 to 226. Also steps 1 to 41 (up to 95 %).")
