"""Tests of logp-diff-growing."""

from collections.abc import Callable

import numpy as np

from diagnostics.model.outcome import Severity, Verdict

VLLM = {"use_vllm": True}


def test_three_times_its_start_is_a_warning(judge: Callable) -> None:
    fired = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.01x25 0.03x15")
    quiet = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.01x25 0.029x30")
    assert (fired.severity, quiet.verdict) == (Severity.WARNING, Verdict.QUIET)


def test_a_large_difference_that_does_not_grow_is_another_rules(judge: Callable) -> None:
    outcome = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.15x40")
    assert outcome.verdict is Verdict.QUIET


def test_a_difference_that_came_with_the_first_updates_is_told_once(judge: Callable) -> None:
    run = {"engine_logprob_difference": "0.012x25 0.2x30", "grad_norm": "1x55"}
    outcome = judge("logp-diff-growing", "grpo", config=VLLM, **run)
    assert (outcome.verdict, outcome.applies) == (Verdict.SKIPPED, False)
    assert judge("engine-weights-stale", "grpo", config=VLLM, **run).severity is Severity.CRITICAL


def test_a_difference_that_grows_from_the_first_update_on_is_seen_within_the_warm_up(judge: Callable) -> None:
    outcome = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0x1 0.002..0.1x40")
    assert outcome.severity is Severity.WARNING


def test_noise_of_sound_engines_is_no_growth(judge: Callable) -> None:
    for seed in range(20):
        noise = np.random.default_rng(seed).lognormal(np.log(0.012), 0.3, size=500)
        assert judge("logp-diff-growing", "grpo", engine_logprob_difference=noise).verdict is Verdict.QUIET


def test_old_samples_differ_by_what_was_learned_since(judge: Callable) -> None:
    run = {"staleness_mean": "0x2 8x43"}
    quiet = judge("logp-diff-growing", "grpo", engine_logprob_difference="0.001x5 0.049x40", **run)
    fired = judge("logp-diff-growing", "grpo", engine_logprob_difference="0.001x5 0.05x40", **run)
    assert (quiet.verdict, fired.severity) == (Verdict.QUIET, Severity.WARNING)


def test_noise_of_equal_engines_may_grow(judge: Callable) -> None:
    outcome = judge("logp-diff-growing", "grpo", config=VLLM, engine_logprob_difference="0.0001x25 0.0009x30")
    assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_where_a_second_engine_logs_nothing(judge: Callable) -> None:
    assert judge("logp-diff-growing", "grpo", config=VLLM, reward="1x20").verdict is Verdict.SKIPPED


def test_it_is_skipped_with_the_reason_where_the_engines_are_compared_in_another_unit(judge: Callable) -> None:
    outcome = judge("logp-diff-growing", "grpo", engine_kl="0.5x40")
    assert (outcome.verdict, outcome.message.template) == (Verdict.SKIPPED, "missing.engine-unit")
