"""Tests of length-at-limit."""

from collections.abc import Callable

import pytest

from diagnostics.api import diagnose
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG

Judge = Callable[..., Outcome]
STATED = {"config": {"max_completion_length": 512}}


@pytest.mark.parametrize(
    ("length", "severity"), [("409.7x9", Severity.WARNING), ("409.5x9", None), ("507x9", Severity.CRITICAL)]
)
def test_a_mean_near_the_stated_limit_fires(judge: Judge, length: str, severity: Severity | None) -> None:
    assert judge("length-at-limit", "grpo", length_mean=length, **STATED).severity is severity


def test_a_longest_answer_short_of_the_limit_shows_that_none_is_cut_off(judge: Judge) -> None:
    logged = {"length_mean": "450x9", **STATED}
    assert judge("length-at-limit", "grpo", length_max="512x9", **logged).severity is Severity.WARNING
    assert judge("length-at-limit", "grpo", length_max="480x9", **logged).verdict is Verdict.QUIET


def test_a_shortest_answer_at_the_limit_shows_that_all_are_cut_off(judge: Judge) -> None:
    logged = {"length_mean": "512x9", "length_max": "512x9", "length_min": "512x9"}
    outcome = judge("length-at-limit", "grpo", **logged, **STATED)
    assert (outcome.severity, outcome.measured) == (Severity.CRITICAL, 512.0)


@pytest.mark.parametrize(
    "series",
    [
        {"length_mean": "300x3 512 490 512 512 480 512 512 500 512 512"},
        {"length_mean": "500x23", "length_max": "512x23"},
    ],
)
def test_answers_that_stop_at_one_length_show_the_limit_themselves(judge: Judge, series: dict[str, str]) -> None:
    assert judge("length-at-limit", "grpo", **series).severity is not None


def test_lengths_that_scatter_show_no_limit(judge: Judge) -> None:
    outcome = judge("length-at-limit", "grpo", length_mean="100..400x30")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_a_short_answer_of_one_form_fills_its_limit_rightly(judge: Judge) -> None:
    assert judge("length-at-limit", "grpo", length_mean="15x30").verdict is Verdict.QUIET
    assert judge("length-at-limit", "grpo", length_mean="16x30").severity is Severity.CRITICAL


@pytest.mark.parametrize("logged", [{"truncated_fraction": "0x9"}, {"eos_tokens": "9x9"}])
def test_it_leaves_the_judgement_to_what_tells_how_answers_end(
    make_run: Callable[..., Run], logged: dict[str, str]
) -> None:
    (rule,) = [rule for rule in CATALOG if rule.name == "length-at-limit"]
    assert rule.applies(make_run("grpo", length_mean="512x9"))
    assert not rule.applies(make_run("grpo", length_mean="512x9", **logged))


def test_a_policy_that_rambled_and_has_learned_to_stop_is_noted(judge: Judge) -> None:
    for learned in ("300x40", "400..340x40"):
        outcome = judge("length-at-limit", "grpo", length_mean=f"440x28 {learned}", length_max="512x68", **STATED)
        assert (outcome.severity, outcome.last_step) == (Severity.INFO, 28)


@pytest.mark.parametrize(
    ("length", "cause"), [("512x40", "completion-limit-too-short"), ("90x10 100..512x20 512x20", "length-bias")]
)
def test_what_filled_the_limit_tells_the_cause(make_run: Callable[..., Run], length: str, cause: str) -> None:
    assert cause in [found.cause for found in diagnose(make_run("grpo", length_mean=length)).causes]


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("length-at-limit", "grpo", reward="1x60").verdict is Verdict.SKIPPED


def test_an_episode_most_of_which_lies_below_the_critical_limit_is_a_warning(judge: Judge) -> None:
    limit = {"max_completion_length": 200}
    flickering = judge(
        "length-at-limit", "grpo", config=limit, length_mean="200 200 200 170 170 " * 4 + "170x40 200x10"
    )
    steady = judge("length-at-limit", "grpo", config=limit, length_mean="200 200 200 170 200 " * 14)
    assert (flickering.severity, steady.severity) == (Severity.WARNING, Severity.CRITICAL)
