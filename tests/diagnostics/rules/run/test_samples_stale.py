"""Tests of samples-stale."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

RULE = "samples-stale"


@pytest.mark.parametrize(
    ("value", "severity"),
    [("0.049", None), ("0.05", Severity.INFO), ("0.199", Severity.INFO), ("0.2", Severity.WARNING)],
)
def test_each_level_of_the_dropped_share_starts_at_its_limit(judge: Callable, value: str, severity) -> None:
    assert judge(RULE, "grpo", dropped_fraction=f"{value}x12").severity is severity


def test_drops_in_bursts_count_by_their_mean(judge: Callable) -> None:
    assert judge(RULE, "grpo", dropped_fraction=" ".join(["0x4 1"] * 6)).severity is Severity.WARNING
    assert judge(RULE, "grpo", dropped_fraction="0x20 0.4 0x20").severity is None


@pytest.mark.parametrize(
    ("bound", "path", "severity"),
    [
        (4, "2x5 4x10", Severity.INFO),
        (4, "2x5 4x9", None),
        (4, "3x30", None),
        (2, "2x30", None),
        (1, "4x30", Severity.WARNING),
    ],
)
def test_ten_points_at_the_bound_are_a_note_and_beyond_it_a_warning(
    judge: Callable, bound: int, path: str, severity
) -> None:
    outcome = judge(RULE, "grpo", config={"max_staleness": bound}, staleness_max=path, dropped_fraction="0x30")
    assert outcome.severity is severity


def test_old_samples_that_nothing_corrects_are_a_warning(judge: Callable) -> None:
    config = {"max_staleness": 8, "vllm_importance_sampling_correction": False}
    assert judge(RULE, "grpo", config=config, staleness_max="8x30").severity is Severity.WARNING
    config = {"max_staleness": 8, "vllm_importance_sampling_correction": True}
    assert judge(RULE, "grpo", config=config, staleness_max="8x30").severity is Severity.INFO


def test_an_age_without_a_known_bound_is_not_judged(judge: Callable) -> None:
    assert judge(RULE, "grpo", staleness_max="4x30").verdict is Verdict.SKIPPED


def test_a_run_that_waits_for_its_samples_has_nothing_to_miss(make_run: Callable[..., Run]) -> None:
    assert RULE not in {outcome.rule for outcome in evaluate(make_run("grpo", reward="1x30"))}
