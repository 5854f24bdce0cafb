"""Tests of is-ratio-off."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity, Verdict

VLLM = {"use_vllm": True}
MASKING = {**VLLM, "vllm_importance_sampling_mode": "sequence_mask"}


@pytest.mark.parametrize(
    ("config", "value", "severity"),
    [
        (VLLM, "2", Severity.CRITICAL),
        (VLLM, "1.99", None),
        (VLLM, "0.5", Severity.CRITICAL),
        (VLLM, "0.51", None),
        (MASKING, "0.9", Severity.WARNING),
        (MASKING, "0.91", None),
        (MASKING, "0.5", Severity.CRITICAL),
    ],
)
def test_how_far_is_too_far_depends_on_masking(judge: Callable, config, value: str, severity) -> None:
    outcome = judge("is-ratio-off", "grpo", config=config, importance_ratio_mean=f"1x5 {value}x9")
    assert outcome.severity is severity


def test_a_ratio_of_zero_was_not_compared(judge: Callable) -> None:
    outcome = judge("is-ratio-off", "grpo", config=VLLM, importance_ratio_mean="1x20 0x20 1x20")
    assert outcome.verdict is Verdict.QUIET


def test_a_ratio_of_zero_is_one_where_the_engines_were_compared(judge: Callable) -> None:
    run = {"importance_ratio_mean": "1x20 0x20", "engine_logprob_difference": "0.01x20 0.2x20"}
    assert judge("is-ratio-off", "grpo", config=VLLM, **run).severity is Severity.CRITICAL


def test_it_is_skipped_where_a_second_engine_logs_nothing(judge: Callable) -> None:
    assert judge("is-ratio-off", "grpo", config=VLLM, reward="1x20").verdict is Verdict.SKIPPED
