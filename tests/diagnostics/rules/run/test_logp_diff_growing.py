"""Tests of logp-diff-growing."""

from collections.abc import Callable

from diagnostics.model.outcome import Severity, Verdict

VLLM = {"use_vllm": True}


def test_three_times_its_start_is_a_warning(judge: Callable) -> None:
    fired = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.01x25 0.03x15")
    quiet = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.01x25 0.029x30")
    assert (fired.severity, quiet.verdict) == (Severity.WARNING, Verdict.QUIET)


def test_a_tenth_of_a_nat_is_a_warning_from_the_start(judge: Callable) -> None:
    assert (
        judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.1x9").severity is Severity.WARNING
    )
    quiet = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.099x9")
    assert quiet.verdict is Verdict.QUIET


def test_noise_of_equal_engines_may_grow(judge: Callable) -> None:
    outcome = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.0001x25 0.0009x30")
    assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_where_a_second_engine_logs_nothing(judge: Callable) -> None:
    assert judge("logp-diff-growing", "grpo", config=VLLM, reward="1x20").verdict is Verdict.SKIPPED
